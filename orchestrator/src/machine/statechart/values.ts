/** Looks up what a statechart's values and conditions stand for. Reads of the event go through it, so that a guard's are recorded. */
import { isDeepStrictEqual } from 'node:util';
import type { Condition, Value } from './document.ts';

/** What a path may begin with. */
export interface Known {
  context?: unknown;
  event?: unknown;
  input?: unknown;
}

type Values = { readonly [key: string]: Value };

export function evaluate(value: Value, known: Known): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Value[]).map((item) => evaluate(item, known));
  const object = value as Values;
  const only = Object.keys(object).length === 1;
  if (only && typeof object.$ === 'string') return look(known, object.$);
  if (only && Array.isArray(object.$add)) return sum(object.$add as readonly Value[], known);
  if (only && typeof object.$throw === 'string') throw new Error(object.$throw);
  const entries = Object.entries(object).map(([key, item]) => [key, evaluate(item, known)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function sum(values: readonly Value[], known: Known): number {
  return values.reduce<number>((total, item) => total + Number(evaluate(item, known)), 0);
}

/** Each member along a path; what is not there is undefined. */
function look(known: Known, path: string): unknown {
  let found: unknown = known;
  for (const key of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

export function holds(condition: Condition, known: Known): boolean {
  if (typeof condition === 'boolean') return condition;
  if ('equals' in condition) {
    const [one, other] = condition.equals;
    return isDeepStrictEqual(evaluate(one, known), evaluate(other, known));
  }
  if ('less' in condition) {
    const [one, other] = condition.less;
    return Number(evaluate(one, known)) < Number(evaluate(other, known));
  }
  if ('not' in condition) return !holds(condition.not, known);
  if ('all' in condition) return condition.all.every((item) => holds(item, known));
  if ('any' in condition) return condition.any.some((item) => holds(item, known));
  throw new Error(condition.throw);
}
