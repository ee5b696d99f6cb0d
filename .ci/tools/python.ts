/** The checkout's own Python environment, `.venv`: made when it is missing or its requirements have changed. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface PythonOptions {
  /** The folder that gets `.venv`. */
  readonly root: string;
  /** The requirements file. */
  readonly requirements: string;
  /** The interpreter; `python3` when absent. */
  readonly python?: string;
}

/** Its `bin`, or in one line why there is none. */
export type Python = { readonly bin: string } | { readonly missing: string };

/** Milliseconds between two looks at a lock that another holds, and how old one may be whose holder is not known. */
const lock = { pollMs: 100, oldMs: 10 * 60_000 };

/** Quick when everything is there already; safe when two ask at once: the second waits for the first. */
export async function preparePython({ root, requirements, python = 'python3' }: PythonOptions): Promise<Python> {
  const venv = join(root, '.venv');
  const bin = join(venv, 'bin');
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const stamp = join(venv, '.requirements');
  if (read(stamp) === wanted) return { bin };
  const release = await locked(join(root, '.venv.lock'));
  try {
    if (read(stamp) === wanted) return { bin };
    await run(python, ['-m', 'venv', '--clear', venv]);
    await run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', requirements]);
    writeFileSync(stamp, wanted);
    return { bin };
  } catch (error) {
    return { missing: why(error, python) };
  } finally {
    release();
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** A folder is made by one alone. One whose holder is gone is taken over. Resolves with what gives it back. */
async function locked(folder: string): Promise<() => void> {
  for (;;) {
    try {
      mkdirSync(folder);
      writeFileSync(join(folder, 'pid'), String(process.pid));
      return () => rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isLeft(folder)) rmSync(folder, { recursive: true, force: true });
    else await new Promise((resolve) => setTimeout(resolve, lock.pollMs));
  }
}

function isLeft(folder: string): boolean {
  const holder = Number(read(join(folder, 'pid')) ?? 0);
  try {
    if (holder === 0) return Date.now() - statSync(folder).mtimeMs > lock.oldMs;
    process.kill(holder, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function why(error: unknown, python: string): string {
  const { code, stderr = '', message } = error as Error & { code?: string | number; stderr?: string };
  if (code === 'ENOENT') return `${python} is not installed`;
  const lines = `${stderr}`.trim().split('\n');
  return `the Python environment could not be made: ${lines.at(-1) || message.split('\n', 1)[0]}`;
}
