/**
 * Reading what was thrown: it can be anything, a proxy or a getter that throws included. Pure and without a Node import;
 * nothing here throws.
 */
import { errorMembers } from './limits.ts';

/** A member that could not be read, which is not the same as one that is not there: doubt is never proof (TW-CER-019). */
export const unreadable: unique symbol = Symbol('unreadable');

/** A member of an error, or `unreadable`. */
export function readMember(error: object, name: string): unknown {
  try {
    return (error as Record<string, unknown>)[name];
  } catch {
    return unreadable;
  }
}

/** A member that is a text with something in it. */
export function textMember(error: object, name: string): string | undefined {
  const value = readMember(error, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The members of an aggregate; `undefined` when it is none. A list makes an aggregate, and so does the name. Members that
 * cannot be read, or are too many to be an error's, prove nothing: as if there were none (TW-CER-017).
 */
export function membersOf(error: object): readonly unknown[] | undefined {
  const members = readMember(error, 'errors');
  const list = members === unreadable ? [] : listOf(members);
  return list ?? (readMember(error, 'name') === 'AggregateError' ? [] : undefined);
}

function listOf(members: unknown): readonly unknown[] | undefined {
  try {
    if (!Array.isArray(members)) return undefined;
    return members.length > errorMembers ? [] : Array.from(members as unknown[]);
  } catch {
    return [];
  }
}

/** Whether it can have members of its own. */
export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
