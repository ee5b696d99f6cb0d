/** A read of the stream, as asked (TW-STR-003, TW-STR-018, TW-STR-019). */
import { Problem } from '@turnwire/server';
import { parseOffset } from '../log/offset.ts';

export interface StreamRequest {
  readonly view: 'updates' | 'history';
  readonly submission?: string;
  readonly offset: 'start' | 'now' | { readonly incarnation: string; readonly index: number; readonly text: string };
  readonly live?: 'long-poll' | 'sse';
  readonly cursor?: number;
}

/** @throws Problem 400 `bad_request` naming the parameter */
export function readStreamRequest(query: Record<string, string[]>): StreamRequest {
  const view = one(query, 'view');
  if (view !== 'updates' && view !== 'history') throw bad('view must be updates or history');
  const submission = one(query, 'submission');
  const live = one(query, 'live');
  if (live !== undefined && live !== 'long-poll' && live !== 'sse') throw bad('live must be long-poll or sse');
  const offset = one(query, 'offset');
  if (live !== undefined && offset === undefined) throw bad('live needs an offset');
  const cursor = one(query, 'cursor');
  if (cursor !== undefined && !/^\d{1,20}$/.test(cursor)) throw bad('cursor must be a number, as it was given');
  return {
    view,
    offset: readOffset(offset),
    ...(submission === undefined ? {} : { submission }),
    ...(live === undefined ? {} : { live }),
    ...(cursor === undefined ? {} : { cursor: Number(cursor) }),
  };
}

function readOffset(text: string | undefined): StreamRequest['offset'] {
  if (text === undefined || text === '-1') return 'start';
  if (text === 'now') return 'now';
  const parsed = parseOffset(text);
  if (!parsed) throw bad('offset is none that this stream gave');
  return { ...parsed, text };
}

function one(query: Record<string, string[]>, name: string): string | undefined {
  const values = query[name];
  if (values === undefined) return undefined;
  const [value, ...more] = values;
  if (more.length > 0) throw bad(`${name} is given more than once`);
  if (value === undefined || value === '') throw bad(`${name} is empty`);
  return value;
}

const bad = (detail: string): Problem => new Problem('bad_request', detail);
