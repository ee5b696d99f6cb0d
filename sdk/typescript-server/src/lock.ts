import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { StartError } from './lifecycle.ts';

export interface FolderLock {
  release(): void;
}

export interface HoldOptions {
  /** How long a successor waits for the process before it, in milliseconds. */
  readonly waitMs: number;
  /** Called once when it has to wait. */
  readonly onWaiting?: () => void;
  readonly signal?: AbortSignal;
}

const RETRY_MS = 50;

/** A database that nobody refers to is closed when it is collected, and its lock with it: held ones are referred to here. */
const held = new Set<Database.Database>();

/**
 * Holds a folder for the life of this process. The lock is the operating system's own, on `lock` in that folder, taken
 * through SQLite: it is gone the moment the process is, however it died, and no stale file can keep a successor out.
 * @throws StartError when the folder cannot be written, or another process still holds it after `waitMs`
 */
export async function holdFolder(folder: string, options: HoldOptions): Promise<FolderLock> {
  const file = join(folder, 'lock');
  prepare(folder, file);
  const until = Date.now() + options.waitMs;
  for (let waited = false; ; waited = true) {
    const lock = tryLock(file);
    if (lock) return lock;
    if (!waited) options.onWaiting?.();
    if (options.signal?.aborted || Date.now() >= until) {
      throw new StartError(
        `${folder} is in use by another process; stop that one, or give this one a folder of its own`,
      );
    }
    await sleep(RETRY_MS);
  }
}

function prepare(folder: string, file: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new StartError(`${folder} cannot be written (${reason}); make it a folder that this user may write`);
  }
}

function tryLock(file: string): FolderLock | undefined {
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    held.add(database);
    return {
      release: () => {
        held.delete(database);
        database.close();
      },
    };
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined;
    throw new StartError(`${file} cannot be locked (${(error as Error).message}); remove it and start again`);
  }
}
