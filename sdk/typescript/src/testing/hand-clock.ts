import type { Clock } from '../clock.ts';

/** A clock that sleeps at once and remembers how long: virtual time. For tests only. */
export interface HandClock extends Clock {
  readonly slept: number[];
  /** Runs before each sleep ends, with the count of sleeps so far. */
  onSleep: (count: number) => void | Promise<void>;
}

export function handClock(onSleep: HandClock['onSleep'] = () => {}): HandClock {
  let now = 1_000_000;
  const clock: HandClock = {
    slept: [],
    onSleep,
    now: () => now,
    async sleep(ms) {
      now += ms;
      clock.slept.push(ms);
      await clock.onSleep(clock.slept.length);
    },
  };
  return clock;
}
