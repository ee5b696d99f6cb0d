/** Python literals as `ruff format` leaves them: what fits stays on its line, what does not has one item on each. */
import { snake } from './casing.ts';

/** A call with named arguments: how a row of a table is written. */
export class Call {
  readonly of: string;
  readonly values: Readonly<Record<string, unknown>>;

  constructor(of: string, values: Readonly<Record<string, unknown>>) {
    this.of = of;
    this.values = values;
  }
}

const longestLine = 120;

/** The literal of a value that begins at column `at` of a line indented by `indent` and is followed by `after` characters. */
export function literal(value: unknown, indent = '', at = indent.length, after = 0): string {
  const short = inline(value);
  if (isPlain(value) || at + short.length + after <= longestLine) return short;
  const inner = `${indent}    `;
  const { open, close, items } = parts(value);
  const lines = items.map(
    ({ prefix, item }) => `${inner}${prefix}${literal(item, inner, inner.length + prefix.length, 1)},`,
  );
  return [open, ...lines, `${indent}${close}`].join('\n');
}

function inline(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return `${value}`;
  if (typeof value === 'string') return text(value);
  const { open, close, items } = parts(value);
  const lonely = Array.isArray(value) && value.length === 1 ? ',' : '';
  return `${open}${items.map(({ prefix, item }) => prefix + inline(item)).join(', ')}${lonely}${close}`;
}

function parts(value: unknown): { open: string; close: string; items: { prefix: string; item: unknown }[] } {
  if (Array.isArray(value)) return { open: '(', close: ')', items: value.map((item) => ({ prefix: '', item })) };
  if (value instanceof Call) {
    const given = Object.entries(value.values).filter(([, item]) => item !== undefined);
    return {
      open: `${value.of}(`,
      close: ')',
      items: given.map(([name, item]) => ({ prefix: `${snake(name)}=`, item })),
    };
  }
  const entries = Object.entries(value as object).map(([key, item]) => ({ prefix: `${keyText(key)}: `, item }));
  return { open: '{', close: '}', items: entries };
}

/** A status is a number. */
const keyText = (key: string) => (/^\d+$/.test(key) ? key : text(key));

const isPlain = (value: unknown) => typeof value !== 'object' || value === null || Object.keys(value).length === 0;

/** In the quotes that need fewer escapes, double ones when it is even. */
export function text(value: string): string {
  const json = JSON.stringify(value);
  const count = (quote: string) => value.split(quote).length - 1;
  if (count('"') <= count("'")) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** `Literal[…]` that begins at column `at`: on one line, or one value on each. */
export function literalType(values: readonly string[], at: number, indent = '', after = 0): string {
  const short = `Literal[${values.map(text).join(', ')}]`;
  if (at + short.length + after <= longestLine) return short;
  const together = `${indent}    ${values.map(text).join(', ')}`;
  if (together.length <= longestLine) return `Literal[\n${together}\n${indent}]`;
  return `Literal[\n${values.map((value) => `${indent}    ${text(value)},`).join('\n')}\n${indent}]`;
}
