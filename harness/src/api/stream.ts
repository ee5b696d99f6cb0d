/** The read side of the Durable Streams protocol: catch-up, long-poll and HEAD; SSE is next door. */
import { protocol } from '@turnwire/sdk';
import type { Stream, StreamPage } from '../host/stream.ts';
import { POLL_PARK_MS } from '../limits.ts';
import { nextCursor } from './cursor.ts';
import type { StreamRequest } from './stream-request.ts';

const { streamNextOffset, streamUpToDate, streamClosed, streamCursor } = protocol.headers;

export interface LiveOptions {
  readonly now: () => number;
  readonly random: () => number;
  /** The client is gone; parked reads have to end. */
  readonly signals: readonly AbortSignal[];
}

/** Where a read starts. @throws Problem 410 */
export function startOf(stream: Stream, offset: StreamRequest['offset']): number {
  const { first, tail } = stream.range;
  if (offset === 'start') return first;
  return offset === 'now' ? tail : stream.locate(offset);
}

/** @param ifNoneMatch the request's header, if any */
export function catchUp(stream: Stream, request: StreamRequest, ifNoneMatch: string | undefined): Response {
  const from = startOf(stream, request.offset);
  const page = stream.page(from);
  const headers = pageHeaders(stream, page);
  if (request.offset === 'now') return json(page, { ...headers, 'cache-control': 'no-store' });
  const etag = `"${stream.offset(from)}:${page.next}:${page.closed ? 'closed' : 'open'}"`;
  const cached = { ...headers, etag, 'cache-control': 'private, no-cache' };
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag))
    return new Response(null, { status: 304, headers: cached });
  return json(page, cached);
}

/** Answers as soon as there is a record, and after the park with nothing (TW-STR-011 to TW-STR-014). */
export async function longPoll(stream: Stream, request: StreamRequest, live: LiveOptions): Promise<Response> {
  const from = startOf(stream, request.offset);
  const park = new AbortController();
  const timer = setTimeout(() => park.abort(), POLL_PARK_MS);
  await stream.wait(from, [park.signal, ...live.signals]);
  clearTimeout(timer);
  const page = stream.page(from);
  const headers: Record<string, string> = { ...pageHeaders(stream, page), 'cache-control': 'no-store' };
  if (!page.closed) headers[streamCursor] = nextCursor(live.now(), request.cursor, live.random);
  return page.records.length > 0 ? json(page, headers) : new Response(null, { status: 204, headers });
}

/** TW-STR-024. */
export function head(stream: Stream): Response {
  const { tail, closed } = stream.range;
  const headers = pageHeaders(stream, { records: [], next: tail, upToDate: false, closed });
  return new Response(null, {
    headers: { ...headers, 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
}

function pageHeaders(stream: Stream, page: StreamPage): Record<string, string> {
  return {
    [streamNextOffset]: stream.offset(page.next),
    ...(page.upToDate ? { [streamUpToDate]: 'true' } : {}),
    ...(page.closed ? { [streamClosed]: 'true' } : {}),
  };
}

const json = (page: StreamPage, headers: Record<string, string>): Response =>
  new Response(JSON.stringify(page.records), { headers: { 'content-type': 'application/json', ...headers } });

const matches = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag || candidate.trim() === '*');
