/** `{name}` and `{name.member.0}` in the texts of a case stand for what earlier steps were answered. */
import { isRecord } from '../shape.ts';

export type Known = Readonly<Record<string, unknown>>;

/** A copy of a value in which every name that is known is replaced; others stay as they are. */
export function fill<T>(value: T, known: Known): T {
  return filled(value, known) as T;
}

function filled(value: unknown, known: Known): unknown {
  if (typeof value === 'string') return fillText(value, known);
  if (Array.isArray(value)) return value.map((item) => filled(item, known));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, known)]));
}

const name = /\{([a-zA-Z]\w*(?:\.\w[\w-]*)*)\}/g;

function fillText(text: string, known: Known): unknown {
  const whole = /^\{([a-zA-Z]\w*(?:\.\w[\w-]*)*)\}$/.exec(text)?.[1];
  if (whole !== undefined) return look(known, whole) ?? text;
  return text.replaceAll(name, (braces, path: string) => {
    const value = look(known, path);
    return value === undefined ? braces : typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function look(known: Known, path: string): unknown {
  let value: unknown = known;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
  }
  return value;
}
