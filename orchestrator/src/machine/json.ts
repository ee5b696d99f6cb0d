/** Whether a value survives being saved: what JSON would drop or change is named by its path instead of being lost silently. */
import type { JsonValue } from './port.ts';

export interface Unsaveable {
  path: string;
  what: string;
}

/** The first part of `value` that is not plain JSON data, or undefined. An absent (`undefined`) property is fine. */
export function unsaveable(value: unknown, path: string, above: readonly unknown[] = []): Unsaveable | undefined {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean')
    return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { path, what: `the number ${value}` };
  if (typeof value !== 'object') return { path, what: `a ${typeof value}` };
  if (above.includes(value)) return { path, what: 'a reference to itself' };
  if (!isPlain(value)) return { path, what: `a ${value.constructor?.name || 'class instance'}` };
  for (const [key, member] of Object.entries(value)) {
    const found = unsaveable(member, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, [...above, value]);
    if (found) return found;
  }
  return undefined;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  // By its own prototype's prototype, so that objects of another realm count as plain.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A JSON copy; what cannot be saved becomes null. For states that only have to be shown. */
export function jsonCopy(value: unknown, above: readonly unknown[] = []): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (typeof value !== 'object' || value === undefined || above.includes(value) || !isPlain(value)) return null;
  if (Array.isArray(value)) return value.map((member) => jsonCopy(member, [...above, value]));
  const kept = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, jsonCopy(member, [...above, value])]));
}

/** What went wrong, in one line, whatever was thrown. */
export function reasonOf(error: unknown): string {
  const text = messageOf(error) ?? (typeof error === 'string' ? error : JSON.stringify(jsonCopy(error)));
  return text.replace(/\s*\n\s*/g, ' ');
}

/** Of an Error, also one that was saved as data. */
function messageOf(error: unknown): string | undefined {
  if (error instanceof Error) return error.message || error.name;
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : undefined;
}
