/** How many executions began and how each ended: what the records say at the start, and every commit since. */
import type { ExecutionRow, Writes } from '../run/rows.ts';
import type { ExecutionStatus } from '../run/views.ts';
import { hasEnded } from './record.ts';

type Ended = Extract<ExecutionStatus, 'succeeded' | 'failed' | 'cancelled' | 'timed_out'>;

export class ExecutionCounts {
  #started = 0;
  readonly #ended: Record<Ended, number> = { succeeded: 0, failed: 0, cancelled: 0, timed_out: 0 };

  /** TW-EXE-039: a restart neither forgets what began before it nor counts it twice. */
  begin(counts: Partial<Record<ExecutionRow['status'], number>>): void {
    for (const [status, count] of Object.entries(counts) as [ExecutionStatus, number][]) {
      this.#started += count;
      if (hasEnded({ status })) this.#ended[status as Ended] += count;
    }
  }

  /** The frames of a commit: each status that a record was given is one. */
  committed(feed: NonNullable<Writes['feed']>): void {
    for (const { type } of feed) {
      if (type === 'execution.started') this.#started += 1;
      const status = type.slice('execution.'.length) as Ended;
      if (type.startsWith('execution.') && status in this.#ended) this.#ended[status] += 1;
    }
  }

  all(): Record<string, number> {
    const { succeeded, failed, cancelled, timed_out } = this.#ended;
    return {
      executions_started_total: this.#started,
      executions_succeeded_total: succeeded,
      executions_failed_total: failed,
      executions_cancelled_total: cancelled,
      executions_timed_out_total: timed_out,
      executions_live: this.#started - succeeded - failed - cancelled - timed_out,
    };
  }
}
