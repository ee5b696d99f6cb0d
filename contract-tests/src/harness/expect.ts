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

/** Where and how a value is not what it should be; undefined when it is. */
export function mismatch(wanted: unknown, actual: unknown, at = ''): string | undefined {
  if (Array.isArray(wanted)) return listMismatch(wanted, actual, at);
  if (!isRecord(wanted)) return isDeepStrictEqual(wanted, actual) ? undefined : told(at, actual, shown(wanted));
  const own = Object.keys(wanted).filter((key) => key.startsWith('$'));
  for (const key of own) {
    if (words[key]?.(wanted[key], actual) !== true) return told(at, actual, `${key.slice(1)} ${shown(wanted[key])}`);
  }
  if (own.length > 0) return undefined;
  if (!isRecord(actual)) return told(at, actual, shown(wanted));
  for (const [key, value] of Object.entries(wanted)) {
    const found = mismatch(value, actual[key], at === '' ? key : `${at}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function listMismatch(wanted: readonly unknown[], actual: unknown, at: string): string | undefined {
  if (!Array.isArray(actual)) return told(at, actual, 'a list');
  if (actual.length !== wanted.length)
    return told(`${at}.length`, actual.length, `${wanted.length} in ${shown(actual)}`);
  for (const [index, value] of wanted.entries()) {
    const found = mismatch(value, actual[index], `${at}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const told = (at: string, actual: unknown, wanted: string): string =>
  `${at === '' ? 'it' : at} is ${shown(actual)}, not ${wanted}`;

/** A mismatch as the two halves of a sentence: how it was, and how it should have been. */
export function halves(mismatched: string): { was: string; should: string } {
  const [, at = '', actual = '', wanted = ''] = /^(.*?) is (.*?), not (.*)$/s.exec(mismatched) ?? [];
  return at === ''
    ? { was: mismatched, should: 'as its case says' }
    : { was: `${at} is ${actual}`, should: `${at} is ${wanted}` };
}

/** Characters of a value that a sentence shows. */
const most = 300;

function shown(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
