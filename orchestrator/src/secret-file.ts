/** Reads a secret from a file that is this user's alone, and makes it when it is missing. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from '@turnwire/server';
import { SECRET_FILE_MAX_BYTES } from './limits.ts';

/**
 * The bytes of `file` without one trailing newline. A missing file is made, mode 0600, from `make`; of two processes
 * that make it at the same moment one wins and both read the same.
 * @param onMade told the path when this call made it
 * @throws StartError, one line that names the file and the remedy
 */
export function secretFile(file: string, make: () => string, onMade?: (file: string) => void): Buffer {
  const there = readSecret(file);
  if (there) return there;
  if (makeSecret(file, `${make()}\n`)) onMade?.(file);
  const made = readSecret(file);
  if (!made) throw new StartError(`${file} vanished while it was being made; start again`);
  return made;
}

/**
 * As `secretFile`, but a missing file is `undefined` and nothing is written.
 * @throws StartError when it cannot be read, or others can read it
 */
export function readSecret(file: string): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return undefined;
    throw new StartError(`${file} cannot be read (${reasonOf(error)}); give this user the right to read it`);
  }
  try {
    return contentOf(file, descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function contentOf(file: string, descriptor: number): Buffer {
  // The mode is asked of what was opened, so that no other file can take its place in between.
  const { mode, size } = fstatSync(descriptor);
  if ((mode & 0o170000) !== 0o100000) throw new StartError(`${file} is not a file; move it away`);
  if ((mode & 0o077) !== 0) {
    throw new StartError(
      `${file} can be read by others (mode ${(mode & 0o777).toString(8).padStart(4, '0')}); run: chmod 600 ${file}`,
    );
  }
  if (size > SECRET_FILE_MAX_BYTES)
    throw new StartError(`${file} is too large to hold a secret (${size} bytes); move it away`);
  const bytes = Buffer.alloc(size);
  const read = readSync(descriptor, bytes, 0, size, 0);
  return bytes.subarray(0, bytes[read - 1] === 0x0a ? read - 1 : read);
}

/** Written aside and linked into place: a reader never sees half a secret, and an existing file is never replaced. */
function makeSecret(file: string, text: string): boolean {
  const aside = `${file}.${randomUUID()}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(aside, 'wx', 0o600);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return linkInto(aside, file);
  } catch (error) {
    throw new StartError(
      `${file} is missing and cannot be made (${reasonOf(error)}); make ${dirname(file)} writable for this user, or put the file there`,
    );
  }
}

function linkInto(aside: string, file: string): boolean {
  try {
    linkSync(aside, file);
    return true;
  } catch (error) {
    if (reasonOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(aside);
  }
}

const reasonOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
