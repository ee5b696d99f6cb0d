/**
 * The ledger of one run: what is saved with the snapshot, in the same transaction (TW-DUR-011). It holds what is open; what
 * is over lives on as rows. The outbox is not a second list: what is owed is what is open here (see owed.ts), so that a
 * restart and the next commit find the same work.
 *
 * Times are milliseconds since the epoch.
 */

import type { RestartWait } from '../executions/restart-wait.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { StatusChange } from './rows.ts';
import type { ExecutionStatus, MenuEntry, RunFault, UsageContext } from './views.ts';

/** What is about to be sent, as far as a step needs it; the exact body is the intent's row. */
interface IntentState {
  key: string;
  /** The store that a copy in doubt is meant for, or that is known otherwise. */
  store?: string;
  /** A copy may have left, and nothing proves that it was not taken: committed before the first byte of each copy (TW-DUR-025). */
  doubt: boolean;
  /** Its named fault, once it has one: the first stands. */
  fault?: string;
}

export interface Settlement {
  outcome: 'completed' | 'failed' | 'aborted';
  error?: { code: string; message: string };
}

/** The durable handle of a Submission. `path` is the path and query of its stream, on the placement's own origin. */
export interface AdmissionState {
  path: string;
  offset: string;
  submissionId: string;
  /** Of a node: the process that took it, and where it was. */
  instanceId?: string;
  address?: string;
}

export interface TurnFault {
  code: string;
  reason: string;
  /** Nothing of the turn can be at work in the Harness: no abort is owed. */
  gone: boolean;
}

export interface Outstanding {
  deliveryId: string;
  event: string;
  input: JsonValue;
  moved: boolean;
  bodyHash: string;
  at: number;
}

/** What a pick came to: one that every guard refused was received, and moved nothing. */
export interface PickOutcome {
  event: string;
  moved: boolean;
}

export interface Turn {
  turnId: string;
  executionId: string;
  executionStatus: ExecutionStatus;
  /** Its terminal status is written. */
  executionEnded: boolean;
  /** Absent in what an older version saved. */
  timeline?: StatusChange[];
  /** How often its prompt was sent, or tried to be. */
  attempts?: number;
  /** When its stream answered, as far as that was worth a commit. */
  heardAt?: number;
  openedAt: number;
  agent: string;
  invokeId: string;
  stateId: string;
  iid: string;
  placement: string;
  /** The conversation had messages before this turn, and the turn asked to go on with it. */
  continued: boolean;
  /** `open`: the state holds it. `left`: the state is left, the Harness has not been heard to be done with it. */
  phase: 'open' | 'left';
  /** Left by its own pick: it is reading its receipt, and settles by itself. */
  leftByPick?: boolean;
  intent: IntentState;
  admission?: AdmissionState;
  settlement?: Settlement;
  /** Its stream said its last word, and it was no Settlement: it is not waited for any more. */
  deaf?: boolean;
  nudges: number;
  reruns: number;
  /** Its last picks that were answered, in order: what a nudge or a notice tells. */
  picks: PickOutcome[];
  /** How many of its picks were delivered to the machine, whatever they moved: with one, it is not run again (TW-RUN-010). */
  taken: number;
  /** The turns whose unread notice its own first message carries. */
  tells: string[];
  outstanding?: Outstanding;
  /** Held back until the outstanding pick is at Rest (TW-RUN-011). */
  heldFault?: TurnFault;
  /** An abort is owed from then on; gone when it is acknowledged. */
  abortAt?: number;
  /** It may have left without a fence, and is not sent again unless it is proved that it did not arrive. */
  abortDoubt?: boolean;
  /** An earlier turn of this conversation is not done: this one waits for it, and no longer than this. */
  blockedUntil?: number;
  /** There is nobody to send it to: it waits until then, and has no record yet (TW-EXE-008). */
  parkedUntil?: number;
  /** Its admission was not taken by its node: what it waits for (TW-EXE-009). */
  wait?: RestartWait;
}

/** What an ad-hoc call asks, and of whom. */
export interface CallState {
  node: string;
  agent: string;
  input: JsonValue;
  /** JSON Schema of the result, as the Agent was registered with when the call was made. */
  output?: JsonObject | boolean;
  timeoutMs?: number;
  usageContext?: UsageContext;
  replayOf?: string;
}

/** What a turn left behind without our knowing that its last receipt was read. It stays until a model is known to have had it. */
export interface Unread extends Pick<Turn, 'turnId' | 'picks' | 'taken'> {}

/** The newest conversation of one Agent in this run. */
export interface Conversation {
  agent: string;
  epoch: number;
  iid: string;
  placement: string;
  menu: MenuEntry[];
  store?: string;
  /** A turn of it was admitted: there is something to continue. */
  begun: boolean;
  /** Proved gone: it is not continued. */
  lost?: boolean;
  /** An abort of it may have left towards a Harness that is not known to honour fences. */
  aborted?: boolean;
  /** Oldest first, and how many before them are forgotten. */
  unread: Unread[];
  unreadForgotten: number;
}

export interface Gate {
  gateId: string;
  gate: string;
  invokeId: string;
  stateId: string;
  since: number;
  meta?: JsonValue;
}

interface Deadline {
  id: string;
  at: number;
  /** Orders deadlines of the same millisecond. */
  order: number;
  event: JsonObject;
  target?: string;
}

/** An author's actor that runs now; `key` is the same for every execution of this one start. */
interface ActorState {
  id: string;
  key: string;
  stateId: string;
  /** What the machine sent it since this start, oldest first: one that is started again has forgotten all of it. */
  mail?: Letter[];
}

/** An event for an author's actor; `n` counts from 1 within one start. */
export interface Letter {
  n: number;
  event: JsonObject;
}

/** Author's actions of one committed step that are still to run: the step can be taken again to find them. */
export interface Act {
  id: string;
  /** The snapshot before; absent: the run's beginning. */
  before?: JsonObject;
  event: JsonObject;
}

export interface RunState {
  version: 1;
  runId: string;
  workflow: string;
  /** Of an ad-hoc call: its Machine is built from it. */
  call?: CallState;
  shape: string;
  status: 'active' | 'done' | 'error' | 'cancelled';
  /** W3C `traceparent` of the request that began the run (TW-GEN-015). */
  trace?: string;
  machine: JsonObject;
  value: JsonValue;
  output?: JsonValue;
  fault?: RunFault;
  /** Why it was cancelled, if that was said. */
  reason?: string;
  startedAt: number;
  endedAt?: number;
  turns: Turn[];
  conversations: Conversation[];
  gates: Gate[];
  deadlines: Deadline[];
  actors: ActorState[];
  acts: Act[];
  /** Grows with each deadline. */
  counter: number;
}

/** Ended runs stay loaded while the Harness has not been heard to be done with their turns, or an action is still to run. */
export const isLive = (state: RunState): boolean =>
  state.status === 'active' || state.turns.length > 0 || state.acts.length > 0;
