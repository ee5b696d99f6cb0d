/** Checks of data that people write (scripts, cases), so that a mistake is one clear line and not a strange run later. */

/** The data is wrong; the message is one line that names the place. */
export class ShapeError extends Error {
  override readonly name: string = 'ShapeError';
}

/** Says what is wrong with the value at this place, by throwing `ShapeError`. */
export type Check = (value: unknown, at: string) => void;

export const fail = (at: string, what: string): never => {
  throw new ShapeError(`${at === '' ? 'the script' : at}: ${what}`);
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const text: Check = (value, at) => typeof value === 'string' || fail(at, 'must be a text');
export const flag: Check = (value, at) => typeof value === 'boolean' || fail(at, 'must be true or false');
export const anything: Check = () => undefined;

export const whole =
  (min: number): Check =>
  (value, at) =>
    (Number.isInteger(value) && (value as number) >= min) || fail(at, `must be a whole number, at least ${min}`);

export const amount: Check = (value, at) =>
  (typeof value === 'number' && value >= 0) || fail(at, 'must be a number, at least 0');

export const oneOf =
  (...words: string[]): Check =>
  (value, at) =>
    words.includes(value as string) || fail(at, `must be one of ${words.join(', ')}`);

export const list =
  (item: Check): Check =>
  (value, at) => {
    if (!Array.isArray(value)) return fail(at, 'must be a list');
    value.forEach((entry, index) => {
      item(entry, `${at}[${index}]`);
    });
  };

export const record =
  (item: Check): Check =>
  (value, at) => {
    if (!isRecord(value)) return fail(at, 'must be an object');
    for (const [key, entry] of Object.entries(value)) item(entry, at === '' ? key : `${at}.${key}`);
  };

export const shape =
  (fields: Readonly<Record<string, Check>>, needed: readonly string[] = []): Check =>
  (value, at) => {
    if (!isRecord(value)) return fail(at, 'must be an object');
    const place = (key: string) => (at === '' ? key : `${at}.${key}`);
    for (const key of needed) if (!(key in value)) fail(place(key), 'is missing');
    for (const [key, entry] of Object.entries(value)) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (check === undefined) return fail(place(key), `is not known here (${Object.keys(fields).join(', ')})`);
      check(entry, place(key));
    }
  };

export const either =
  (test: (value: unknown) => boolean, yes: Check, no: Check): Check =>
  (value, at) =>
    test(value) ? yes(value, at) : no(value, at);

/** `[first, last]`, counted from 1. */
export const pair: Check = (value, at) => {
  list(whole(1))(value, at);
  const range = value as number[];
  if (range.length !== 2 || (range[0] as number) > (range[1] as number)) fail(at, 'must be [first, last]');
};

/** The n-th, or the first to the last of a range. */
export const count: Check = either(Array.isArray, pair, whole(1));
