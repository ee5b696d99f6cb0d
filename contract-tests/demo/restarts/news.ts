/** What the Orchestrator's feed told, with the time at which it came. */
import { type FeedFrame, follow, type Peer } from '../wire.ts';

export class News {
  readonly frames: FeedFrame[] = [];
  readonly #ended = new AbortController();
  readonly #waiting = new Set<() => void>();

  constructor(peer: Peer) {
    void follow(peer, (frame) => this.#take(frame), this.#ended.signal);
  }

  /** How many frames of a type told of an execution, or of all. */
  count(type: string, executionId?: string): number {
    return this.of(type).filter(({ data }) => executionId === undefined || data.executionId === executionId).length;
  }

  of(type: string): FeedFrame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  /** Waits for a frame from now on, or one that came. */
  until(matches: (frame: FeedFrame) => boolean): Promise<FeedFrame> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.frames.find(matches);
        if (!found) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  close(): void {
    this.#ended.abort();
  }

  #take(frame: FeedFrame): void {
    this.frames.push(frame);
    for (const wake of this.#waiting) wake();
  }
}
