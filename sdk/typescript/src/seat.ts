/**
 * A seat: one call that may need several attempts. It counts, judges, asks `decide`, sleeps the ladder, and knows what is
 * proved about all copies together. What an answer means to the caller is for the seat's own file.
 */
import { setMaxListeners } from 'node:events';
import { checkMs, checkSignal } from './arguments.ts';
import { type Answer, classify, headerOf, isOurs, type Verdict } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import { type FaultContext, TurnwireFault } from './fault.ts';
import { protocol } from './gen/protocol.ts';
import { type Internals, internals } from './internals.ts';
import { longestTimerMs } from './limits.ts';
import type { Said } from './meaning.ts';
import { lastOf, problemOf, reasonOf } from './reason.ts';
import { type Decision, decide, type Fences, type RetryState, retryAfterMs } from './retry.ts';
import { Meter } from './routability.ts';
import type { Certainty, SeatPolicy } from './table.ts';
import { type BodySink, type Exchange, exchange, type HttpRequest } from './transport.ts';

/** One attempt, judged. */
export interface Attempt {
  readonly verdict: Verdict;
  /** An answer of ours, as far as it came. */
  readonly answer?: Answer;
  /** What it says, where there is one. */
  readonly said?: Said;
  /** Our 2xx came, and its body is lost; a seat sets it too for one that makes no sense. */
  answerLost: boolean;
  readonly aborted: boolean;
  /** `clock.now()` when it began. */
  readonly startedAt: number;
  readonly ms: number;
  readonly last: string;
  readonly reason: string;
  readonly retryAfterMs?: number;
  readonly error?: unknown;
  /** The body was longer than we take; it will be the next time. */
  readonly tooLong: boolean;
  /** Where it was sent, without a query. */
  readonly url: string;
}

export type Stop = Extract<Decision, { action: 'stop' }>;

/** A call of one seat at one connection. */
export class SeatCall {
  readonly seat: string;
  readonly policy: SeatPolicy;
  /** Aborted by the caller or by `close()`. */
  readonly signal: AbortSignal;
  readonly internals: Internals;
  readonly options: CallOptions | undefined;
  /** A copy may have had its effect, and no answer told. */
  inDoubt = false;
  attempts = 0;
  url: string;
  readonly #controller = new AbortController();
  readonly #meter: Meter;
  readonly #startedAt: number;
  #state: RetryState;

  constructor(connection: Connection, seat: string, policy: SeatPolicy, options: CallOptions | undefined) {
    checkMs(options?.windowMs, Number.POSITIVE_INFINITY, 'windowMs');
    checkMs(options?.attemptMs, longestTimerMs, 'attemptMs');
    checkSignal(options?.signal, 'signal');
    this.internals = connection[internals];
    this.seat = seat;
    this.policy = options?.windowMs === undefined ? policy : { ...policy, windowMs: options.windowMs };
    this.options = options;
    this.#startedAt = this.internals.clock.now();
    this.#state = { startedAt: this.#startedAt, rung: 0 };
    this.#meter = new Meter(seat, this.internals.clock);
    this.url = this.internals.origin + this.internals.prefix;
    this.signal = this.#controller.signal;
    this.#listen(options?.signal);
  }

  get elapsedMs(): number {
    return this.internals.clock.now() - this.#startedAt;
  }

  /** Sends one copy. `pollMs` is what the peer may park it for; another `signal` replaces the call's own. */
  async attempt(request: HttpRequest, how: AttemptHow = {}): Promise<Attempt> {
    const { pool, clock } = this.internals;
    if (how.counted !== false) this.attempts++;
    this.url = request.origin + request.path.split('?', 1)[0];
    const dispatcher = pool.borrow();
    const startedAt = clock.now();
    const result = await exchange(dispatcher, request, {
      timeoutMs: this.#timeout(how),
      signal: how.signal ?? this.signal,
      ...(how.sink === undefined ? {} : { sink: how.sink }),
      ...(how.hold === undefined ? {} : { hold: how.hold }),
    });
    const verdict = classify(result);
    pool.giveBack(result.response === undefined);
    if (mustDialAnew(result, verdict)) pool.renew(dispatcher);
    const answer = result.response !== undefined && isOurs(result.response) ? result.response : undefined;
    const retryAfter = result.response === undefined ? undefined : retryAfterOf(result.response);
    return {
      verdict,
      ...(answer === undefined ? {} : { answer, said: { status: answer.status, code: verdict.code } }),
      answerLost: verdict.certainty === 'delivered' && answer?.bodyLost === true,
      aborted: this.signal.aborted || result.aborted,
      startedAt,
      ms: clock.now() - startedAt,
      last: lastOf(result, verdict),
      reason: reasonOf(result, verdict),
      ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
      error: result.error,
      tooLong: result.kind === 'body_truncated',
      url: this.url,
    };
  }

  /** Decides, and sleeps the ladder where it goes on. An abort during the sleep stops it. */
  async next(attempt: Attempt, fences: Fences = {}, policy: SeatPolicy = this.policy): Promise<Decision> {
    const decision = this.decide(attempt, fences, policy);
    if (decision.action === 'stop') return decision;
    await this.pause(attempt, decision.delayMs);
    return this.signal.aborted ? { action: 'stop', because: 'aborted' } : decision;
  }

