/** What readers see of runs, turns and deliveries: committed state, in the words of the wire. Times are RFC 3339 text. */
import type { JsonObject, JsonValue } from './json.ts';

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
/** Whose traffic a call is: a development loop is told from real use. */
export type UsageContext = 'dev' | 'ci' | 'production';
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
  /** For people: what happened. */
  reason?: string;
  startedAt?: string;
  endedAt?: string;
  durationMs?: number;
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
  /** Why it was cancelled, if that was said. */
  reason?: string;
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
