import type { CallOptions, Connection } from './client.ts';
import type { Certainty } from './table.ts';
import type {
  Aborted,
  Admission,
  AdmitBody,
  FeedEvent,
  HarnessInfo,
  History,
  JsonValue,
  OrchestratorInfo,
  Outstanding,
  Page,
  Receipt,
  RunView,
  Settlement,
  StreamRecord,
  Surface,
  WorkflowView,
} from './wire.ts';

// Signatures first; each seat moves into a file of its own.

export interface AdmitInput {
  name: string;
  iid: string;
  /** A value, or the exact JSON text that is to be sent byte for byte. */
  body: AdmitBody | string;
  key: string;
  /** The store that the first copy was meant for, if one is known. */
  expectStore?: string;
  /** An earlier copy under this key may have arrived. */
  inDoubt?: boolean;
  /** The Harness's capability; false when it is not known. */
  idempotentAdmissions?: boolean;
}

export interface Admitted {
  admission: Admission;
  /** `Turnwire-Store` of the answer. */
  store: string | undefined;
  /** The key was known: the Submission is an earlier copy's. */
  replayed: boolean;
  attempts: number;
  elapsedMs: number;
}

export interface Wait extends AsyncIterable<StreamRecord> {
  /** Everything before it was yielded; resume here. */
  readonly offset: string;
  /** Follows the stream to its end. Use it instead of iterating, or after. */
  settlement(): Promise<Settlement>;
}

export type SurfaceRead =
  | { status: 'ok'; surface: Surface; etag: string | undefined; attempts: number }
  | { status: 'unchanged'; attempts: number };

export interface DeliverInput {
  iid: string;
  turnId: string;
  event: string;
  input: JsonValue;
  deliveryId?: string;
  /** The capability that the surface told. */
  clientDeliveryIds?: boolean;
  /** Called once when the pick is known to be outstanding, and awaited before the first poll. */
  onOutstanding?: (deliveryId: string) => void | Promise<void>;
  /** `poll`: it is known taken, never send it again; `lookup`: a copy may have arrived, look it up first. */
  resume?: 'poll' | 'lookup';
}

export type OutcomeCode =
  | 'never_reached'
  | 'unknown_turn_ended'
  | 'unknown'
  | 'taken_turn_ended'
  | 'taken_answer_lost'
  | 'moved'
  | 'turn_complete'
  | 'not_moved'
  | 'refused'
  | 'outstanding_conflict'
  | 'stopping'
  | 'rejected'
  | 'turn_over'
  | 'forbidden';

export interface Delivered {
  code: OutcomeCode;
  kind: 'answer' | 'error';
  text: string;
  certainty: Certainty;
  taken: boolean | 'unknown';
  deliveryId?: string;
  receipt?: Receipt;
  allowed?: string[];
  turnComplete: boolean;
  /** Copies of the pick that were sent. */
  attempts: number;
  elapsedMs: number;
}

const later = (): never => {
  throw new Error('signature only');
};

export function admit(_connection: Connection, _input: AdmitInput, _call?: CallOptions): Promise<Admitted> {
  return later();
}
export function wait(_connection: Connection, _at: { streamUrl: string; offset: string }, _call?: CallOptions): Wait {
  return later();
}
export function history(
  _connection: Connection,
  _of: { name: string; iid: string },
  _call?: CallOptions,
): Promise<History> {
  return later();
}
export function abort(
  _connection: Connection,
  _of: { name: string; iid: string; submissionId?: string; turnId?: string; fencedAbort?: boolean },
  _call?: CallOptions,
): Promise<Aborted> {
  return later();
}
export function harnessInfo(_connection: Connection, _call?: CallOptions): Promise<HarnessInfo> {
  return later();
}
export function orchestratorInfo(_connection: Connection, _call?: CallOptions): Promise<OrchestratorInfo> {
  return later();
}
export function surface(
  _connection: Connection,
  _of: { iid: string; etag?: string; step?: boolean },
  _call?: CallOptions,
): Promise<SurfaceRead> {
  return later();
}
export function deliver(_connection: Connection, _input: DeliverInput, _call?: CallOptions): Promise<Delivered> {
  return later();
}
export function poll(
  _connection: Connection,
  _of: { iid: string; deliveryId: string; waitSeconds?: number },
  _call?: CallOptions,
): Promise<{ status: 'delivered'; receipt: Receipt } | Outstanding> {
  return later();
}
export function listWorkflows(_connection: Connection, _call?: CallOptions): Promise<Page<WorkflowView>> {
  return later();
}
export function getWorkflow(
  _connection: Connection,
  _of: { name: string },
  _call?: CallOptions,
): Promise<WorkflowView> {
  return later();
}
export function startRun(
  _connection: Connection,
  _of: { workflow: string; input: JsonValue; key?: string },
  _call?: CallOptions,
): Promise<{ runId: string; replayed: boolean }> {
  return later();
}
export function listRuns(
  _connection: Connection,
  _filter?: { workflow?: string; status?: string; limit?: number; cursor?: string },
  _call?: CallOptions,
): Promise<Page<RunView>> {
  return later();
}
export function getRun(_connection: Connection, _of: { runId: string }, _call?: CallOptions): Promise<RunView> {
  return later();
}
export function answerGate(
  _connection: Connection,
  _of: { runId: string; gate: string; event: string; input: JsonValue; key?: string },
  _call?: CallOptions,
): Promise<{ ok: true; moved: boolean; replayed: boolean }> {
  return later();
}
export function cancelRun(
  _connection: Connection,
  _of: { runId: string; reason?: string },
  _call?: CallOptions,
): Promise<void> {
  return later();
}
export function runEvents(
  _connection: Connection,
  _of?: { runId?: string },
  _call?: CallOptions,
): AsyncIterable<FeedEvent> {
  return later();
}
/** `GET /healthz`: resolves when the process serves. */
export function health(_connection: Connection, _call?: CallOptions): Promise<void> {
  return later();
}
/** `GET /readyz`: resolves when it takes work. */
export function readiness(_connection: Connection, _call?: CallOptions): Promise<void> {
  return later();
}
/** `GET /metrics` in Prometheus text. */
export function metrics(_connection: Connection, _call?: CallOptions): Promise<string> {
  return later();
}
/** Renders an outcome text from the spec's template (TW-OUT-001). */
export function render(_template: string, _values: Record<string, unknown>): string {
  return later();
}
