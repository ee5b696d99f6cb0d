/** The way of a node to the Orchestrator's registry. */
import type { Lifecycle } from './step.ts';

export interface NodeAgent {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of what a call of it returns. */
  readonly output?: unknown;
}

export interface Capabilities {
  readonly idempotentAdmissions: boolean;
  readonly fencedAbort: boolean;
  readonly submissionStreams: boolean;
}

export interface Registration {
  readonly baseUrl: string;
  readonly instanceId: string;
  readonly agents: readonly NodeAgent[];
  readonly deployment: 'resident' | 'serverless';
  readonly version: string;
  readonly store: string;
  readonly capabilities: Capabilities;
}

/** Final answers alone: where there is none, both ask again, on the ladder, until there is or they are aborted. */
export interface Registry {
  register(
    registration: Registration,
    signal: AbortSignal,
  ): Promise<{ readonly is: 'registered'; readonly heartbeatSeconds: number } | Refused>;
  heartbeat(
    beat: { readonly instanceId: string; readonly lifecycle: Lifecycle },
    signal: AbortSignal,
  ): Promise<
    | { readonly is: 'taken' }
    | { readonly is: 'unknown_node' }
    | { readonly is: 'stale_instance'; readonly currentIsDown: boolean }
    | Refused
  >;
}

interface Refused {
  readonly is: 'refused';
  readonly reason: string;
}
