import { type Connection, type ConnectionOptions, connect, health, protocol } from '@turnwire/sdk';
import type { NodeRecord } from './port.ts';

/**
 * `GET /healthz` of nodes: no token, no redirect, one attempt, and good only if the answer is ours (TW-NOD-016, TW-CER-001). One
 * connection for each node, for as long as it stays where it is.
 */
export class Prober {
  readonly #options: Omit<ConnectionOptions, 'baseUrl' | 'token'>;
  readonly #connections = new Map<string, Connection>();

  constructor(options: Omit<ConnectionOptions, 'baseUrl' | 'token'> = {}) {
    this.#options = options;
  }

  probe = async (node: NodeRecord, signal: AbortSignal): Promise<boolean> => {
    try {
      await health(this.#connection(node), { signal, attemptMs: protocol.constants.probeTimeoutMs });
      return true;
    } catch {
      return false;
    }
  };

  /** There is no such node any more. */
  forget(nodeId: string): void {
    void this.#connections.get(nodeId)?.close();
    this.#connections.delete(nodeId);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }

  #connection({ nodeId, baseUrl }: NodeRecord): Connection {
    const known = this.#connections.get(nodeId);
    if (known?.baseUrl === baseUrl) return known;
    void known?.close();
    const connection = connect({ ...this.#options, baseUrl });
    this.#connections.set(nodeId, connection);
    return connection;
  }
}
