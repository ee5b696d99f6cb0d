/** Time as the host sees it: milliseconds since the epoch, because deadlines outlive the process. */
export interface HostClock {
  now(): number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A timer of the platform holds 24.8 days; a deadline may be a year away. */
const LONGEST_SLEEP_MS = 24 * 60 * 60 * 1_000;

/** Resolves when it is `at` by that clock, or at once when `signal` aborts. */
export async function sleepUntil(clock: HostClock, at: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const left = at - clock.now();
    if (left <= 0) return;
    await clock.sleep(Math.min(left, LONGEST_SLEEP_MS), signal);
  }
}
