/** Committed frames to whoever reads along: first the whole state, then each frame in the order of the commits (TW-FED-003). */
import { FEED_PAGE } from '../limits.ts';
import type { JsonObject } from '../run/json.ts';
import type { FeedRow } from '../run/rows.ts';
import { timeText } from '../run/view.ts';
import type { FeedEvent } from '../run/views.ts';
import type { Store } from '../store/port.ts';
import type { HostClock } from './clock.ts';
import { Parked } from './parked.ts';

const EVERYBODY = 'all';
const ended = new Set(['done', 'error', 'cancelled']);

export class FeedHub {
  readonly #store: Store;
  readonly #clock: HostClock;
  readonly #readers = new Parked();
  #closed = false;

  constructor(store: Store, clock: HostClock) {
    this.#store = store;
    this.#clock = clock;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Something was committed. */
  wake(): void {
    this.#readers.wake(EVERYBODY);
  }

  close(): void {
    this.#closed = true;
    this.wake();
  }

  /**
   * @param snapshot read after the position is taken: a frame may repeat what it shows, none is missed
   * @param over whether the run that is asked about has nothing more to tell
   */
  async *read(
    runId: string | undefined,
    signal: AbortSignal,
    snapshot: () => Promise<{ data: JsonObject; over: boolean }>,
  ): AsyncGenerator<FeedEvent> {
    let seq = await this.#store.lastSeq();
    const { data, over } = await snapshot();
    const whose = runId === undefined ? {} : { runId };
    yield { id: String(seq), type: 'snapshot', at: timeText(this.#clock.now()), ...whose, data };
    if (over) return;
    while (!signal.aborted && !this.#closed) {
      const parked = this.#readers.park(EVERYBODY);
      try {
        const rows = await this.#store.feed(seq, runId, FEED_PAGE);
        for (const row of rows) {
          yield frameOf(row);
          seq = row.seq;
          if (runId !== undefined && isLast(row)) return;
        }
        if (rows.length === 0) await until(parked.woken, signal);
      } finally {
        parked.end();
      }
    }
  }
}

/** TW-FED-005. */
const isLast = (row: FeedRow): boolean => row.type === 'run.status' && ended.has(String(row.data.status));

function frameOf({ seq, type, at, runId, data }: FeedRow): FeedEvent {
  return { id: String(seq), type, at: timeText(at), ...(runId === undefined ? {} : { runId }), data };
}

function until(woken: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
    void woken.then(end);
  });
}
