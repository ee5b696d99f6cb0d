/**
 * What the API and the commands may ask of the run host. Nothing here knows of HTTP, of a process, of a file or of a
 * timer: a host on a distributed engine has the same face.
 *
 * Every answer speaks of committed state only (TW-DUR-011, TW-RUN-006).
 */
import type { Executions } from '../executions/port.ts';
import type { Nodes } from '../nodes/port.ts';
import type { JsonValue } from '../run/json.ts';
import type {
  DeliveryAnswer,
  FeedEvent,
  PickBody,
  RunStatus,
  RunView,
  SurfaceView,
  WorkflowView,
} from '../run/views.ts';

export type * from '../executions/port.ts';
export type { JsonObject, JsonValue } from '../run/json.ts';
export { HostRefusal, type RefusalCode } from '../run/refusal.ts';
export type * from '../run/views.ts';

export interface RunFilter {
  workflow?: string;
  status?: RunStatus;
  /** 1–200, default 50. */
  limit?: number;
  cursor?: string;
}

/** Plain numbers for /metrics; names without the `turnwire_` prefix, and with labels as in `runs_ended_total{status="done"}`. */
export interface HostCounters {
  [name: string]: number;
}

export interface RunHost {
  readonly nodes: Nodes;
  workflows(): WorkflowView[];
  /** A refused workflow too, with its findings. */
  workflow(name: string): WorkflowView | undefined;
  /** `trace`: W3C `traceparent`, passed on with what is sent for this run. Refuses `unknown_workflow`, `workflow_refused`, `invalid`, `idempotency_mismatch`, `stopping`. */
  start(
    workflow: string,
    input: JsonValue,
    key?: string,
    trace?: string,
  ): Promise<{ runId: string; replayed: boolean }>;
  /** Newest first. Refuses `bad_request` for a cursor that is none. */
  runs(filter: RunFilter): Promise<{ items: RunView[]; nextCursor?: string }>;
  run(runId: string): Promise<RunView | undefined>;
  /** `gate` is the name or the `gateId` of one visit. Refuses `unknown_run`, `gate_closed`, `refused`, `idempotency_mismatch`, … */
  answerGate(
    runId: string,
    gate: string,
    event: string,
    input: JsonValue,
    key?: string,
  ): Promise<{ moved: boolean; replayed: boolean }>;
  /** Refuses `unknown_run`, `already_ended`. */
  cancel(runId: string, reason?: string): Promise<void>;
  /** `placement` comes from the verified token. Refuses `turn_over`, `wrong_placement`, `run_unavailable`, `stopping`. */
  surface(placement: string, iid: string): Promise<SurfaceView>;
  /** Refuses `stopping` and `run_unavailable` for the run of this conversation: what comes before the body (TW-PIC-011). */
  available(iid: string): Promise<void>;
  /** Answered after the commit; the body is already checked against the spec's schema. */
  pick(placement: string, iid: string, body: PickBody): Promise<DeliveryAnswer>;
  /** Parks at most `waitMs` (as long as the wire lets a poll wait); ends early, with what is known, when `signal` fires; refuses `stopping` when the host stops. */
  delivery(
    placement: string,
    iid: string,
    deliveryId: string,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<DeliveryAnswer>;
  /** Committed frames; the first is `snapshot`. One run's feed ends after its terminal status. Throws `unknown_run`. */
  feed(runId: string | undefined, signal: AbortSignal): AsyncIterable<FeedEvent>;
  readonly executions: Executions;
  counters(): HostCounters;
  /** New work is refused `stopping`, parked polls are answered so, what is being committed is committed. Turns stay alive on their Harness. */
  stop(): Promise<void>;
}
