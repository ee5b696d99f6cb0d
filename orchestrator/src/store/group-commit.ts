import { type Store, StoreError, type Writes } from './port.ts';

interface Waiting {
  writes: Writes;
  resolve: (seqs: number[]) => void;
  reject: (error: StoreError) => void;
}

/**
 * Steps that are queued in the same tick share one transaction, and so one wait for the disk. A commit that fails fails
 * each of them; whoever queued it reloads what it had.
 */
export class GroupCommit {
  readonly #store: Store;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  /** Transactions and steps so far. */
  commits = 0;
  steps = 0;

  constructor(
    store: Store,
    /** Of each step that is durable. */
    readonly committed: (writes: Writes) => void = () => {},
    /** The database is this process's no more. */
    readonly fenced: (reason: string) => void = () => {},
  ) {
    this.#store = store;
  }

  /** @returns the sequence numbers of its feed frames, once it is durable */
  commit(writes: Writes): Promise<number[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ writes, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits for the disk any more. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // After the other callbacks of this turn of the loop: their steps come along.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#flush(batch);
      if (this.#waiting.length > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.#running = undefined;
  }

  async #flush(batch: readonly Waiting[]): Promise<void> {
    try {
      const seqs = await this.#store.commit(batch.map(({ writes }) => writes));
      this.commits += 1;
      this.steps += batch.length;
      for (const [index, { resolve, writes }] of batch.entries()) {
        this.committed(writes);
        resolve(seqs[index] ?? []);
      }
    } catch (error) {
      const failed =
        error instanceof StoreError ? error : new StoreError('unavailable', String(error), { cause: error });
      for (const { reject } of batch) reject(failed);
      if (failed.kind === 'fenced') this.fenced(failed.message);
    }
  }
}
