import type { ConnectionOptions } from './client.ts';
import type { Clock } from './clock.ts';
import type { Pool } from './pool.ts';

/** Where a connection keeps what only the seats may touch. */
export const internals: unique symbol = Symbol('turnwire.connection');

/** What the seats need of a connection. */
export interface Internals {
  /** Scheme, host and port: where the token may go (TW-TOK-008). */
  readonly origin: string;
  /** Path of the base URL without a final slash; often empty. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly random: () => number;
  readonly closing: Closing;
  readonly hooks: Pick<ConnectionOptions, 'log' | 'metric' | 'onRetry'>;
}

/** What `close()` ends. A set and not a signal: as many calls may be in flight as there are runs. */
export interface Closing {
  closed: boolean;
  readonly calls: Set<() => void>;
}
