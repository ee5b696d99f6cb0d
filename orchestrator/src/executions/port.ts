/** Executions as the API and the commands ask for them. Every answer speaks of committed state. */
import type { JsonValue } from '../run/json.ts';
import type { ExecutionStatus, ExecutionView, UsageContext } from '../run/views.ts';

export interface CallRequest {
  /** `node.agent` */
  target: string;
  input: JsonValue;
  timeoutSeconds?: number;
  usageContext?: UsageContext;
}

/** One execution, whole (TW-EXE-040). Times are RFC 3339 text. */
export interface ExecutionRecord extends ExecutionView {
  runId: string;
  target?: string;
  iid: string;
  turnId: string;
  placement: string;
  instanceId?: string;
  attempts?: number;
  input?: JsonValue;
  result?: JsonValue;
  timeoutSeconds?: number;
  usageContext?: UsageContext;
  replayOf?: string;
  startedAt: string;
  /** Every status that it had, in order (TW-EXE-041). */
  timeline: { status: ExecutionStatus; at: string }[];
}

export interface ExecutionFilter {
  status?: ExecutionStatus;
  target?: string;
  node?: string;
  agent?: string;
  runId?: string;
  usageContext?: UsageContext;
  /** 1–200, default 50. */
  limit?: number;
  cursor?: string;
}

export interface Started {
  executionId: string;
  replayed: boolean;
}

export interface Executions {
  /** Refuses `invalid`, `target_not_found`, `node_unavailable` (no record then), `idempotency_mismatch`, `stopping`. */
  start(request: CallRequest, key?: string, trace?: string): Promise<Started>;
  /** As soon as it has ended; after at most `waitMs`, or when `signal` fires, as it is then. */
  read(executionId: string, waitMs?: number, signal?: AbortSignal): Promise<ExecutionRecord | undefined>;
  /** Newest first. Refuses `bad_request` for a cursor that is none. */
  list(filter: ExecutionFilter): Promise<{ items: ExecutionRecord[]; nextCursor?: string }>;
  /** Refuses `unknown_execution`, `already_ended`. */
  cancel(executionId: string, reason?: string): Promise<void>;
  /** `reused`: answered from the record, nothing was started. Refuses what `start` does, and `unknown_execution`. */
  replay(executionId: string, reuse: boolean, key?: string, trace?: string): Promise<Started & { reused: boolean }>;
}