  /** Decides without sleeping, and remembers what the attempt proved. */
  decide(attempt: Attempt, fences: Fences = {}, policy: SeatPolicy = this.policy): Decision {
    const { clock, random } = this.internals;
    const status = attempt.answer?.status;
    const outcome = { ...attempt, ...(status === undefined ? {} : { status }) };
    const decision = decide(policy, outcome, this.#state, fences, { now: clock.now(), random });
    if (attempt.verdict.certainty === 'unknown' || attempt.answerLost) this.inDoubt = true;
    if (decision.action === 'stop') return decision;
    this.#state = decision.state;
    // What was answered as it should be and is asked again (a parked poll) costs nobody anything.
    if (attempt.verdict.certainty !== 'delivered' || attempt.answerLost)
      this.#meter.failed(attempt.startedAt, attempt.last);
    else this.#meter.answered();
    return decision;
  }

  /** One sleep of the ladder, told to whoever listens. */
  async pause(attempt: Attempt, delayMs: number): Promise<void> {
    if (attempt.verdict.certainty !== 'delivered' || attempt.answerLost) {
      const retry = {
        seat: this.seat,
        attempt: this.attempts,
        delayMs,
        certainty: attempt.verdict.certainty,
        last: attempt.last,
        reason: attempt.reason,
      };
      tell(this.internals.hooks.onRetry, retry);
      tell(this.options?.onRetry, retry);
    }
    if (delayMs > 0) await this.internals.clock.sleep(delayMs, this.signal);
  }

  /** The ladder and the window begin anew: the peer answered, and the seat goes on. */
  answered(): void {
    this.#meter.answered();
    this.#state = { startedAt: this.internals.clock.now(), rung: 0 };
  }

  /** The seat is over: its line, and nothing left behind. */
  finish(ok: boolean): void {
    this.internals.closing.calls.delete(this.#abort);
    this.options?.signal?.removeEventListener('abort', this.#abort);
    const line = this.#meter.line(this.url, ok);
    if (line === undefined) return;
    tell(this.internals.hooks.log, line);
    tell(this.internals.hooks.metric, line);
  }

  /** The fault of a seat that stopped at `attempt`, or before its first one. */
  fault(attempt: Attempt | undefined, because: Stop['because'], more: Partial<FaultContext> = {}): TurnwireFault {
    const aborted = because === 'aborted';
    return new TurnwireFault({
      seat: this.seat,
      certainty: this.#certainty(attempt, because),
      code: aborted ? 'aborted' : faultCode(attempt, because),
      status: attempt?.answer?.status,
      problem: problemOf(attempt?.answer),
      store: attempt?.answer === undefined ? undefined : headerOf(attempt.answer, protocol.headers.store),
      address: this.url,
      attempts: this.attempts,
      elapsedMs: this.elapsedMs,
      permanent: attempt?.verdict.permanent,
      cause: aborted ? (this.options?.signal?.reason ?? attempt?.error) : attempt?.error,
      reason: aborted && attempt?.answer === undefined ? this.#abortReason() : (attempt?.reason ?? 'nothing was sent'),
      ...more,
    });
  }

  /** What is proved about all copies together: a final answer decides, else one copy in doubt is doubt. */
  #certainty(attempt: Attempt | undefined, because: Stop['because']): Certainty {
    if (attempt === undefined) return 'unknown';
    if (because === 'final' || attempt.answerLost) return attempt.verdict.certainty;
    return this.inDoubt ? 'unknown' : attempt.verdict.certainty;
  }

  #abortReason(): string {
    return this.internals.closing.closed ? 'the connection was closed' : 'the call was aborted';
  }

  #timeout({ pollMs = 0, timeoutMs }: AttemptHow): number {
    if (timeoutMs !== undefined) return timeoutMs;
    const own = this.options?.attemptMs ?? this.policy.attemptMs;
    return this.policy.plusPoll === true ? own + pollMs : own;
  }

  #listen(signal: AbortSignal | undefined): void {
    const { closing } = this.internals;
    closing.calls.add(this.#abort);
    if (closing.closed || signal?.aborted) this.#abort();
    if (signal === undefined) return;
    // A host gives all its calls the same signal; each takes its listener away again.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  readonly #abort = (): void => this.#controller.abort();
}

/** How one attempt differs from the seat's usual one. */
export interface AttemptHow {
  readonly pollMs?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly sink?: BodySink;
  /** Awaited between the connection and the first byte. */
  readonly hold?: () => Promise<void>;
  /** `false`: no copy of the seat's own request, so it is not counted as one. */
  readonly counted?: boolean;
}

/** Who listens decides nothing: a logger that throws must not lose an Admission that is already made. */
function tell<Value>(hook: ((value: Value) => void) | undefined, value: Value): void {
  try {
    hook?.(value);
  } catch {
    // Its own affair; there is nobody here to tell it to.
  }
}

function faultCode(attempt: Attempt | undefined, because: Stop['because']): string {
  if (attempt === undefined) return 'unknown';
  if (attempt.verdict.code !== undefined) return attempt.verdict.code;
  if (attempt.answerLost) return 'answer_lost';
  if (because === 'final') return 'bad_response';
  return attempt.verdict.certainty === 'unknown' && because === 'policy' ? 'unknown' : 'unreachable';
}

/**
 * TW-RET-020: neither what failed nor the socket of a peer that says it is going is used again. An abort is no failure of
 * the socket.
 */
function mustDialAnew({ response, aborted }: Exchange, { certainty }: Verdict): boolean {
  if (aborted) return false;
  if (certainty === 'unknown' || certainty === 'never_delivered') return true;
  return response !== undefined && response.status >= protocol.constants.serverErrorFromStatus;
}

function retryAfterOf(answer: Answer): number | undefined {
  return retryAfterMs(headerOf(answer, protocol.headers.retryAfter), headerOf(answer, 'date'), Date.now());
}
