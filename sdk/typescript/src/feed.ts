import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { checkSegment } from './arguments.ts';
import { type Answer, headerOf, isOurs } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import type { TurnwireFault } from './fault.ts';
import { internals } from './internals.ts';
import { feedBacklog, feedSilenceMs } from './limits.ts';
import { policyOf, requestOf } from './request.ts';
import { type Attempt, SeatCall } from './seat.ts';
import type { BodySink } from './transport.ts';
import type { FeedEvent, JsonValue } from './wire.ts';

/**
 * Follows a feed (seat `feed`): of one run until its terminal status, or of all runs for as long as it is read. A cut is
 * followed by a new `snapshot`, the whole state as it is committed then (TW-FED-001): what lies between is not repeated. The
 * window of 30 s counts from the last time that the feed was open.
 *
 * @throws While iterating: TurnwireFault `unknown_run`, the code of another final answer, `unreachable`, `aborted`.
 * @throws TypeError naming the argument that is wrong.
 */
export function runEvents(
  connection: Connection,
  of: { runId?: string } = {},
  options?: CallOptions,
): AsyncIterable<FeedEvent> {
  if (of.runId !== undefined) checkSegment(of.runId, 'runId');
  return { [Symbol.asyncIterator]: () => follow(connection, of.runId, options) };
}

async function* follow(
  connection: Connection,
  runId: string | undefined,
  options: CallOptions | undefined,
): AsyncGenerator<FeedEvent> {
  const operation = runId === undefined ? 'readEvents' : 'readRunEvents';
  const asked = {
    operation,
    ...(runId !== undefined && { path: { runId } }),
    headers: { accept: 'text/event-stream' },
  };
  const request = requestOf(connection[internals], asked, options);
  const call = new SeatCall(connection, 'feed', policyOf(operation, 'feed'), options);
  let ok = false;
  try {
    if (call.signal.aborted) throw call.fault(undefined, 'aborted');
    for (;;) {
      const frames = new Frames(() => call.answered());
      // A reader that leaves ends the request, not only its own interest in it.
      const leave = new AbortController();
      const onAbort = () => leave.abort();
      call.signal.addEventListener('abort', onAbort, { once: true });
      const ended = call.attempt(request, { timeoutMs: feedSilenceMs, sink: frames, signal: leave.signal });
      ended.then((attempt) => frames.close(attempt));
      let over = false;
      try {
        for await (const event of frames) {
          yield event;
          over ||= runId !== undefined && isTerminal(event);
        }
      } finally {
        leave.abort();
        call.signal.removeEventListener('abort', onAbort);
      }
      ok = over;
      if (over) return;
      const attempt = await ended;
      await again(call, attempt, frames.opened);
    }
  } finally {
    call.finish(ok);
  }
}

/** Sleeps the ladder before the feed is opened anew, or faults. */
async function again(call: SeatCall, attempt: Attempt, opened: boolean): Promise<void> {
  // A feed that was open and ended is a cut, however cleanly it ended.
  attempt.answerLost = opened;
  const decision = await call.next(attempt);
  if (decision.action !== 'stop') return;
  throw call.fault(attempt, decision.because) as TurnwireFault;
}

/** The terminal status of a run: what its feed ends with (TW-FED-005). */
function isTerminal({ event, data }: FeedEvent): boolean {
  const runs = event === 'snapshot' && Array.isArray(data.runs) ? data.runs : [data];
  if (event !== 'run.status' && event !== 'snapshot') return false;
  const first = runs[0];
  const status = typeof first === 'object' && first !== null && !Array.isArray(first) ? first.status : undefined;
  return status === 'done' || status === 'error' || status === 'cancelled';
}

/** The frames of one response, as they come. */
class Frames implements BodySink, AsyncIterable<FeedEvent> {
  opened = false;
  readonly #onOpen: () => void;
  readonly #parser = createParser({ onEvent: (message) => this.#take(message) });
  readonly #waiting: FeedEvent[] = [];
  #resume: (() => void) | undefined;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(onOpen: () => void) {
    this.#onOpen = onOpen;
  }

  head(answer: Answer, resume: () => void): boolean {
    this.#resume = resume;
    this.opened = isOurs(answer) && (headerOf(answer, 'content-type') ?? '').startsWith('text/event-stream');
    if (this.opened) this.#onOpen();
    return true;
  }

  chunk(text: string): boolean {
    if (this.opened) this.#parser.feed(text);
    return this.#waiting.length < feedBacklog;
  }

  close(_attempt: Attempt): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<FeedEvent> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) {
        if (this.#waiting.length === 0) this.#resume?.();
        yield event;
      } else if (this.#closed) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #take(message: EventSourceMessage): void {
    const data = objectOf(message.data);
    if (data === undefined) return;
    const event = { event: message.event ?? 'message', ...(message.id === undefined ? {} : { id: message.id }), data };
    this.#waiting.push(event);
    this.#wake?.();
  }
}

/** A frame that is no JSON object is nothing that a reader knows (TW-FED-006). */
function objectOf(text: string): { [member: string]: JsonValue } | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
