import type { Socket } from 'node:net';
import { headerIn, type Message } from './http1.ts';
import type { Arrival, Connected, FaultRecord } from './record.ts';
import type { RequestStep } from './script.ts';
import type { Upstream } from './upstream.ts';
import type { Wire } from './wire.ts';

/** One request on one connection, and everything that a fault needs to be done to it. */
export class Exchange {
  readonly wire: Wire;
  readonly connection: Connected;
  readonly request: Message;
  readonly arrival: Arrival;
  readonly record: FaultRecord;
  readonly upstream: Upstream;
  readonly random: () => number;
  readonly #owned: Set<Socket>;
  #sealed = false;
  #step: RequestStep | undefined;

  constructor(parts: {
    wire: Wire;
    connection: Connected;
    request: Message;
    record: FaultRecord;
    upstream: Upstream;
    random: () => number;
    owned: Set<Socket>;
  }) {
    this.wire = parts.wire;
    this.connection = parts.connection;
    this.request = parts.request;
    this.record = parts.record;
    this.upstream = parts.upstream;
    this.random = parts.random;
    this.#owned = parts.owned;
    this.arrival = parts.record.arriving(parts.connection.n);
  }

  /** What is done to it; `pass` until that is chosen. */
  get step(): RequestStep {
    return this.#step ?? { on: 'request', fault: 'pass' };
  }

  set step(step: RequestStep) {
    this.#step = step;
  }

  /** Records the request as it is now: all of it, or all that will come. */
  seal(): void {
    if (this.#sealed) return;
    this.#sealed = true;
    this.record.arrived(this.arrival);
  }

  /** The proxy ends these when it closes. */
  own(socket: Socket): void {
    this.#owned.add(socket);
    socket.once('close', () => this.#owned.delete(socket));
  }

  /** Takes more of the request; `undefined` when the client is gone. */
  async more(): Promise<Buffer | undefined> {
    const piece = await this.wire.next();
    if (piece === undefined) return undefined;
    const before = this.request.bytes.length;
    this.request.push(piece);
    this.connection.bytes += piece.length;
    this.#note();
    if (this.request.whole) this.wire.unread(this.request.rest);
    return this.request.bytes.subarray(before);
  }

  /** Takes all of the request. False: the client went before. */
  async takeWhole(): Promise<boolean> {
    while (!this.request.whole) if ((await this.more()) === undefined) return false;
    return true;
  }

  #note(): void {
    const { arrival, request } = this;
    const [method = '', target = ''] = (request.startLine ?? '').split(' ');
    const { head } = request;
    arrival.bytes = request.bytes;
    if (head !== undefined) {
      arrival.headers = Object.fromEntries(head.headers.map(([name]) => [name, headerIn(head, name) ?? '']));
      arrival.body = request.body;
    }
    if (request.startLine !== undefined) Object.assign(arrival, { method, target });
    if (!request.whole || arrival.whole) return;
    arrival.whole = true;
    arrival.wholeAt = this.record.now;
    // Before it is chosen what is done to it there is nothing to record yet.
    if (this.#step !== undefined) this.seal();
  }
}
