/**
 * One attempt on undici: what came of it, as far as it came. Nothing is judged here and nothing is sent twice; a redirect is
 * an answer like any other (TW-CER-020).
 */
import type { Dispatcher } from 'undici';
import type { Answer } from './certainty.ts';
import { type EvidenceName, protocol } from './gen/protocol.ts';
import { answerBytes, firstFinalStatus } from './limits.ts';

/** What is sent. */
export interface HttpRequest {
  readonly method: string;
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How one attempt is run. */
export interface AttemptOptions {
  /** Milliseconds for the whole attempt, or for each silence of a `sink`. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Takes the body of a good answer piece by piece instead of collecting it; `false` pauses the socket until `resume`. */
  readonly sink?: BodySink;
  /** Called when there is a connection; no byte of the request is written before it resolves, and none when it rejects. */
  readonly hold?: () => Promise<void>;
}

/** A reader of a body that does not end. */
export interface BodySink {
  head(answer: Answer, resume: () => void): boolean;
  chunk(text: string): boolean;
}

/** What came of one attempt. */
export interface Exchange {
  readonly response?: Answer;
  readonly error?: unknown;
  /** Evidence that is known by name. */
  readonly kind?: EvidenceName;
  /** The caller had aborted when it ended. */
  readonly aborted: boolean;
}

/** Runs one attempt. Never rejects. */
export function exchange(dispatcher: Dispatcher, request: HttpRequest, options: AttemptOptions): Promise<Exchange> {
  return new Promise((resolve) => new Attempt(dispatcher, request, options, resolve));
}

class Attempt implements Dispatcher.DispatchHandler {
  readonly #options: AttemptOptions;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #head: boolean;
  readonly #text = new TextDecoder();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: Answer | undefined;
  #sinking = false;
  #pieces: string[] = [];
  #bytes = 0;
  #settled = false;
  /** There is a connection, and nothing was written to it yet. */
  #holding = false;

  constructor(
    dispatcher: Dispatcher,
    request: HttpRequest,
    options: AttemptOptions,
    resolve: (exchange: Exchange) => void,
  ) {
    this.#options = options;
    this.#resolve = resolve;
    this.#head = request.method === 'HEAD';
    if (options.signal?.aborted) this.#settle({ aborted: true });
    else this.#begin(dispatcher, request);
  }

  #begin(dispatcher: Dispatcher, { method, origin, path, headers, body }: HttpRequest): void {
    this.#options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#rearm();
    const wire = { origin, path, headers, body: body ?? null, headersTimeout: 0, bodyTimeout: 0 };
    const { hold } = this.#options;
    const held = hold === undefined || body === undefined ? {} : this.#held(hold, headers, body);
    try {
      dispatcher.dispatch({ ...wire, ...held, method: method as Dispatcher.HttpMethod }, this);
    } catch (error) {
      this.#settle({ error, aborted: false });
    }
  }

  /** undici asks a body that comes in pieces for the first one when it has a socket, and writes the head with it. */
  #held(hold: () => Promise<void>, headers: HttpRequest['headers'], body: string) {
    const bytes = Buffer.from(body);
    const attempt = this;
    async function* pieces() {
      attempt.#holding = true;
      try {
        await hold();
      } catch (error) {
        attempt.#settle({ kind: 'connect_failed', error, aborted: false });
        throw error;
      }
      // It was given up meanwhile: a copy that nobody waits for must not leave.
      if (attempt.#settled) throw new Error('the attempt is over');
      attempt.#holding = false;
      yield bytes;
    }
    return { body: pieces(), headers: { ...headers, 'content-length': String(bytes.length) } };
  }

  // Until it has a socket undici looks at no signal: an attempt that ended before is dropped here, and nothing is written.
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('the attempt is over'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx comes before the answer.
    if (this.#settled || status < firstFinalStatus) return;
    this.#answer = { status, headers };
    const { sink } = this.#options;
    if (sink === undefined || status >= protocol.constants.errorFromStatus) return;
    this.#sinking = true;
    this.#rearm();
    const resume = () => {
      if (!this.#settled && controller.paused) this.#rearm();
      controller.resume();
    };
    if (!sink.head(this.#answer, resume)) this.#pause(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    if (this.#sinking) {
      this.#rearm();
      if (this.#options.sink?.chunk(this.#text.decode(chunk, { stream: true })) === false) this.#pause(controller);
      return;
    }
    this.#bytes += chunk.length;
    if (this.#bytes > answerBytes) this.#settle({ kind: 'body_truncated', aborted: false });
    else this.#pieces.push(this.#text.decode(chunk, { stream: true }));
  }

  onResponseEnd(): void {
    if (this.#settled || this.#answer === undefined) return;
    const text = this.#pieces.join('') + this.#text.decode();
    const bodyless =
      this.#head || this.#sinking || (text === '' && this.#answer.status < protocol.constants.errorFromStatus);
    this.#settle({ response: bodyless ? this.#answer : { ...this.#answer, body: parsed(text) }, aborted: false });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // The socket went while the request was held back: it is proved that no byte of it was written.
    const unsent = this.#holding ? ({ kind: 'connect_failed' } as const) : {};
    this.#settle({ ...unsent, error, aborted: false });
  }

  readonly #onAbort = (): void => this.#settle({ aborted: true });

  /** The silence of a reader is not the peer's. */
  #pause(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.#timer);
    controller.pause();
  }

  #rearm(): void {
    clearTimeout(this.#timer);
    // Not undici's timers and not the ladder's clock: a socket lives in real time.
    this.#timer = setTimeout(() => this.#settle({ kind: 'attempt_timeout', aborted: false }), this.#options.timeoutMs);
  }

  #settle(exchange: Exchange): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    const whole = exchange.response !== undefined;
    if (!whole) this.#controller?.abort(new Error('the attempt is over'));
    // A status line that came counts, whatever became of the body (TW-CER-010, TW-CER-011).
    const cut = !whole && this.#answer !== undefined ? { response: { ...this.#answer, bodyLost: true } } : {};
    const resolve = () => this.#resolve({ ...exchange, ...cut });
    // undici gives the socket back one turn of the loop later: what is sent next would open another one.
    if (whole) queueMicrotask(() => setImmediate(resolve));
    else resolve();
  }
}

/** The JSON value of a text, or the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
