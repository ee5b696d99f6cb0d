/** `turnwire`: the entry of the command. */
import { text } from 'node:stream/consumers';
import { runCli } from './cli/program.ts';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());

// A reader that closes the pipe early (`turnwire runs | head`) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await runCli(process.argv.slice(2), {
  out: (chunk) => void process.stdout.write(chunk),
  err: (chunk) => void process.stderr.write(chunk),
  cwd: process.cwd(),
  signal: interrupted.signal,
  readStdin: () => text(process.stdin),
});
