/** When the stream of each turn answered last, in this process. What is saved of it is coarser: not every parked poll is a commit. */
import type { HostClock } from '../host/clock.ts';

export class Activity {
  readonly #clock: Pick<HostClock, 'now'>;
  readonly #heardAt = new Map<string, number>();
  /** Nothing can have been heard before. */
  readonly since: number;

  constructor(clock: Pick<HostClock, 'now'>) {
    this.#clock = clock;
    this.since = clock.now();
  }

  heard(turnId: string): void {
    this.#heardAt.set(turnId, this.#clock.now());
  }

  /** Milliseconds since the epoch, if it answered this process. */
  of(turnId: string): number | undefined {
    return this.#heardAt.get(turnId);
  }

  /** Forgets all but these. */
  keep(turnIds: ReadonlySet<string>): void {
    for (const turnId of this.#heardAt.keys()) if (!turnIds.has(turnId)) this.#heardAt.delete(turnId);
  }
}
