/** Fills the templates of a reply with what was extracted from the conversation. Pure. */
import type { Facts } from './conversation.ts';
import type { Extraction, Rule } from './script.ts';

export type Values = Readonly<Record<string, unknown>>;

/** Everything the rule's `extract` names. What is not found is an empty list (`matches`) or null (`json`). */
export function extractAll(rule: Rule, facts: Facts): Values {
  return Object.fromEntries(
    Object.entries(rule.extract ?? {}).map(([name, one]) => [name, extract(one, facts[one.from] ?? '')]),
  );
}

function extract(wanted: Extraction, text: string): unknown {
  if (wanted.matches !== undefined) {
    return [...text.matchAll(new RegExp(wanted.matches, 'g'))].map((match) => ({ match: match[0], ...match.groups }));
  }
  return atPointer(firstJson(text), wanted.json ?? '') ?? null;
}

/** The first array or object in a text that parses. */
export function firstJson(text: string): unknown {
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] !== '{' && text[start] !== '[') continue;
    const end = closingBracket(text, start);
    if (end === undefined) continue;
    try {
      return JSON.parse(text.slice(start, end + 1)) as unknown;
    } catch {
      // Brackets of prose; the next ones may be JSON.
    }
  }
  return undefined;
}

function closingBracket(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (quoted && char === '\\') at += 1;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '{' || char === '[')) depth += 1;
    else if (!quoted && (char === '}' || char === ']')) depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

function atPointer(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (at, token) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[token] : undefined),
      value,
    );
}

/**
 * `"{name}"` alone is the value itself, inside a longer text it is its text; `{name:number}` is a number; `{name|word}` is
 * the word where there is no such value.
 * `{"$each": "name", "item": …, "limit"?: n}` is a list, with the fields of each item as values of their own.
 */
export function fill(template: unknown, values: Values): unknown {
  if (typeof template === 'string') return fillText(template, values);
  if (Array.isArray(template)) return template.map((entry) => fill(entry, values));
  if (typeof template !== 'object' || template === null) return template;
  const fields = template as Record<string, unknown>;
  if (typeof fields.$each === 'string') return fillEach(fields, values);
  return Object.fromEntries(Object.entries(fields).map(([key, entry]) => [key, fill(entry, values)]));
}

function fillEach(fields: Record<string, unknown>, values: Values): unknown[] {
  const items = lookUp(fields.$each as string, values);
  const limit = typeof fields.limit === 'number' ? fields.limit : Number.POSITIVE_INFINITY;
  return (Array.isArray(items) ? items : []).slice(0, limit).map((item: unknown) => {
    const own = typeof item === 'object' && item !== null ? item : {};
    return fill(fields.item ?? '{item}', { ...values, item, ...own });
  });
}

const PLACE = /\{([A-Za-z_][\w.]*)(:number)?(?:\|([^{}]*))?\}/g;

function fillText(template: string, values: Values): unknown {
  const whole = new RegExp(`^${PLACE.source}$`).exec(template);
  const value = whole?.[1] === undefined ? undefined : (lookUp(whole[1], values) ?? whole[3]);
  if (whole !== null && value !== undefined) return whole[2] === undefined ? value : Number(value);
  return template.replace(PLACE, (place, name: string, _, otherwise?: string) => {
    const found = lookUp(name, values) ?? otherwise;
    return found === undefined ? place : asText(found);
  });
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** `a.b.0` walks into the value; `length` of a list counts it. */
function lookUp(path: string, values: Values): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
      values,
    );
}
