/** The minimal record of one dispatched turn. There is no way out of a terminal status, and each gives exactly one event (TW-FED-007). */
import { type Draft, tell } from './draft.ts';
import type { ExecutionRow } from './rows.ts';
import type { Turn } from './state.ts';
import type { ExecutionStatus } from './views.ts';

export function startExecution(draft: Draft, turn: Turn): void {
  const row = rowOf(draft, turn, 'queued');
  draft.executions.set(row.executionId, row);
  tell(draft, 'execution.started', row.executionId, {
    ...dataOf(row),
    startedAt: new Date(row.startedAt).toISOString(),
  });
}

export interface ExecutionEnd {
  status: Extract<ExecutionStatus, 'succeeded' | 'failed' | 'cancelled' | 'timed_out'>;
  category?: string;
  reason?: string;
}

export function moveExecution(draft: Draft, turn: Turn, status: 'dispatching' | 'running'): void {
  if (turn.executionStatus === status) return;
  turn.executionStatus = status;
  const row = rowOf(draft, turn, status);
  draft.executions.set(row.executionId, row);
  tell(draft, `execution.${status}`, row.executionId, dataOf(row));
}

/** Ends it, unless it has ended: the first terminal status stands. */
export function endExecution(draft: Draft, turn: Turn, end: ExecutionEnd): void {
  if (turn.executionEnded) return;
  turn.executionEnded = true;
  turn.executionStatus = end.status;
  const row: ExecutionRow = { ...rowOf(draft, turn, end.status), endedAt: draft.env.now };
  if (end.category !== undefined) row.category = end.category;
  if (end.reason !== undefined) row.reason = end.reason;
  draft.executions.set(row.executionId, row);
  tell(draft, `execution.${end.status}`, row.executionId, { ...dataOf(row), reason: row.reason });
}

function rowOf(draft: Draft, turn: Turn, status: ExecutionStatus): ExecutionRow {
  return {
    executionId: turn.executionId,
    runId: draft.state.runId,
    agent: turn.agent,
    turnId: turn.turnId,
    iid: turn.iid,
    placement: turn.placement,
    status,
    startedAt: turn.openedAt,
  };
}

function dataOf(row: ExecutionRow) {
  const { executionId, runId, agent, turnId, iid, placement, status, category } = row;
  return { executionId, runId, agent, turnId, iid, placement, status, category };
}
