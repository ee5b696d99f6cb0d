import { Agent, buildConnector, type Dispatcher } from 'undici';
import { protocol } from './gen/protocol.ts';
import { keepAliveMs } from './limits.ts';

/** What stands between the SDK and its sockets. */
export interface Pool {
  /** What to dispatch one attempt on. */
  borrow(): Dispatcher;
  /** The attempt is over; `unfinished`: nobody waits any more for the connection that it may still be making. */
  giveBack(unfinished: boolean): void;
  /** A re-send dials anew (TW-RET-020): nothing more is sent on a socket of `used`, which finishes what it carries. */
  renew(used: Dispatcher): void;
  /** Ends every socket of its own. */
  close(): Promise<void>;
}

/** A caller's dispatcher: its sockets are the caller's business, and so is its end. */
export function callersPool(dispatcher: Dispatcher): Pool {
  return { borrow: () => dispatcher, giveBack: () => {}, renew: () => {}, close: () => Promise.resolve() };
}

interface Socket {
  destroy(error: Error): void;
  readonly connecting?: boolean;
  once(event: 'close', listener: () => void): void;
}

/** The connection's own sockets: dropped when idle (TW-RET-028), with a connect timeout of their own (TW-RET-027). */
export function ownPool(): Pool {
  return new OwnPool();
}

class OwnPool implements Pool {
  readonly #sockets = new Set<Socket>();
  readonly #retired = new Set<Agent>();
  #agent: Agent;
  #inFlight = 0;

  constructor() {
    this.#agent = newAgent(this.#sockets);
  }

  borrow(): Dispatcher {
    this.#inFlight++;
    return this.#agent;
  }

  giveBack(unfinished: boolean): void {
    this.#inFlight--;
    if (unfinished && this.#inFlight === 0) this.#giveUpConnecting();
  }

  renew(used: Dispatcher): void {
    // Of many seats that failed on one agent the first replaces it, and the others find it replaced.
    if (used !== this.#agent) return;
    const old = this.#agent;
    this.#agent = newAgent(this.#sockets);
    this.#retired.add(old);
    const gone = () => this.#retired.delete(old);
    old.close().then(gone, gone);
  }

  async close(): Promise<void> {
    const ended = [this.#agent, ...this.#retired].map((agent) => agent.destroy());
    this.#endConnecting();
    await Promise.allSettled(ended);
  }

  #giveUpConnecting(): void {
    // What is dispatched next must not find itself behind a connection that is being ended.
    if (this.#endConnecting()) this.renew(this.#agent);
  }

  /** undici waits for a connection that is being made, whoever gave it up; without an error it would wait for ever. */
  #endConnecting(): boolean {
    const connecting = [...this.#sockets].filter((socket) => socket.connecting === true);
    for (const socket of connecting) socket.destroy(new Error('the connection is not needed any more'));
    return connecting.length > 0;
  }
}

function newAgent(sockets: Set<Socket>): Agent {
  const dial = buildConnector({ timeout: protocol.constants.connectTimeoutMs });
  return new Agent({
    connect: (options, callback) => {
      // undici's connector returns its socket, which its types leave out.
      const socket = dial(options, callback) as unknown as Socket;
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    },
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    // The attempt's own timer ends it; undici's are coarse and say less.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  });
}
