import { sha256 } from '@turnwire/server';

/** JSON with the members of every object in one order, so that equal values have equal texts (TW-GEN-018). */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const object = value as Record<string, unknown>;
  const members = Object.keys(object)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(object[name])}`);
  return `{${members.join(',')}}`;
}

/** What is kept of an admission's body to know it again: equal for equal JSON values. */
export const bodyDigest = (body: unknown): string => sha256(canonical(body));
