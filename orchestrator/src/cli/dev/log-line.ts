/** A JSON log line of a role as a person reads it: time, what, and the fields that say where. */

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
const QUIET = new Set(['level', 'time', 'pid', 'hostname', 'role', 'msg']);

export function logText(line: string): string {
  const record = parse(line);
  if (!record) return line;
  const level = LEVELS[Number(record.level)] ?? '';
  const fields = Object.entries(record)
    .filter(([key]) => !QUIET.has(key))
    .map(([key, value]) => `${key}=${fieldText(value)}`);
  return [level === 'info' ? '' : level, String(record.msg ?? ''), ...fields].filter(Boolean).join(' ');
}

function fieldText(value: unknown): string {
  if (typeof value === 'string') return /^\S+$/.test(value) ? value : JSON.stringify(value);
  const { message } = (value ?? {}) as { message?: unknown };
  return typeof message === 'string' ? JSON.stringify(message) : JSON.stringify(value);
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' && 'msg' in value
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
