import { checkText, need } from './arguments.ts';
import { type Answer, headerOf } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import type { FaultContext } from './fault.ts';
import { protocol } from './gen/protocol.ts';
import { type Internals, internals } from './internals.ts';
import { documented, refusesCredential, says } from './meaning.ts';
import { policyOf, wireRequest } from './request.ts';
import { type Attempt, SeatCall } from './seat.ts';
import type { SeatPolicy } from './table.ts';
import type { HttpRequest } from './transport.ts';
import type { Settlement, StreamRecord } from './wire.ts';

const { headers, constants } = protocol;

/** Options of a wait. */
export interface WaitOptions extends CallOptions {
  /** The stream answered, with or without something new: whoever looks for silence hears that there is none. */
  onAnswer?: () => void;
}

/** A wait on a Submission: its records, and how it ended. */
export interface Wait extends AsyncIterable<StreamRecord> {
  /** Everything before it has been yielded: a wait that is begun here misses nothing. */
  readonly offset: string;
  /**
   * Follows the stream to the Settlement. Use it instead of iterating, or after: the records that it passes are not
   * yielded again.
   */
  settlement(): Promise<Settlement>;
}

/**
 * Waits on a stream from an offset: catch-up first, then long-polls (seat `stream`). A cut is resumed at the same offset for
 * as long as it takes (TW-RET-014); the records end with `submission.settled`.
 *
 * @param at `streamUrl` as it was admitted, or its path and query; only the connection's own origin is asked (TW-RUN-013).
 * @throws While iterating: TurnwireFault `conversation_lost` (404 `unknown_conversation`), `stream_gone` (410),
 *   `unauthorized`, `forbidden`, `bad_response`, `aborted`.
 * @throws TypeError naming the argument that is wrong.
 */
export function wait(connection: Connection, at: { streamUrl: string; offset: string }, options?: WaitOptions): Wait {
  checkText(at.streamUrl, 'streamUrl');
  checkText(at.offset, 'offset');
  const base = connection[internals].origin;
  need(URL.canParse(at.streamUrl, base), 'streamUrl', 'a URL, or a path and query');
  return new StreamWait(connection, new URL(at.streamUrl, base), at.offset, options);
}

class StreamWait implements Wait {
  readonly #connection: Connection;
  readonly #url: URL;
  readonly #options: WaitOptions | undefined;
  #offset: string;
  #settlement: Settlement | undefined;
  #records: AsyncGenerator<StreamRecord> | undefined;
  #failure: unknown;

  constructor(connection: Connection, url: URL, offset: string, options: WaitOptions | undefined) {
    this.#connection = connection;
    this.#url = url;
    this.#offset = offset;
    this.#options = options;
  }

