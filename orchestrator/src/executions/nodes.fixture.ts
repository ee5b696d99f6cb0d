/** A node as a test registers it. */
import type { NodeRegistration } from '../nodes/port.ts';

export const registrationOf = (baseUrl: string, more: Partial<NodeRegistration> = {}): NodeRegistration => ({
  baseUrl,
  instanceId: 'first',
  agents: [{ name: 'echo' }],
  deployment: 'resident',
  capabilities: { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true },
  ...more,
});
