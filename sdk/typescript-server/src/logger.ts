import pino from 'pino';
import { StartError } from './lifecycle.ts';

export type Logger = pino.Logger;

/** JSON lines on stderr; stdout carries the listening line alone. Fields that could hold a credential are cut out. */
export function createLogger(role: string): Logger {
  const redact = ['token', '*.token', 'authorization', '*.authorization', 'headers', '*.headers'];
  return pino({ ...settings(role), redact: { paths: redact, remove: true } }, stderr());
}

/**
 * For a line per request, whose fields are all known not to hold a credential: nothing is looked for in them, and
 * they are written together every 50 ms, since each write wakes whoever reads them. What is left is written when the
 * process exits.
 */
export function createLineLogger(role: string): Logger {
  const target = stderr();
  let lines = '';
  const flush = () => {
    if (lines !== '') target.write(lines);
    lines = '';
  };
  process.on('exit', flush);
  const write = (line: string) => {
    if (lines === '') setTimeout(flush, LINES_EVERY_MS).unref();
    lines += line;
  };
  return pino(settings(role), { write });
}

const LINES_EVERY_MS = 50;

const stderr = () => pino.destination({ dest: 2, sync: true });

const settings = (role: string) => ({
  base: { role, pid: process.pid },
  level: level(),
  timestamp: pino.stdTimeFunctions.isoTime,
});

const LEVELS = [...Object.keys(pino.levels.values), 'silent'];

function level(): string {
  const named = process.env.TURNWIRE_LOG_LEVEL || 'info';
  if (LEVELS.includes(named)) return named;
  throw new StartError(`TURNWIRE_LOG_LEVEL must be one of ${LEVELS.join(', ')}, not ${JSON.stringify(named)}`);
}
