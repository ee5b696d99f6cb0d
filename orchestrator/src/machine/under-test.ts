/** For this package's tests: a Machine as a Workflow without a file, and what the walk says of it. */
import type { AnyStateMachine } from 'xstate';
import { z } from 'zod';
import { defineAgent, defineEvent } from './define.ts';
import { machines, workflowOf } from './index.ts';
import type { Finding, JsonObject, Snapshot, StepResult, Workflow } from './port.ts';

export const coder = defineAgent({ model: 'openai-compatible/any', instructions: 'You write code.' });
export const finish = defineEvent({ name: 'finish', input: z.object({ summary: z.string() }) });
export const note = defineEvent({ name: 'note', input: z.object({}) });
export const approve = defineEvent({ name: 'approve', by: 'outside', input: z.object({}) });
export const reject = defineEvent({ name: 'reject', by: 'outside', input: z.object({ reason: z.string() }) });

export function hosting(machine: unknown): Workflow {
  const outcome = workflowOf('sample', 'sample.ts', machine as AnyStateMachine);
  if ('findings' in outcome) throw new Error(outcome.findings.map(({ message }) => message).join('\n'));
  return outcome;
}

export function findingsOf(machine: unknown): Finding[] {
  const outcome = workflowOf('sample', 'sample.ts', machine as AnyStateMachine);
  return 'findings' in outcome ? outcome.findings : [];
}

/** Through the database and back. */
export function reloaded(workflow: Workflow, step: StepResult): Snapshot {
  return machines.restore(workflow, JSON.parse(JSON.stringify(step.persisted)) as JsonObject);
}

/** The one live actor with this source. */
export function invokeIdOf(workflow: Workflow, snapshot: Snapshot, src: string): string {
  const found = machines.invocations(workflow, snapshot).filter((one) => one.src === src && one.active);
  if (found.length !== 1) throw new Error(`${found.length} live actors of '${src}'`);
  return (found[0] as { invokeId: string }).invokeId;
}
