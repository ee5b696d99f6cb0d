/** The record of one dispatched turn. There is no way out of a terminal status, and each gives exactly one event (TW-FED-007). */
import { type Draft, tell } from './draft.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { ExecutionRow } from './rows.ts';
import type { CallState, Turn } from './state.ts';
import type { ExecutionStatus } from './views.ts';

export function startExecution(draft: Draft, turn: Turn): void {
  turn.timeline = [{ status: 'queued', at: draft.env.now }];
  const row = rowOf(draft, turn);
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

export function moveExecution(
  draft: Draft,
  turn: Turn,
  status: 'dispatching' | 'awaiting_restart' | 'running',
  reason?: string,
): void {
  if (turn.executionEnded || turn.executionStatus === status) return;
  enter(draft, turn, status);
  const row = rowOf(draft, turn);
  draft.executions.set(row.executionId, row);
  tell(draft, `execution.${status}`, row.executionId, { ...dataOf(row), reason });
}

/** Ends it, unless it has ended: the first terminal status stands. A turn that waited for somebody to send it to has no record. */
export function endExecution(draft: Draft, turn: Turn, end: ExecutionEnd): void {
  if (turn.executionEnded) return;
  turn.executionEnded = true;
  delete turn.wait;
  if (turn.parkedUntil !== undefined) return;
  enter(draft, turn, end.status);
  const row: ExecutionRow = { ...rowOf(draft, turn), endedAt: draft.env.now };
  if (end.category !== undefined) row.category = end.category;
  if (end.reason !== undefined) row.reason = end.reason;
  if (end.status === 'succeeded' && draft.state.call) row.result = resultOf(draft);
  draft.executions.set(row.executionId, row);
  tell(draft, `execution.${end.status}`, row.executionId, { ...dataOf(row), reason: row.reason });
}

/** What the built-in Machine keeps of its one pick. */
function resultOf({ state }: Draft): JsonValue {
  return (state.machine.context as JsonObject | undefined)?.result ?? null;
}

/** One more copy of its prompt was sent, or a dial for it came to nothing. */
export function countAttempt(turn: Turn): void {
  turn.attempts = (turn.attempts ?? 0) + 1;
}

function enter(draft: Draft, turn: Turn, status: ExecutionStatus): void {
  turn.timeline = [...timelineOf(turn), { status, at: draft.env.now }];
  turn.executionStatus = status;
}

/** Of a turn that an older version saved, what is known by now. */
const timelineOf = ({ timeline, executionStatus, openedAt }: Turn) =>
  timeline ?? [{ status: executionStatus, at: openedAt }];

function rowOf(draft: Draft, turn: Turn): ExecutionRow {
  const { call } = draft.state;
  const timeline = timelineOf(turn);
  const { instanceId } = turn.admission ?? {};
  return {
    executionId: turn.executionId,
    runId: draft.state.runId,
    agent: call?.agent ?? turn.agent,
    turnId: turn.turnId,
    iid: turn.iid,
    placement: turn.placement,
    status: turn.executionStatus,
    ...(call === undefined ? {} : asked(call)),
    ...(instanceId === undefined ? {} : { instanceId }),
    ...(turn.attempts === undefined ? {} : { attempts: turn.attempts }),
    timeline,
    startedAt: timeline[0]?.at ?? turn.openedAt,
  };
}

function asked({ node, agent, input, timeoutMs, usageContext, replayOf }: CallState): Partial<ExecutionRow> {
  return {
    target: `${node}.${agent}`,
    input,
    ...(timeoutMs === undefined ? {} : { timeoutSeconds: timeoutMs / 1_000 }),
    ...(usageContext === undefined ? {} : { usageContext }),
    ...(replayOf === undefined ? {} : { replayOf }),
  };
}

function dataOf(row: ExecutionRow) {
  const { executionId, runId, agent, target, turnId, iid, placement, status, category, usageContext, replayOf } = row;
  return { executionId, runId, agent, target, turnId, iid, placement, status, category, usageContext, replayOf };
}
