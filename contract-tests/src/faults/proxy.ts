import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Chooser } from './choose.ts';
import { serve } from './connection.ts';
import { type FullQueue, fullQueue } from './full-queue.ts';
import { type HeldPort, holdPort } from './hold.ts';
import { type Arrival, type Connected, FaultRecord, until } from './record.ts';
import type { FaultScript, ListenerStep } from './script.ts';
import type { Upstream } from './upstream.ts';
import { validateFaults } from './validate.ts';
import { resetSocket } from './wire.ts';

export interface FaultsOptions {
  readonly script: FaultScript;
  /** Where requests go on to, an http URL; its path is not looked at. */
  readonly upstream: string;
  readonly host?: string;
  /** 0, the default: a free one. */
  readonly port?: number;
  /** A file that gets one JSON line per event. */
  readonly record?: string;
}

/** A running fault proxy. */
export interface Faults {
  /** The origin to send to, without a path. */
  readonly url: string;
  readonly port: number;
  readonly connections: readonly Connected[];
  /** Every request of which a byte was read, in order of arrival. */
  readonly requests: readonly Arrival[];
  /** Milliseconds since its start, the time base of the record. */
  readonly now: number;
  /** From now on connects are refused, and what is open is reset. */
  refuse(): Promise<void>;
  /** From now on connects are taken. */
  accept(): Promise<void>;
  /** True as soon as the condition holds, false after so many milliseconds. It is looked at after each event. */
  until(condition: () => boolean, ms: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Starts the fault proxy. The script is checked first (`ShapeError`); rejects when the port is taken. */
export async function startFaults(options: FaultsOptions): Promise<Faults> {
  validateFaults(options.script);
  const proxy = new FaultProxy(options);
  await proxy.start();
  return proxy;
}

/** How often a port that was just given up is asked for again, and how many milliseconds lie between. */
const rebind = { attempts: 20, ms: 25 };

class FaultProxy implements Faults {
  readonly #record: FaultRecord;
  readonly #chooser: Chooser;
  readonly #upstream: Upstream;
  readonly #host: string;
  readonly #opening: ListenerStep | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #owned = new Set<Socket>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  /** Servers that take nobody any more. */
  readonly #stopped = new WeakSet<Server>();
  #queue: FullQueue | undefined;
  #held: HeldPort | undefined;
  #server: Server | undefined;
  #closed = false;
  port: number;

  constructor(options: FaultsOptions) {
    const { hostname, port } = new URL(options.upstream);
    this.#upstream = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) };
    this.#record = new FaultRecord(options.record);
    this.#chooser = new Chooser(options.script);
    this.#host = options.host ?? '127.0.0.1';
    this.#opening = options.script.steps.find((step) => step.on === 'listener');
    this.port = options.port ?? 0;
  }

  get url(): string {
    return `http://${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.port}`;
  }

  get connections(): readonly Connected[] {
    return this.#record.connections;
  }

  get requests(): readonly Arrival[] {
    return this.#record.requests;
  }

  get now(): number {
    return this.#record.now;
  }

  async start(): Promise<void> {
    if (this.#opening?.fault === 'full_queue') {
      this.#queue = await fullQueue(this.#host, this.port);
      this.port = this.#queue.port;
    } else {
      await this.#listen();
      if (this.#opening?.fault === 'refused') await this.refuse();
    }
    if (this.#opening?.forMs !== undefined) this.#later(this.#opening.forMs);
  }

  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) this.#stopped.add(server);
    const closed = new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
    for (const socket of this.#sockets) resetSocket(socket);
    await closed;
    if (server !== undefined && !this.#closed) this.#held = await holdPort(this.#host, this.port);
  }

  async accept(): Promise<void> {
    if (this.#closed || this.#server !== undefined) return;
    await this.#queue?.close();
    this.#queue = undefined;
    await this.#held?.release();
    this.#held = undefined;
    for (let attempt = 1; ; attempt++) {
      if (this.#closed) return;
      try {
        return await this.#listen();
      } catch (error) {
        // The port can be another's for a moment: any connect of this machine may have been given it.
        if (attempt === rebind.attempts) throw error;
        await new Promise((resolve) => setTimeout(resolve, rebind.ms));
      }
    }
  }

  until(condition: () => boolean, ms: number): Promise<boolean> {
    return until(this.#record, condition, ms);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await this.refuse();
    for (const socket of this.#owned) socket.destroy();
    await this.#queue?.close();
    await this.#held?.release();
  }

  #listen(): Promise<void> {
    const server = createServer((socket) => {
      // It was on its way when the port was closed; a server that waits for its end would never be.
      if (this.#stopped.has(server)) return resetSocket(socket);
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      void serve(socket, {
        upstream: this.#upstream,
        chooser: this.#chooser,
        record: this.#record,
        owned: this.#owned,
        down: (ms) => void this.refuse().then(() => this.#later(ms)),
      });
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, this.#host, () => {
        server.off('error', reject);
        // It was closed meanwhile.
        if (this.#closed) server.close();
        else this.#server = server;
        this.port = (server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  #later(ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.accept();
    }, ms);
    this.#timers.add(timer);
  }
}
