import { appendFileSync } from 'node:fs';
import type { ConnectionFault, RequestFault } from './script.ts';

/** One connection that was made. */
export interface Connected {
  readonly n: number;
  /** Milliseconds since the proxy's start. */
  readonly at: number;
  readonly fault: ConnectionFault;
  /** Everything that was read from it, requests or not. */
  bytes: number;
  /** The other side has ended it, or we have reset it. */
  closed: boolean;
}

/** One request as far as it came. */
export interface Arrival {
  readonly n: number;
  readonly connection: number;
  /** Milliseconds since the proxy's start: its first byte. */
  readonly at: number;
  method: string;
  /** Path and query. */
  target: string;
  headers: Readonly<Record<string, string>>;
  /** What was read of it, byte for byte. */
  bytes: Buffer;
  body: Buffer;
  /** All of it arrived, at `wholeAt`. */
  whole: boolean;
  wholeAt?: number;
  fault: RequestFault;
  step?: string;
  /** Whole copies that the upstream was given. */
  copies: number;
  /** Status of the upstream's answer to the first copy. */
  upstream?: number;
  /** Status that the client was given. */
  answered?: number;
}

/** What arrived where, in memory and as JSON lines. */
export class FaultRecord {
  readonly connections: Connected[] = [];
  readonly requests: Arrival[] = [];
  readonly #startedAt = performance.now();
  readonly #file: string | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(file: string | undefined) {
    this.#file = file;
  }

  get now(): number {
    return performance.now() - this.#startedAt;
  }

  connected(fault: ConnectionFault): Connected {
    const connection = { n: this.connections.length + 1, at: this.now, fault, bytes: 0, closed: false };
    this.connections.push(connection);
    this.#say({ event: 'connected', connection: connection.n, fault });
    return connection;
  }

  arriving(connection: number): Arrival {
    const arrival: Arrival = {
      n: this.requests.length + 1,
      connection,
      at: this.now,
      method: '',
      target: '',
      headers: {},
      bytes: Buffer.alloc(0),
      body: Buffer.alloc(0),
      whole: false,
      fault: 'pass',
      copies: 0,
    };
    this.requests.push(arrival);
    return arrival;
  }

  /** The request is whole, or no more of it will come. */
  arrived(arrival: Arrival): void {
    const { n, connection, method, target, whole, fault, step } = arrival;
    const bytes = arrival.bytes.toString('base64');
    this.#say({ event: 'request', request: n, connection, method, target, whole, fault, ...(step && { step }), bytes });
  }

  /** The upstream was given a copy, and has answered it if it ever will. */
  delivered(arrival: Arrival): void {
    arrival.copies++;
    this.#say({ event: 'delivered', request: arrival.n, copy: arrival.copies });
  }

  /** The client was given these bytes. */
  answered(arrival: Arrival, bytes: Buffer): void {
    this.#say({ event: 'answer', request: arrival.n, bytes: bytes.toString('base64') });
  }

  closed(connection: Connected): void {
    connection.closed = true;
    this.#say({ event: 'closed', connection: connection.n, read: connection.bytes });
  }

  /** Calls `listener` after each event, until what is returned is called. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #say(event: Record<string, unknown>): void {
    const line = { at: Math.round(this.now * 1000) / 1000, ...event };
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Resolves true as soon as the condition holds, false after so many milliseconds. */
export function until(record: FaultRecord, condition: () => boolean, ms: number): Promise<boolean> {
  if (condition()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const done = (held: boolean) => {
      clearTimeout(timer);
      unwatch();
      resolve(held);
    };
    const timer = setTimeout(() => done(false), ms);
    const unwatch = record.watch(() => condition() && done(true));
  });
}
