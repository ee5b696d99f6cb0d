import pino from 'pino';

export type Logger = pino.Logger;

/** JSON lines on stderr; stdout carries the listening line alone. Fields that could hold a credential are cut out. */
export function createLogger(role: string): Logger {
  return pino(
    {
      base: { role, pid: process.pid },
      level: process.env.TURNWIRE_LOG_LEVEL ?? 'info',
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: ['token', '*.token', 'authorization', '*.authorization', 'headers', '*.headers'], remove: true },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
