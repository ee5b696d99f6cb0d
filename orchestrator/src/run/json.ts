/** JSON as data, and the two questions that the ledger asks of it: is it the same value, and can it be written at all. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** One text for one JSON value, whatever the order of its members: "the same body (as a JSON value)", TW-GEN-006. */
export function canonical(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : member,
  );
}

export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return canonical(a ?? null) === canonical(b ?? null);
}

/** Where `value` stops being JSON: the path of the first member that a save would lose or change, or undefined. */
export function notJsonAt(value: unknown, path = '', above: readonly object[] = []): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path;
  if (typeof value !== 'object' || above.includes(value)) return path;
  if (Array.isArray(value)) {
    return firstPath(
      value.map((item, index): [string, unknown] => [String(index), item]),
      path,
      [...above, value],
    );
  }
  const shape: unknown = Object.getPrototypeOf(value);
  if (shape !== Object.prototype && shape !== null) return path;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return firstPath(members, path, [...above, value]);
}

function firstPath(
  members: readonly (readonly [string, unknown])[],
  path: string,
  above: readonly object[],
): string | undefined {
  for (const [key, member] of members) {
    const found = notJsonAt(member, path === '' ? key : `${path}.${key}`, above);
    if (found !== undefined) return found;
  }
  return undefined;
}
