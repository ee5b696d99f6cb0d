/** An execution as readers see it, from its row. */
import type { ExecutionRow, StatusChange } from '../run/rows.ts';
import { timeText } from '../run/view.ts';
import type { ExecutionStatus } from '../run/views.ts';
import type { ExecutionRecord } from './port.ts';

const TERMINAL: readonly ExecutionStatus[] = ['succeeded', 'failed', 'cancelled', 'timed_out'];

export const hasEnded = ({ status }: { status: ExecutionStatus }): boolean => TERMINAL.includes(status);

/** Under what who waits for its end is parked. */
export const parkedAs = (executionId: string): string => `execution ${executionId}`;

export function recordOf(row: ExecutionRow): ExecutionRecord {
  const { startedAt, endedAt, timeline, ...same } = row;
  return {
    ...same,
    startedAt: timeText(startedAt),
    ...(endedAt === undefined ? {} : { endedAt: timeText(endedAt), durationMs: endedAt - startedAt }),
    timeline: (timeline ?? before(row)).map(({ status, at }) => ({ status, at: timeText(at) })),
  };
}

/** What an older version kept of it: how it began and how it ended. */
function before({ status, startedAt, endedAt }: ExecutionRow): StatusChange[] {
  const queued = { status: 'queued', at: startedAt } as const;
  if (endedAt !== undefined) return [queued, { status, at: endedAt }];
  return status === 'queued' ? [queued] : [queued, { status, at: startedAt }];
}
