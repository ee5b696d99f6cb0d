/** Tables that are wrong in one place each. For tests only. */

/** One change of one place. */
export interface Mutant {
  /** `protocol.evidence.reset.certainty` */
  readonly at: string;
  readonly how: string;
  /** Makes the change in place; what it returns takes it back. */
  readonly apply: () => () => void;
}

type Container = Record<string, unknown> | unknown[];

/** What each word could wrongly be instead. */
const others: Readonly<Record<string, string>> = {
  never_delivered: 'unknown',
  unknown: 'never_delivered',
  delivered: 'unknown',
  answered: 'unknown',
  answer: 'error',
  error: 'answer',
  resend: 'tell',
  tell: 'resend',
  keep: 'resend',
  resolve: 'resend',
  resend_same_key: 'resend',
  resend_same_store: 'resend_same_key',
  resend_if_fenced: 'resend',
};

/** Each value flipped, and each row of a list or of a table taken out. */
export function mutantsOf(tables: Readonly<Record<string, object>>): Mutant[] {
  return Object.entries(tables).flatMap(([name, table]) => inside(table as Container, name));
}

function inside(container: Container, at: string): Mutant[] {
  const isRange = /\.status$/.test(at) && Array.isArray(container);
  return Object.keys(container).flatMap((key) => {
    const value: unknown = Reflect.get(container, key);
    const place = `${at}.${key}`;
    const isRow = typeof value === 'object' && value !== null;
    // A member that every row has is flipped; without it the table would not be one.
    const removed = isRow || (Array.isArray(container) && !isRange) ? [takenOut(container, key, place)] : [];
    if (isRow) return [...removed, ...inside(value as Container, place)];
    // Both ends of a range move inwards: outwards its neighbour would often be met.
    const flip = isRange ? Number(value) + (key === '0' ? 1 : -1) : flipped(value);
    return [...removed, { at: place, how: `${flip} for ${value}`, apply: () => replaced(container, key, flip) }];
  });
}

function takenOut(container: Container, key: string, at: string): Mutant {
  return { at, how: 'taken out', apply: () => without(container, key) };
}

function flipped(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (value === null) return 30_000;
  return others[String(value)] ?? `${value}x`;
}

function replaced(container: Container, key: string, value: unknown): () => void {
  const before: unknown = Reflect.get(container, key);
  Reflect.set(container, key, value);
  return () => void Reflect.set(container, key, before);
}

function without(container: Container, key: string): () => void {
  if (Array.isArray(container)) {
    const before = [...container];
    container.splice(Number(key), 1);
    return () => void container.splice(0, container.length, ...before);
  }
  const before = { ...container };
  delete container[key];
  return () => {
    // In the order that they had.
    for (const name of Object.keys(container)) delete container[name];
    Object.assign(container, before);
  };
}
