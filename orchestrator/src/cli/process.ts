/** The process that a command runs in: what interrupts it, and what becomes of its output. */
import { text } from 'node:stream/consumers';
import { invocation } from './invocation.ts';
import type { Io } from './io.ts';

/**
 * Runs one command in this process and sets its exit code. Ctrl-C, a closed terminal and a closed pipe interrupt it
 * alike, so that what it has started is brought down whichever it was.
 */
export async function runInProcess(work: (io: Io) => Promise<number>): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());
  let lost: NodeJS.ErrnoException | undefined;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that closes the pipe early (`turnwire runs | head`) is no failure of ours.
      process.exitCode = error.code === 'EPIPE' ? 0 : 1;
      if (lost === undefined && process.exitCode === 1)
        process.stderr.write(`turnwire: the output cannot be written (${error.code})\n`);
      lost ??= error;
      interrupted.abort();
    });
  }
  const code = await work({
    out: (chunk) => void (lost ?? process.stdout.write(chunk)),
    err: (chunk) => void (lost ?? process.stderr.write(chunk)),
    cwd: process.cwd(),
    program: invocation(process),
    signal: interrupted.signal,
    readStdin: () => text(process.stdin),
  });
  if (lost === undefined) process.exitCode = code;
}
