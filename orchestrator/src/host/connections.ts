/** One connection for each address of a placement. A node that moves leaves its old one to those who still wait there. */
import { type Connection, type ConnectionOptions, connect } from '@turnwire/sdk';

interface Held {
  connection: Connection;
  users: number;
  /** The placement has moved on: it ends with its last user. */
  old: boolean;
}

export class Connections {
  readonly #options: Omit<ConnectionOptions, 'baseUrl' | 'token'>;
  /** By placement, then by address. */
  readonly #held = new Map<string, Map<string, Held>>();

  constructor(options: Omit<ConnectionOptions, 'baseUrl' | 'token'>) {
    this.#options = options;
  }

  /** @param current the placement's address of now, when that is another one */
  async use<T>(
    placement: string,
    at: { baseUrl: string; token: string },
    work: (connection: Connection) => Promise<T>,
    current: string = at.baseUrl,
  ): Promise<T> {
    const held = this.#at(placement, at, current);
    held.users += 1;
    try {
      return await work(held.connection);
    } finally {
      held.users -= 1;
      this.#drop(placement);
    }
  }

  async close(): Promise<void> {
    const all = [...this.#held.values()].flatMap((at) => [...at.values()]);
    this.#held.clear();
    await Promise.all(all.map(({ connection }) => connection.close()));
  }

  #at(placement: string, at: { baseUrl: string; token: string }, current: string): Held {
    const addresses = this.#held.get(placement) ?? new Map<string, Held>();
    this.#held.set(placement, addresses);
    const held = addresses.get(at.baseUrl) ?? {
      connection: connect({ ...this.#options, ...at }),
      users: 0,
      old: false,
    };
    addresses.set(at.baseUrl, held);
    for (const [baseUrl, one] of addresses) one.old = baseUrl !== current;
    return held;
  }

  #drop(placement: string): void {
    const addresses = this.#held.get(placement);
    for (const [baseUrl, { connection, users, old }] of addresses ?? []) {
      if (!old || users > 0) continue;
      addresses?.delete(baseUrl);
      void connection.close();
    }
  }
}
