import { render, type TextName, texts } from '@turnwire/sdk';
import type { JsonValue } from './json.ts';

/** What an agent reads from us, rendered from the spec's templates. */
export const text = (name: TextName, values: Record<string, JsonValue>): string => render(texts[name], values);

/** The state that a workflow is in, as one would say it: `coding.waiting`, regions of a parallel state side by side. */
export function stateName(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return String(value);
  return Object.entries(value)
    .map(([key, below]) => (isEmpty(below) ? key : `${key}.${stateName(below)}`))
    .join(', ');
}

const isEmpty = (value: JsonValue): boolean =>
  value !== null && typeof value === 'object' && Object.keys(value).length === 0;
