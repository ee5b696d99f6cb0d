/**
 * What is expected of a value, as data: an object names some members, a list is whole, anything else is equal. Objects with
 * one of these words say more: `$matches` (regular expression), `$includes` (a text in a text, or an item of a list),
 * `$not`, `$length`, `$absent`, `$any`, `$each`, `$atLeast`, `$atMost`, `$equals`, `$sorted`, `$oneOf`.
 */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../shape.ts';

type Word = (wanted: unknown, actual: unknown) => boolean;

const words: Readonly<Record<string, Word>> = {
  $matches: (wanted, actual) => typeof actual === 'string' && new RegExp(String(wanted), 's').test(actual),
  $includes: (wanted, actual) =>
    typeof actual === 'string'
      ? actual.includes(String(wanted))
      : Array.isArray(actual) && actual.some((item) => mismatch(wanted, item) === undefined),
  $not: (wanted, actual) => mismatch(wanted, actual) !== undefined,
  $length: (wanted, actual) => hasLength(actual) && mismatch(wanted, actual.length) === undefined,
  $absent: (wanted, actual) => (actual === undefined) === wanted,
  $any: (_, actual) => actual !== undefined,
  $each: (wanted, actual) => Array.isArray(actual) && actual.every((item) => mismatch(wanted, item) === undefined),
  $atLeast: (wanted, actual) => typeof actual === 'number' && actual >= Number(wanted),
  $atMost: (wanted, actual) => typeof actual === 'number' && actual <= Number(wanted),
  $equals: (wanted, actual) => isDeepStrictEqual(wanted, actual),
  $oneOf: (wanted, actual) => Array.isArray(wanted) && wanted.some((one) => mismatch(one, actual) === undefined),
  $sorted: (wanted, actual) => Array.isArray(actual) && isDeepStrictEqual([...actual].sort(), wanted),
};

export const expectWords: readonly string[] = Object.keys(words);

const hasLength = (value: unknown): value is { length: number } => typeof value === 'string' || Array.isArray(value);

/** How a value is not what it should be, as the halves of a sentence. */
export interface Difference {
  /** `status is 500` */
  readonly was: string;
  /** `status is 200` */
  readonly should: string;
  /** `200`: what stands behind a "not". */
  readonly not: string;
}

/** Where and how a value is not what it should be; undefined when it is. */
export function mismatch(wanted: unknown, actual: unknown, at = ''): string | undefined {
  const found = difference(wanted, actual, at);
  return found && `${found.was}, not ${found.not}`;
}

/** The same for a sentence of two halves. */
export function difference(wanted: unknown, actual: unknown, at = ''): Difference | undefined {
  if (Array.isArray(wanted)) return listDifference(wanted, actual, at);
  if (!isRecord(wanted)) return isDeepStrictEqual(wanted, actual) ? undefined : told(at, actual, shown(wanted));
  const own = Object.keys(wanted).filter((key) => key.startsWith('$'));
  for (const key of own) {
    if (words[key]?.(wanted[key], actual) !== true) return worded(key, wanted[key], actual, at);
  }
  if (own.length > 0) return undefined;
  if (!isRecord(actual)) return told(at, actual, shown(wanted));
  for (const [key, value] of Object.entries(wanted)) {
    const found = difference(value, actual[key], at === '' ? key : `${at}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function listDifference(wanted: readonly unknown[], actual: unknown, at: string): Difference | undefined {
  if (!Array.isArray(actual)) return told(at, actual, 'a list');
  if (actual.length !== wanted.length) return otherLength(at, actual, String(wanted.length));
  for (const [index, value] of wanted.entries()) {
    const found = difference(value, actual[index], `${at}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const nameOf = (at: string): string => (at === '' ? 'it' : at);

const otherLength = (at: string, actual: readonly unknown[], not: string): Difference => ({
  was: `${nameOf(at)} has ${actual.length} entries: ${shown(actual)}`,
  should: `${nameOf(at)} has ${not}`,
  not,
});

/** How a person says the words. */
const said: Readonly<Record<string, (wanted: unknown) => string>> = {
  $matches: (wanted) => `a match of ${shown(wanted)}`,
  $includes: (wanted) => `with ${shown(wanted)} in it`,
  $not: (wanted) => `anything but ${shown(wanted)}`,
  $length: (wanted) => `of length ${lengthOf(wanted)}`,
  $absent: (wanted) => (wanted === true ? 'absent' : 'there'),
  $any: () => 'there',
  $each: (wanted) => `a list, each ${shown(wanted)}`,
  $atLeast: (wanted) => `at least ${shown(wanted)}`,
  $atMost: (wanted) => `at most ${shown(wanted)}`,
  $equals: (wanted) => shown(wanted),
  $oneOf: (wanted) => `one of ${shown(wanted)}`,
  $sorted: (wanted) => `${shown(wanted)} in any order`,
};

/** Where a verb says it better. */
const verbs: Readonly<Record<string, string>> = { $matches: 'matches', $includes: 'includes' };

const lengthOf = (wanted: unknown): string =>
  isRecord(wanted)
    ? Object.entries(wanted)
        .map(([key, value]) => said[key]?.(value) ?? shown(value))
        .join(', ')
    : shown(wanted);

function worded(key: string, wanted: unknown, actual: unknown, at: string): Difference {
  // The first that is not as each is to be says more than all of them.
  if (key === '$each' && Array.isArray(actual)) {
    const found = actual.map((item, index) => difference(wanted, item, `${at}[${index}]`)).find((one) => one);
    if (found) return found;
  }
  if (key === '$length' && Array.isArray(actual)) return otherLength(at, actual, lengthOf(wanted));
  const found = told(at, actual, said[key]?.(wanted) ?? `${key.slice(1)} ${shown(wanted)}`);
  return verbs[key] === undefined ? found : { ...found, should: `${nameOf(at)} ${verbs[key]} ${shown(wanted)}` };
}

function told(at: string, actual: unknown, not: string): Difference {
  return { was: `${nameOf(at)} is ${shown(actual)}`, should: `${nameOf(at)} is ${not}`, not };
}

/** Characters of a value that a sentence shows. */
const most = 300;

function shown(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