  get offset(): string {
    return this.#offset;
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamRecord> {
    this.#records ??= this.#read();
    return this.#records;
  }

  async settlement(): Promise<Settlement> {
    let next = await this[Symbol.asyncIterator]().next();
    while (next.done !== true) next = await this[Symbol.asyncIterator]().next();
    if (this.#settlement !== undefined) return this.#settlement;
    throw this.#failure ?? new Error('the wait was given up before its Settlement');
  }

  async *#read(): AsyncGenerator<StreamRecord> {
    const call = new SeatCall(this.#connection, 'stream', policyOf('readConversation', 'stream'), this.#options);
    let ok = false;
    try {
      if (call.signal.aborted) throw call.fault(undefined, 'aborted');
      if (this.#url.origin !== call.internals.origin) throw call.fault(undefined, 'final', elsewhere(this.#url));
      for await (const page of pages(call, this.#url, this.#offset, this.#options?.onAnswer)) {
        for (const record of page.records) {
          if (record.type === 'submission.settled') this.#settlement = settlementOf(record);
          yield record;
        }
        this.#offset = page.next;
        if (this.#settlement === undefined) continue;
        ok = true;
        return;
      }
    } catch (error) {
      this.#failure = error;
      throw error;
    } finally {
      call.finish(ok);
    }
  }
}

interface Page {
  readonly records: readonly StreamRecord[];
  readonly next: string;
  readonly closed: boolean;
  readonly live: boolean;
  readonly cursor: string | undefined;
}

/** Pages from an offset on, until the stream is closed. */
async function* pages(
  call: SeatCall,
  url: URL,
  from: string,
  onAnswer: (() => void) | undefined,
): AsyncGenerator<Page> {
  let at: Pick<Page, 'next' | 'live' | 'cursor'> = { next: from, live: false, cursor: undefined };
  for (;;) {
    const { page, attempt } = await onePage(call, url, at, onAnswer);
    at = page;
    if (page.records.length > 0) yield page;
    // TW-STR-023: an end without a Settlement is a loss, and no empty stream.
    if (page.closed) throw call.fault(attempt, 'final', bad('the stream is closed and holds no Settlement'));
  }
}

/** One page that brought something: records, the turn to long-polls, or the end. */
async function onePage(
  call: SeatCall,
  url: URL,
  at: Pick<Page, 'next' | 'live' | 'cursor'>,
  onAnswer: (() => void) | undefined,
): Promise<{ page: Page; attempt: Attempt }> {
  let asked = at;
  for (;;) {
    const pollMs = asked.live ? constants.pollWaitSeconds * 1000 : 0;
    const attempt = await call.attempt(pageRequest(call.internals, url, asked, call.options), { pollMs });
    if (attempt.tooLong) throw call.fault(attempt, 'final', bad('a page that is longer than any that we take'));
    const page = attempt.answerLost ? undefined : readPage(attempt, asked, call, onAnswer);
    if (page !== undefined && (page.records.length > 0 || page.closed || page.live !== asked.live)) {
      call.answered();
      return { page, attempt };
    }
    if (page !== undefined) asked = page;
    const decision = await call.next(attempt, {}, page === undefined ? call.policy : askingOn(call.policy, attempt));
    if (decision.action !== 'stop') continue;
    throw call.fault(attempt, decision.because, decision.because === 'final' ? meaning(attempt) : {});
  }
}

/** A page that brings nothing is asked for again, whether it came as 204 or as 200. */
function askingOn(policy: SeatPolicy, { said }: Attempt): SeatPolicy {
  return said === undefined
    ? policy
    : { ...policy, answers: [...policy.answers, { status: [said.status, said.status] }] };
}

function pageRequest(
  connection: Internals,
  url: URL,
  at: Pick<Page, 'next' | 'live' | 'cursor'>,
  options: CallOptions | undefined,
): HttpRequest {
  // What the stream's own URL asks for is kept; it is opaque (TW-ADM-012).
  const query = new URLSearchParams(url.search);
  query.set('offset', at.next);
  if (at.live) query.set('live', 'long-poll');
  if (at.live && at.cursor !== undefined) query.set('cursor', at.cursor);
  return wireRequest(connection, 'GET', `${url.pathname}?${query}`, {}, options);
}

/** An answer as a page; `undefined` when there is none, a fault when it breaks the protocol. */
function readPage(
  attempt: Attempt,
  asked: Pick<Page, 'next' | 'live' | 'cursor'>,
  call: SeatCall,
  onAnswer: (() => void) | undefined,
): Page | undefined {
  const answer = attempt.answer;
  if (answer === undefined || attempt.verdict.certainty !== 'delivered') return undefined;
  const records = recordsOf(answer);
  if (records === undefined) {
    attempt.answerLost = true;
    return undefined;
  }
  const next = headerOf(answer, headers.streamNextOffset);
  // A page without the offset after it, or with records and the offset before them, would be read for ever.
  if (next === undefined || next === '')
    throw call.fault(attempt, 'final', bad('an answer without Stream-Next-Offset'));
  if (records.length > 0 && next === asked.next)
    throw call.fault(attempt, 'final', bad('records without a new offset'));
  onAnswer?.();
  return {
    records,
    next,
    closed: headerOf(answer, headers.streamClosed) === 'true',
    live: asked.live || headerOf(answer, headers.streamUpToDate) === 'true',
    cursor: headerOf(answer, headers.streamCursor) ?? asked.cursor,
  };
}

function recordsOf(answer: Answer): StreamRecord[] | undefined {
  if (documented('readConversation', answer.status)?.means === 'nothing_new') return [];
  if (!Array.isArray(answer.body)) return undefined;
  const records = answer.body as unknown[];
  const fine = records.every((each) => typeof each === 'object' && each !== null && 'type' in each);
  return fine ? (records as StreamRecord[]) : undefined;
}

function settlementOf(record: Extract<StreamRecord, { type: 'submission.settled' }>): Settlement {
  return { outcome: record.outcome, ...(record.error === undefined ? {} : { error: record.error }) };
}

/** A 404 ends a conversation only as `unknown_conversation`, a 410 only as `stream_gone` (TW-RET-026). */
function meaning({ said }: Attempt): Partial<FaultContext> {
  if (said === undefined || says(said, 'stream_gone') || refusesCredential(said)) return {};
  return { code: says(said, 'unknown_conversation') ? 'conversation_lost' : 'bad_response' };
}

function elsewhere(url: URL): Partial<FaultContext> {
  return { ...bad(`the stream is on another origin, ${url.origin}`), certainty: 'answered' };
}

function bad(reason: string): Partial<FaultContext> {
  return { code: 'bad_response', reason };
}
