/** Opening the database: held by one process, migrated, or refused with one clear line. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { holdFolder, StartError } from '@turnwire/server';
import Database from 'better-sqlite3';
import { BUSY_TIMEOUT_MS, CACHE_KIB, CHECKPOINT_PAGES } from '../limits.ts';
import { MemoryStore } from './memory.ts';
import { migrations } from './migrations.ts';
import type { Store, StoreOptions } from './port.ts';
import { SqliteStore } from './sqlite.ts';

export interface OpenOptions extends StoreOptions {
  /** How long a successor waits for the process before it, in milliseconds (TW-DUR-008). */
  waitMs: number;
  /** Called once when it has to wait. */
  onWaiting?: () => void;
  signal?: AbortSignal;
}

/**
 * @param url `file:path` or `file:///path` of a SQLite database, or `memory:`
 * @throws StartError with what is wrong and what to do; the file is as it was then
 */
export async function openStore(url: string, options: OpenOptions): Promise<Store> {
  if (url === 'memory:') return new MemoryStore(options);
  const file = fileOf(url);
  const held = await holdDatabase(file, options);
  try {
    return new SqliteStore(openDatabase(file), () => held.release(), options);
  } catch (error) {
    held.release();
    if (error instanceof StartError) throw error;
    throw unreadable(file, error);
  }
}

function fileOf(url: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url);
  if (url.startsWith('file:') && url.length > 5) return resolve(url.slice(5));
  throw new StartError(`${url} is not a database this orchestrator can open; give it as file:PATH`);
}

async function holdDatabase(file: string, options: OpenOptions) {
  if (existsSync(file) && !statSync(file).isFile()) {
    throw new StartError(`${file} is not a file; move it away or name another database`);
  }
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unreadable(file, error);
  }
  // Beside the database, so that two databases of one folder do not wait for each other.
  return holdFolder(`${file}.lock`, options);
}

function openDatabase(file: string): Database.Database {
  if (existsSync(file)) refuseNewer(file);
  // What runs hold is people's data; SQLite gives the files beside it the same mode.
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.pragma(`cache_size = -${CACHE_KIB}`);
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** TW-DUR-022: looked at read-only first, so that not a byte of a newer database is changed. */
function refuseNewer(file: string): void {
  const database = new Database(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const version = database.pragma('user_version', { simple: true }) as number;
    if (version > migrations.length) {
      throw new StartError(
        `${file} was written by a newer version (schema ${version}, this one knows ${migrations.length}); start that version, or name another database`,
      );
    }
    const sound = database.pragma('quick_check(1)', { simple: true });
    if (sound !== 'ok') throw new StartError(`${file} is damaged (${sound}); restore it from a copy, or name another`);
  } finally {
    database.close();
  }
}

function migrate(database: Database.Database): void {
  const from = database.pragma('user_version', { simple: true }) as number;
  for (const [index, sql] of migrations.entries()) {
    if (index < from) continue;
    database.transaction(() => {
      database.exec(sql);
      database.pragma(`user_version = ${index + 1}`);
    })();
  }
}

function unreadable(file: string, error: unknown): StartError {
  const { code, message } = error as { code?: string; message: string };
  return new StartError(`${file} cannot be opened as a database (${code ?? message}); restore it or name another`);
}
