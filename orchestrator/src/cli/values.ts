/** A JSON value as a person reads it: a line per field, long ones cut; `--json` has the whole. */
import type { JsonValue } from '@turnwire/sdk';
import { ITEMS_SHOWN, TEXT_SHOWN } from '../limits.ts';

export function valueLines(value: JsonValue): string[] {
  if (isObject(value)) {
    const entries = Object.entries(value);
    const width = Math.max(...entries.map(([key]) => key.length));
    return entries.length === 0 ? ['{}'] : entries.flatMap(([key, inner]) => fieldLines(key, width, inner));
  }
  return Array.isArray(value) && value.length > 0 ? itemLines(value) : [valueText(value)];
}

function fieldLines(key: string, width: number, value: JsonValue): string[] {
  const whole = textOf(value);
  const isList = Array.isArray(value) && whole.length > TEXT_SHOWN;
  if (!isList) return [`${key.padEnd(width)}  ${cut(whole)}`];
  return [key, ...itemLines(value).map((line) => `  ${line}`)];
}

function itemLines(items: readonly JsonValue[]): string[] {
  const shown = items.slice(0, ITEMS_SHOWN).map((item) => `- ${valueText(item)}`);
  return items.length > ITEMS_SHOWN ? [...shown, `… ${items.length - ITEMS_SHOWN} more`] : shown;
}

/** On one line, and no longer than a person reads. */
export const valueText = (value: JsonValue): string => cut(textOf(value));

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

function cut(text: string): string {
  if (text.length <= TEXT_SHOWN) return text;
  // Not in the middle of a character that takes two units.
  const head = text.slice(0, TEXT_SHOWN).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}… (${text.length} characters)`;
}

const isObject = (value: JsonValue): value is { [key: string]: JsonValue } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
