/**
 * What the API and the commands may ask of the run host. Nothing here knows of HTTP, of a process, of a file or of a
 * timer: a host on a distributed engine has the same face.
 *
 * Every answer speaks of committed state only (TW-DUR-001). Times are RFC 3339 text.
 */
import type { JsonObject, JsonValue } from '../run/json.ts';

export type { JsonObject, JsonValue } from '../run/json.ts';

/** One thing that is wrong with an input; `path` is a JSON pointer or dotted path, `''` for the whole. */
export interface InputProblem {
  path: string;
  message: string;
}

/** A tool as the model sees it; `input` is a JSON Schema. */
export interface MenuEntry {
  name: string;
  description?: string;
  input: JsonObject;
}

export type RunStatus = 'active' | 'done' | 'error' | 'cancelled' | 'drifted';
export type ExecutionStatus =
  | 'queued'
  | 'dispatching'
  | 'awaiting_restart'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'timed_out';

/** Why a run ended `error` (or stands `drifted`): the fault that nothing took. */
export interface RunFault {
  code: string;
  reason: string;
  event?: string;
  state?: string;
  agent?: string;
  iid?: string;
  path?: string;
}

export interface GateView {
  gate: string;
  /** The id of this visit: an answer sent to it never lands in the next visit. */
  gateId: string;
  accepts: MenuEntry[];
  meta?: JsonValue;
  since: string;
}

export interface ExecutionView {
  executionId: string;
  agent: string;
  status: ExecutionStatus;
  /** One of the closed set of failure categories, on `failed` and `timed_out`. */
  category?: string;
}

export interface RunView {
  runId: string;
  workflow: string;
  status: RunStatus;
  value: JsonValue;
  context: JsonValue;
  executions: ExecutionView[];
  gates: GateView[];
  output?: JsonValue;
  fault?: RunFault;
  startedAt: string;
  endedAt?: string;
}

/** What the walk found; `message` names workflow, state and remedy. */
export interface FindingView {
  code: string;
  state?: string;
  event?: string;
  message: string;
}

export interface WorkflowView {
  name: string;
  status: 'ready' | 'refused';
  inputSchema?: JsonObject;
  agents?: { name: string; menu: MenuEntry[] }[];
  definition?: JsonValue;
  findings?: FindingView[];
}

export interface SurfaceView {
  iid: string;
  turnId: string;
  runId: string;
  menu: MenuEntry[];
  allowed: string[];
  capabilities: { clientDeliveryIds: boolean };
}

export interface Receipt {
  status: 'delivered';
  deliveryId: string;
  event: string;
  moved: boolean;
  turnComplete: boolean;
  allowed: string[];
  answer?: JsonValue;
  answerError?: string;
  /** How the turn ended, when it was not by this pick: `left`, `cancelled`, `run_ended`, `fault`. */
  endedBy?: string;
}

export interface OutstandingView {
  status: 'outstanding';
  deliveryId: string;
  event: string;
}

export type DeliveryAnswer = { status: 200; receipt: Receipt } | { status: 202; outstanding: OutstandingView };

export interface PickBody {
  turnId: string;
  deliveryId?: string;
  event: string;
  input: JsonValue;
}

/** One frame of a run feed; `id` grows with every committed frame. `snapshot` comes first and is the whole state. */
export interface FeedEvent {
  id: string;
  type: string;
  at: string;
  runId?: string;
  data: JsonObject;
}

/** The closed set of refusals; the API maps each onto its problem. */
export type RefusalCode =
  | 'turn_over'
  | 'wrong_placement'
  | 'run_unavailable'
  | 'stopping'
  | 'pick_outstanding'
  | 'delivery_mismatch'
  | 'refused'
  | 'unknown_delivery'
  | 'unknown_workflow'
  | 'unknown_run'
  | 'workflow_refused'
  | 'invalid'
  | 'idempotency_mismatch'
  | 'gate_closed'
  | 'already_ended'
  | 'store_unavailable';

/** The host says no. `members` are further members of the problem body (`problems`, `allowed`, `gates`, `accepts`, …). */
export class HostRefusal extends Error {
  override readonly name = 'HostRefusal';
  constructor(
    readonly code: RefusalCode,
    readonly detail: string,
    readonly members: Readonly<Record<string, JsonValue>> = {},
  ) {
    super(`${code}: ${detail}`);
  }
}

export interface RunFilter {
  workflow?: string;
  status?: RunStatus;
  /** 1–200, default 50. */
  limit?: number;
  cursor?: string;
}

/** Plain numbers for /metrics; names without the `turnwire_` prefix. */
export interface HostCounters {
  [name: string]: number;
}

export interface RunHost {
  workflows(): WorkflowView[];
  /** A refused workflow too, with its findings. */
  workflow(name: string): WorkflowView | undefined;
  /** Refuses `unknown_workflow`, `workflow_refused`, `invalid`, `idempotency_mismatch`, `stopping`. */
  start(workflow: string, input: JsonValue, key?: string): Promise<{ runId: string; replayed: boolean }>;
  /** Newest first. */
  runs(filter: RunFilter): { items: RunView[]; nextCursor?: string };
  run(runId: string): RunView | undefined;
  /** `gate` is the name or the `gateId` of one visit. Refuses `unknown_run`, `gate_closed`, `refused`, `idempotency_mismatch`, … */
  answerGate(runId: string, gate: string, event: string, input: JsonValue, key?: string): Promise<{ moved: boolean; replayed: boolean }>;
  /** Refuses `unknown_run`, `already_ended`. */
  cancel(runId: string, reason?: string): Promise<void>;
  /** `placement` comes from the verified token. Refuses `turn_over`, `wrong_placement`, `run_unavailable`, `stopping`. */
  surface(placement: string, iid: string): SurfaceView;
  /** Answered after the commit; the body is already checked against the spec's schema. */
  pick(placement: string, iid: string, body: PickBody): Promise<DeliveryAnswer>;
  /** Parks at most `waitMs` (0–25000); ends early, with what is known, when `signal` fires; refuses `stopping` when the host stops. */
  delivery(placement: string, iid: string, deliveryId: string, waitMs: number, signal?: AbortSignal): Promise<DeliveryAnswer>;
  /** Committed frames; the first is `snapshot`. One run's feed ends after its terminal status. Throws `unknown_run`. */
  feed(runId: string | undefined, signal: AbortSignal): AsyncIterable<FeedEvent>;
  counters(): HostCounters;
  /** New work is refused `stopping`, parked polls are answered so, what is being committed is committed. Turns stay alive on their Harness. */
  stop(): Promise<void>;
}
