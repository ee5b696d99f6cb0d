import { readFileSync, statSync } from 'node:fs';
import { StartError } from '@turnwire/server';

/** The placement token, read from its file and read again when the file changes. */
export interface TokenFile {
  /** The name before the token's dot: whose Harness this Custodian speaks for, now. */
  readonly placement: string;
  /** The token as the file has it now; the last good one while the file is being replaced. */
  read(): string;
}

const TOKEN = /^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\.[A-Za-z0-9_-]{43}$/;

/**
 * Opens the token file.
 * @throws StartError in one line when it is missing, empty, no placement token, or readable by others (by the group is
 * allowed: a pod's fsGroup)
 */
export function openTokenFile(file: string): TokenFile {
  let stamp = '';
  let token = '';
  const refresh = (): string => {
    const { mtimeMs, ino, size, mode } = stat(file);
    if (mode & 0o007) throw new StartError(`${file} can be read by others; run: chmod 600 ${file}`);
    const now = `${mtimeMs} ${ino} ${size}`;
    if (now !== stamp) {
      token = parse(file);
      stamp = now;
    }
    return token;
  };
  refresh();
  const read = () => {
    try {
      return refresh();
    } catch {
      return token;
    }
  };
  return {
    get placement() {
      const current = read();
      return current.slice(0, current.indexOf('.'));
    },
    read,
  };
}

function stat(file: string) {
  try {
    return statSync(file);
  } catch (error) {
    throw new StartError(
      `the placement token file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}); write one with: turnwire-orchestrator token placement NAME`,
    );
  }
}

function parse(file: string): string {
  const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  if (!TOKEN.test(text)) {
    throw new StartError(
      `${file} holds no placement token; write one with: turnwire-orchestrator token placement NAME`,
    );
  }
  return text;
}
