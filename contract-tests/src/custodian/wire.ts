/** One connection of the Harness's side: what is written to it and what comes back, byte for byte. */
import { connect, type Socket } from 'node:net';
import { Message } from '../faults/http1.ts';
import { resetSocket } from '../faults/wire.ts';
import { type Answer, NoAnswer, parsed } from '../harness/wire.ts';
import { nameOf } from '../run/answered.ts';
import { until } from '../run/until.ts';
import type { Ask } from './case.ts';
import type { Asked } from './request.ts';

export interface Got extends Answer {
  readonly body: Buffer;
  /** Header names and values as they came, in their order. */
  readonly raw: readonly (readonly [string, string])[];
}

export interface Exchange {
  readonly answers: readonly Got[];
  /** Everything that came. */
  readonly bytes: Buffer;
  /** The other side ended the connection. */
  readonly closed: boolean;
  readonly ms: number;
  /** Method and target. */
  readonly request: string;
  /** `performance.now()` when the request began to go out. */
  readonly startedAt: number;
}

export interface ExchangeOptions {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** It goes away at this moment, whatever has come. */
  readonly leaves: boolean;
  readonly leaveWhen: () => Promise<void>;
}

/** Milliseconds between two reads of a slow reader, and the bytes of each. */
const slow = { ms: 2, bytes: 65_536 };
/** Milliseconds that the next request on a connection waits for the answer to the one before. */
const inTurnMs = 30_000;

export async function exchange(asked: Asked, ask: Ask, options: ExchangeOptions): Promise<Exchange> {
  const socket = await opened(options);
  const startedAt = performance.now();
  const reading = new Reading(socket, asked.method, ask);
  try {
    void send(socket, asked, ask, reading);
    if (options.leaves) await options.leaveWhen();
    else await reading.done(ask.forMs ?? options.timeoutMs);
    return reading.exchange(asked, startedAt);
  } finally {
    resetSocket(socket);
  }
}

function opened({ host, port }: ExchangeOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) => reject(new NoAnswer(`could not be connected to: ${error.message}`)));
    socket.on('error', () => undefined);
  });
}

async function send(socket: Socket, asked: Asked, { everyMs }: Ask, reading: Reading): Promise<void> {
  const { head, pieces, inTurn } = asked;
  if (everyMs === undefined && !inTurn) return void socket.write(Buffer.concat([head, ...pieces]));
  for (const [index, piece] of [head, ...pieces].entries()) {
    if (inTurn) await until(() => reading.whole >= index || socket.destroyed, inTurnMs);
    if (socket.destroyed || !socket.writable) return;
    socket.write(piece);
    if (everyMs !== undefined) await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** What comes, as the answers that it is. */
class Reading {
  readonly #messages: { message: Message; at: number; headAt: number }[] = [];
  readonly #pieces: Buffer[] = [];
  #closed = false;
  #finish: () => void = () => undefined;

  constructor(
    readonly socket: Socket,
    readonly method: string,
    readonly ask: Ask,
  ) {
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.once('end', () => this.#over());
    socket.once('close', () => this.#over());
  }

  /** Resolves when as many answers as are wanted came, or no more will. */
  done(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#finish = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#isEnough()) this.#finish();
    });
  }

  exchange(asked: Asked, startedAt: number): Exchange {
    const answers = this.#messages.flatMap((each) => answerOf(each, asked, startedAt));
    const bytes = Buffer.concat(this.#pieces);
    const request = nameOf({ method: asked.method, path: asked.target });
    return { answers, bytes, closed: this.#closed, ms: performance.now() - startedAt, startedAt, request };
  }

  #take(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#push(piece);
    if (this.#isEnough()) this.#finish();
    else if (this.ask.unread) this.socket.pause();
    else if (this.ask.slowly && piece.length >= slow.bytes) this.#rest();
  }

  #push(piece: Buffer): void {
    let last = this.#messages.at(-1);
    if (!last || last.message.whole) {
      last = { message: Message.answer(this.method), at: 0, headAt: 0 };
      this.#messages.push(last);
    }
    last.message.push(piece);
    last.at = performance.now();
    if (last.message.head && last.headAt === 0) last.headAt = last.at;
    const { rest, whole } = last.message;
    if (whole && rest.length > 0) this.#push(Buffer.from(rest));
  }

  #rest(): void {
    this.socket.pause();
    setTimeout(() => this.socket.resume(), slow.ms);
  }

  #over(): void {
    if (!this.#closed) this.#messages.at(-1)?.message.ended();
    this.#closed = true;
    this.#finish();
  }

  #isEnough(): boolean {
    if (this.#closed) return true;
    if (this.ask.leave === 'answered') return this.#messages.some(({ message }) => message.body.length > 0);
    return this.whole >= (this.ask.answers ?? 1);
  }

  /** Answers that came whole. */
  get whole(): number {
    return this.#messages.filter(({ message }) => message.whole).length;
  }
}

function answerOf(
  { message, at, headAt }: { message: Message; at: number; headAt: number },
  { method, target: path }: Asked,
  startedAt: number,
): Got[] {
  const { head, body, whole } = message;
  if (!head) return [];
  const headers: Record<string, string> = {};
  for (const [name, value] of head.headers)
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  const text = body.toString();
  const json = parsed(text);
  const status = Number(head.startLine.split(' ')[1]);
  const times = { ms: at - startedAt, headMs: headAt - startedAt };
  const got = { method, path, status, headers, text, whole, body, raw: head.headers, ...times };
  return [json === undefined ? got : { ...got, json }];
}
