/**
 * Group commit: what is appended to a log while one sync of it runs shares the next (TW-ADM-017, TW-DUR-009). Logs do not
 * wait for each other.
 */
import { closeSync, fsync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { LogRecord } from '../conversation/state.ts';
import { MAX_OPEN_LOGS } from '../limits.ts';
import type { LogFile } from './log-file.ts';

const sync = promisify(fsync);

export class Journal {
  /** Who waits for what is not being written yet, by log; the logs in the order in which they came. */
  readonly #waiting = new Map<LogFile, (() => void)[]>();
  readonly #writing = new Set<LogFile>();
  /** Logs whose file is open, the one used longest ago first. */
  readonly #open = new Set<LogFile>();
  readonly #folders = new Map<string, FolderSync>();
  #idle: (() => void)[] = [];
  #failed = false;

  /**
   * @param fail ends the process: what could not be written must never be acknowledged
   * @param verify throws when the folder of the logs is no longer where it was
   */
  constructor(
    readonly fail: (error: unknown) => void,
    readonly verify: () => void = () => undefined,
  ) {}

  /** Resolves when the records are on disk and readers may see them. Never rejects, and never resolves after a failure. */
  append(log: LogFile, records: readonly LogRecord[]): Promise<void> {
    log.append(records);
    return new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(log);
      if (waiting) waiting.push(resolve);
      else this.#waiting.set(log, [resolve]);
      this.#begin(log);
    });
  }

  get busy(): boolean {
    return this.#writing.size > 0;
  }

  /** Resolves when nothing is left to write. */
  async settled(): Promise<void> {
    while (this.busy) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** File descriptors are few: the rest waits until a log has nothing more to write. */
  #begin(log: LogFile): void {
    if (this.#failed || this.#writing.has(log) || this.#writing.size >= MAX_OPEN_LOGS) return;
    this.#writing.add(log);
    void this.#run(log);
  }

  async #run(log: LogFile): Promise<void> {
    // What the same tick appends joins the first write.
    await Promise.resolve();
    try {
      for (let waiting = this.#take(log); waiting && !this.#failed; waiting = this.#take(log)) {
        await this.#commit(log, waiting);
      }
    } catch (error) {
      if (!this.#failed) {
        this.#failed = true;
        this.fail(error);
      }
    }
    this.#over(log);
  }

  #take(log: LogFile): (() => void)[] | undefined {
    const waiting = this.#waiting.get(log);
    this.#waiting.delete(log);
    return waiting;
  }

  async #commit(log: LogFile, waiting: readonly (() => void)[]): Promise<void> {
    // Before a file may be made in a folder that is another's by now, and before anybody is told that it is safe.
    this.verify();
    const { created, commit } = log.write();
    await log.sync();
    // A new file is on disk only when its name is, too.
    if (created) await this.#folder(dirname(log.path)).sync();
    this.verify();
    if (this.#failed) return;
    commit();
    for (const resolve of waiting) resolve();
  }

  #over(log: LogFile): void {
    this.#writing.delete(log);
    this.#closeOldest(log);
    const [next] = this.#waiting.keys();
    if (next) this.#begin(next);
    if (this.busy) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }

  #closeOldest(used: LogFile): void {
    this.#open.delete(used);
    this.#open.add(used);
    for (const log of this.#open) {
      if (this.#open.size <= MAX_OPEN_LOGS) return;
      if (this.#writing.has(log)) continue;
      log.close();
      this.#open.delete(log);
    }
  }

  #folder(path: string): FolderSync {
    const known = this.#folders.get(path) ?? new FolderSync(path);
    this.#folders.set(path, known);
    return known;
  }
}

/** Syncs of one folder: those who come while one runs share the next. */
class FolderSync {
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(readonly path: string) {}

  sync(): Promise<void> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<void> {
    const running = this.#once().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #once(): Promise<void> {
    const descriptor = openSync(this.path, 'r');
    try {
      await sync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
