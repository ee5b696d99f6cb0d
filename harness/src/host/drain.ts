/** The end of a Harness: what runs finishes, what only waits stays on disk, readers find their end (TW-DRN-001 ff.). */
import { setTimeout as sleep } from 'node:timers/promises';
import { FORCED_END_MS } from '../limits.ts';
import type { Harness } from './harness.ts';

export interface DrainOptions {
  readonly timeoutMs: number;
  /** After the last settlement, readers between two polls still find their end. */
  readonly lingerMs: number;
  /** Milliseconds since the epoch of the last settlement of this process; undefined when there was none. */
  readonly lastSettledAt: () => number | undefined;
}

/** Drains. Resolves when nothing is left to wait for, parked reads ended included. */
export async function drain(harness: Harness, options: DrainOptions): Promise<void> {
  harness.draining.abort();
  harness.turns.suspendWaiting();
  if (!(await finished(harness, options.timeoutMs))) {
    abortAll(harness);
    await finished(harness, FORCED_END_MS + 1_000);
  }
  const settledAt = options.lastSettledAt();
  if (settledAt !== undefined) await sleep(Math.max(0, settledAt + options.lingerMs - harness.options.clock.now()));
  harness.closing.abort();
}

/** At once: every turn is settled `aborted` without being waited for, and what was written is on disk (TW-DRN-005). */
export async function abandon(harness: Harness): Promise<void> {
  harness.draining.abort();
  abortAll(harness);
  harness.turns.endAll();
  await harness.journal.settled();
}

/** Everything that is at work or waits for its turn; what is suspended stays on disk. */
function abortAll(harness: Harness): void {
  const at = harness.options.clock.now();
  for (const conversation of [...harness.conversations.loaded]) {
    const [head] = conversation.state.live;
    const atWork = harness.turns.conversations.includes(conversation) || head?.state === 'queued';
    if (head && atWork) conversation.apply({ type: 'abort', at });
  }
}

/** Whether all work was done in time. What an admission of the last moment owes is work as well. */
async function finished(harness: Harness, timeoutMs: number): Promise<boolean> {
  const late = new AbortController();
  const deadline = sleep(timeoutMs, false, { signal: late.signal }).catch(() => false);
  const done = (async () => {
    do {
      await harness.journal.settled();
      await harness.turns.idle();
    } while (harness.journal.busy);
    return true;
  })();
  const inTime = await Promise.race([done, deadline]);
  late.abort();
  return inTime;
}
