/**
 * How this layer's actors and Machines are known again. Plain data under registered symbols, never `instanceof`: a workflow
 * module may have loaded another copy of this package, or of XState, than the host did.
 */
import type { ActorLogic, AnyActorLogic, EventObject, Snapshot } from 'xstate';
import type { AgentDefinition, AgentInput, JsonValue } from './port.ts';

const ACTOR = Symbol.for('turnwire.actor');

/** What a placeholder stands for. */
export type ActorMark = { kind: 'agent'; definition: AgentDefinition } | { kind: 'gate' };

/** A placeholder's snapshot: it only keeps its input until the host says how it ended. `owner`: the state that spawned it. */
export type InertSnapshot = Snapshot<unknown> & { input?: unknown; owner?: string };

/** Where a step notes the state whose actions XState is working through, for the actors that they spawn. */
export const OWNER = Symbol.for('turnwire.owner');
export interface OwnedSystem {
  [OWNER]?: string;
}

export type InertLogic<TOutput, TInput> = ActorLogic<Snapshot<TOutput> & { input?: TInput }, EventObject, TInput>;

export interface GateInput {
  /** The gate's name; without it the state's path. */
  gate?: string;
  /** What a people's interface may show. */
  meta?: JsonValue;
}

export type AgentLogic = InertLogic<never, AgentInput>;
export type GateLogic = InertLogic<never, GateInput | undefined>;

/** Actor logic that does nothing: started by a live actor, it just sits there; hosted, it is never started. */
export function inertLogic(mark?: ActorMark): AnyActorLogic {
  const logic = {
    transition: (snapshot: InertSnapshot) => snapshot,
    getInitialSnapshot: ({ system }: { system: OwnedSystem }, input: unknown): InertSnapshot => {
      const owner = system[OWNER];
      return { status: 'active', output: undefined, error: undefined, input, ...(owner !== undefined && { owner }) };
    },
    getPersistedSnapshot: (snapshot: InertSnapshot) => snapshot,
    restoreSnapshot: (snapshot: Snapshot<unknown>) => snapshot,
  };
  return (mark ? Object.assign(logic, { [ACTOR]: mark }) : logic) as unknown as AnyActorLogic;
}

export function markOf(logic: unknown): ActorMark | undefined {
  if (typeof logic !== 'object' || logic === null) return undefined;
  return (logic as { [ACTOR]?: ActorMark })[ACTOR];
}
