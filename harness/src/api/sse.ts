/** The stream as server-sent events: `data` with records, then always `control` with where it stands (TW-STR-015). */
import { Problem } from '@turnwire/server';
import type { Stream } from '../host/stream.ts';
import { SSE_HEARTBEAT_MS, SSE_RECYCLE_MS } from '../limits.ts';
import { nextCursor } from './cursor.ts';
import { type LiveOptions, startOf } from './stream.ts';
import type { StreamRequest } from './stream-request.ts';

/**
 * Follows a stream until it is closed, its time is up or the client is gone.
 * @throws Problem 410, before anything of the answer is written
 */
export function serverSentEvents(stream: Stream, request: StreamRequest, live: LiveOptions): Response {
  const gone = new AbortController();
  const start = startOf(stream, request.offset);
  stream.page(start);
  const frames = follow(stream, start, request.cursor, { ...live, signals: [...live.signals, gone.signal] });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      // Pulled, never pushed: a reader that does not read costs one frame.
      async pull(controller) {
        const frame = await frames.next().catch(endOfFreed);
        if (frame.done) controller.close();
        else controller.enqueue(encoder.encode(frame.value));
      },
      async cancel() {
        gone.abort();
        await frames.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } });
}

/** A stream that was freed while it was followed ends here; who asks again is told 410. */
function endOfFreed(error: unknown): IteratorResult<string, void> {
  if (error instanceof Problem) return { done: true, value: undefined };
  throw error;
}

async function* follow(
  stream: Stream,
  start: number,
  asked: StreamRequest['cursor'],
  live: LiveOptions,
): AsyncGenerator<string, void> {
  const until = live.now() + SSE_RECYCLE_MS;
  let index = start;
  let cursor = asked;
  for (let first = true; ; first = false) {
    const page = stream.page(index);
    index = page.next;
    const news = page.records.length > 0;
    if (news) yield event('data', JSON.stringify(page.records));
    if (news || first || page.closed) {
      const streamCursor = nextCursor(live.now(), cursor, live.random);
      cursor = Number(streamCursor);
      yield event(
        'control',
        JSON.stringify({ ...position(stream, index, page), ...(page.closed ? {} : { streamCursor }) }),
      );
    } else yield ': still here\n\n';
    if (page.closed || live.signals.some(({ aborted }) => aborted) || live.now() >= until) return;
    if (page.upToDate) await parked(stream, index, live.signals);
  }
}

const position = (stream: Stream, index: number, page: { upToDate: boolean; closed: boolean }) => ({
  streamNextOffset: stream.offset(index),
  ...(page.upToDate ? { upToDate: true } : {}),
  ...(page.closed ? { streamClosed: true } : {}),
});

async function parked(stream: Stream, index: number, signals: readonly AbortSignal[]): Promise<void> {
  const heartbeat = new AbortController();
  const timer = setTimeout(() => heartbeat.abort(), SSE_HEARTBEAT_MS);
  await stream.wait(index, [...signals, heartbeat.signal]);
  clearTimeout(timer);
}

/** JSON holds no line break, so that one `data:` line carries it. */
const event = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`;
