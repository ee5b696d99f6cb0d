import { readFileSync, statSync } from 'node:fs';
import { StartError } from '@turnwire/server';

/** The placement token, read from its file and read again when the file changes. */
export interface TokenFile {
  /** The token as the file has it now; the last good one while the file is being replaced. */
  read(): Held;
}

export interface Held {
  readonly token: string;
  /** The name before the token's dot: whose Harness this Custodian speaks for. */
  readonly placement: string;
}

const TOKEN = /^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\.[A-Za-z0-9_-]{43}$/;

/**
 * Opens the token file.
 * @throws StartError in one line when it is missing, empty, no placement token, or readable by others (by the group is
 * allowed: a pod's fsGroup)
 */
export function openTokenFile(file: string): TokenFile {
  let stamp = '';
  let held: Held;
  const refresh = (): Held => {
    const found = stat(file);
    const { mtimeMs, ino, size, mode } = found;
    if (!found.isFile()) throw new StartError(`${file} is not a file; name the file that holds the placement token`);
    if (mode & 0o007) throw new StartError(`${file} can be read by others; run: chmod 600 ${file}`);
    const now = `${mtimeMs} ${ino} ${size}`;
    if (now !== stamp) {
      held = parse(file);
      stamp = now;
    }
    return held;
  };
  held = refresh();
  let looked = false;
  return {
    read() {
      // Once for all requests of one turn of the loop: no time passes within it.
      if (looked) return held;
      looked = true;
      setImmediate(() => {
        looked = false;
      });
      try {
        return refresh();
      } catch {
        return held;
      }
    },
  };
}

function stat(file: string) {
  try {
    return statSync(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function parse(file: string): Held {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
  const token = text.replace(/\r?\n$/, '');
  const placement = TOKEN.exec(token)?.[1];
  if (placement === undefined) throw new StartError(`${file} holds no placement token; ${WRITE_ONE}`);
  return { token, placement };
}

const WRITE_ONE = 'write one with: turnwire-orchestrator token placement NAME';

const unreadable = (file: string, error: unknown) =>
  new StartError(
    `the placement token file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}); ${WRITE_ONE}`,
  );
