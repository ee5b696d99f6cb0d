/** Group commit over all logs: what is appended while one sync runs shares the next (TW-ADM-017, TW-DUR-009). */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LogRecord } from '../conversation/state.ts';
import { MAX_OPEN_LOGS } from '../limits.ts';
import type { LogFile } from './log-file.ts';

interface Waiting {
  readonly resolve: () => void;
}

export class Journal {
  readonly #dirty = new Map<LogFile, Waiting[]>();
  /** Logs whose file is open, the one used longest ago first. */
  readonly #open = new Set<LogFile>();
  #running: Promise<void> | undefined;
  #failed = false;

  /** @param fail ends the process: what could not be written must never be acknowledged */
  constructor(readonly fail: (error: unknown) => void) {}

  /** Resolves when the records are on disk and readers may see them. Never rejects, and never resolves after a failure. */
  append(log: LogFile, records: readonly LogRecord[]): Promise<void> {
    log.append(records);
    const committed = new Promise<void>((resolve) => {
      const waiting = this.#dirty.get(log);
      if (waiting) waiting.push({ resolve });
      else this.#dirty.set(log, [{ resolve }]);
    });
    this.#running ??= this.#run();
    return committed;
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when nothing is left to write. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // What the same tick appends joins the first write.
    await Promise.resolve();
    try {
      while (this.#dirty.size > 0 && !this.#failed) await this.#commit();
    } catch (error) {
      this.#failed = true;
      this.fail(error);
    } finally {
      this.#running = undefined;
    }
  }

  async #commit(): Promise<void> {
    const batch = [...this.#dirty].slice(0, MAX_OPEN_LOGS);
    for (const [log] of batch) this.#dirty.delete(log);
    const written = batch.map(([log]) => log.write());
    // A new file is on disk only when its name is, too.
    const folders = new Set(batch.filter((_, at) => written[at]?.created).map(([log]) => dirname(log.path)));
    await Promise.all(batch.map(([log]) => log.sync()));
    for (const folder of folders) syncFolder(folder);
    for (const { commit } of written) commit();
    for (const [, waiting] of batch) for (const { resolve } of waiting) resolve();
    this.#closeOldest(batch.map(([log]) => log));
  }

  #closeOldest(used: readonly LogFile[]): void {
    for (const log of used) {
      this.#open.delete(log);
      this.#open.add(log);
    }
    for (const log of this.#open) {
      if (this.#open.size <= MAX_OPEN_LOGS) return;
      log.close();
      this.#open.delete(log);
    }
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
