/** The run feed as Server-Sent Events: level-triggered, committed state only, the first frame a snapshot (TW-FED). */
import { checkParameters, type Logger } from '@turnwire/server';
import type { Context } from 'hono';
import type { FeedEvent } from '../host/port.ts';
import { requireInstance } from './auth.ts';
import type { Deps } from './deps.ts';
import { parameter } from './parameters.ts';
import { asked } from './refusals.ts';

export const readRunEvents = (deps: Deps) => (c: Context) => {
  requireInstance(c, deps.tokens);
  const host = deps.service.host('starting');
  checkParameters(c, 'orchestrator', 'readRunEvents');
  return answered(c, deps, (signal) => host.feed(parameter(c, 'runId'), signal));
};

export const readEvents = (deps: Deps) => (c: Context) => {
  requireInstance(c, deps.tokens);
  const host = deps.service.host('starting');
  checkParameters(c, 'orchestrator', 'readEvents');
  return answered(c, deps, (signal) => host.feed(undefined, signal));
};

const EVENT_STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

async function answered(
  c: Context,
  deps: Deps,
  open: (signal: AbortSignal) => AsyncIterable<FeedEvent>,
): Promise<Response> {
  const { signal, done } = deps.service.waiting(c.req.raw.signal);
  try {
    const frames = await asked(() => open(signal)[Symbol.asyncIterator]());
    // The first frame is read before the status is written, so that an unknown run is a 404 and not a broken stream.
    const first = await asked(() => frames.next());
    const stream = eventStream(first, frames, { commentMs: deps.feedCommentMs, log: deps.log, leave: done });
    return c.body(stream, 200, EVENT_STREAM);
  } catch (error) {
    done();
    throw error;
  }
}

interface StreamOptions {
  readonly commentMs: number;
  readonly log: Logger;
  /** The reader is gone, or there is nothing more to read. */
  readonly leave: () => void;
}

function eventStream(
  first: IteratorResult<FeedEvent>,
  frames: AsyncIterator<FeedEvent>,
  { commentMs, log, leave }: StreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let ahead: IteratorResult<FeedEvent> | undefined = first;
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    clearInterval(timer);
    leave();
  };
  return new ReadableStream({
    start(controller) {
      // Not into a full buffer: a reader that stands still must not make the process grow.
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still here\n\n'));
      }, commentMs);
      timer.unref();
    },
    async pull(controller) {
      try {
        const next = ahead ?? (await frames.next());
        ahead = undefined;
        if (!next.done) return controller.enqueue(encoder.encode(frameText(next.value)));
      } catch (error) {
        log.warn({ err: error }, 'a feed ended early');
      }
      end();
      controller.close();
    },
    async cancel() {
      end();
      await frames.return?.();
    },
  });
}

/** One frame. `id` and `at` are the record's own (TW-FED-002). */
export function frameText({ id, type, at, runId, data }: FeedEvent): string {
  const body = JSON.stringify({ ...data, id, type, at, ...(runId !== undefined && { runId }) });
  return `id: ${id}\nevent: ${type}\ndata: ${body}\n\n`;
}
