/** The data folder: its identity, and the files of its conversations. */
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StartError } from '@turnwire/server';
import { type Identity, identityOf } from './identity.ts';
import { syncFolder } from './journal.ts';

const LOG_SUFFIX = '.log';
const STORE_FILE = 'store.json';

export interface DataFolder {
  readonly path: string;
  /** The store id: it names this folder and changes when the folder is new (TW-DUR-006). */
  readonly store: string;
  readonly conversations: string;
  /** Of the folder itself, whatever its path leads to by now. */
  readonly identity: Identity;
}

/**
 * Opens a folder that this process holds, making what is missing.
 * @throws StartError in one line when it cannot be used
 */
export function openFolder(path: string): DataFolder {
  const conversations = join(path, 'conversations');
  try {
    makeFolder(conversations);
    chmodSync(path, 0o700);
    const store = readStore(path) ?? makeStore(path);
    return { path, store, conversations, identity: identityOf(join(path, STORE_FILE)) };
  } catch (error) {
    if (error instanceof StartError) throw error;
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new StartError(
      `${path} cannot be written (${reason}); set TURNWIRE_DATA_DIR to a folder that this user may write`,
    );
  }
}

/**
 * Makes a folder and those above it, for this user alone. Not Node's recursive way: that one never comes back from a file
 * system that denies what it lists (`/proc`).
 */
export function makeFolder(path: string): void {
  const absolute = resolve(path);
  if (existsSync(absolute)) return;
  const above = dirname(absolute);
  if (above !== absolute) makeFolder(above);
  mkdirSync(absolute, { mode: 0o700 });
}

/** The store id of a folder, if it has one; readable before the folder is held. */
export function readStore(path: string): string | undefined {
  const file = join(path, STORE_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const { store } = parseStore(text);
  if (typeof store === 'string' && /^[\x21-\x7e]{1,128}$/.test(store)) return store;
  throw new StartError(`${file} cannot be read; remove the data folder, or give this Harness another one`);
}

function parseStore(text: string): { store?: unknown } {
  try {
    return JSON.parse(text) as { store?: unknown };
  } catch {
    return {};
  }
}

function makeStore(path: string): string {
  const store = randomUUID();
  replaceFile(join(path, STORE_FILE), Buffer.from(`${JSON.stringify({ store, format: 1 })}\n`));
  syncFolder(path);
  return store;
}

/** Writes a file whole or not at all. */
export function replaceFile(file: string, bytes: Buffer): void {
  const draft = `${file}.new`;
  const descriptor = openSync(draft, 'w', 0o600);
  writeSync(descriptor, bytes);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(draft, file);
}

/** The file of a conversation: readable for a person, and safe on a file system that folds case. */
export function conversationFile(conversations: string, iid: string): string {
  const digest = createHash('sha256').update(iid).digest('hex').slice(0, 24);
  const readable = iid
    .slice(0, 40)
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '_');
  return join(conversations, `${readable}.${digest}${LOG_SUFFIX}`);
}

/** Every log of the folder. */
export const logFiles = (folder: DataFolder): string[] =>
  readdirSync(folder.conversations)
    .filter((name) => name.endsWith(LOG_SUFFIX))
    .map((name) => join(folder.conversations, name));

export function removeFile(file: string): void {
  rmSync(file, { force: true });
}
