/**
 * The template language at the head of `spec/outcomes.yaml`, as the kit reads it by itself: what a subject renders is compared
 * with this, byte for byte.
 */

/** Stands for a value that the kit cannot know (an errno's text): any phrase is taken for it. */
export const anyPhrase = Symbol('any phrase');

export type Values = Readonly<Record<string, unknown>>;

/** A character that no text has, in the place of a phrase that is not known. */
const phraseMark = '\u0000';

/** A pattern for the whole text. Throws a `TypeError` when a plain value is missing. */
export function textPattern(template: string, values: Values): RegExp {
  const escaped = rendered(template, values).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(phraseMark, '[^\\n]*[^\\n.]')}$`);
}

/** The text, with a mark where a phrase is not known. */
export function readable(template: string, values: Values): string {
  return rendered(template, values).replaceAll(phraseMark, '…');
}

function rendered(template: string, values: Values): string {
  const pieces = template.split(/(\{[?!#/]?\w+,?\})/);
  const { text, end } = upTo(pieces, 0, undefined, values);
  if (end !== pieces.length) throw new TypeError(`template: ${pieces[end]} closes nothing`);
  return text;
}

/** Renders from one piece up to the end of its section. */
function upTo(pieces: readonly string[], from: number, closing: string | undefined, values: Values) {
  let text = '';
  let at = from;
  while (at < pieces.length) {
    const piece = pieces[at] ?? '';
    const [, sign = '', name = '', comma = ''] = /^\{([?!#/]?)(\w+)(,?)\}$/.exec(piece) ?? [];
    if (sign === '/') {
      if (name === closing) return { text, end: at };
      throw new TypeError(`template: ${piece} closes nothing`);
    }
    if (name === '') text += piece;
    else if (sign === '') text += inserted(name, comma, values);
    else {
      const section = sectionOf(pieces, at + 1, sign, name, values);
      text += section.text;
      at = section.end;
    }
    at++;
  }
  return { text, end: at };
}

function sectionOf(pieces: readonly string[], from: number, sign: string, name: string, values: Values) {
  const value = values[name];
  const there = value !== undefined && value !== null && value !== '';
  const rounds = sign === '?' ? (there ? [values] : []) : sign === '!' ? (there ? [] : [values]) : items(value, values);
  const { end } = upTo(pieces, from, name, lenient);
  const text = rounds.map((round) => upTo(pieces, from, name, round).text).join('');
  return { text, end };
}

const items = (value: unknown, values: Values): Values[] =>
  Array.isArray(value) ? value.map((item: Values) => ({ ...values, ...item })) : [];

/** Has every value: for finding where a section ends without rendering it. */
const lenient: Values = new Proxy({}, { get: () => [] });

function inserted(name: string, comma: string, values: Values): string {
  const value = values[name];
  if (value === undefined) throw new TypeError(`template: ${name} has no value`);
  if (value === anyPhrase) return phraseMark;
  if (comma === ',') return (value as unknown[]).length === 0 ? '(none)' : (value as unknown[]).join(', ');
  return typeof value === 'string' ? value : canonical(value);
}

/** Members in the order of their names, nothing between them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
