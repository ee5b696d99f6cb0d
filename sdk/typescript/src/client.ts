import type { Dispatcher } from 'undici';
import type { Clock } from './clock.ts';
import type { RoutabilityLine } from './routability.ts';
import type { Certainty } from './table.ts';

/** Said before each sleep of the ladder. */
export interface Retry {
  readonly seat: string;
  /** Attempts so far. */
  readonly attempt: number;
  /** Milliseconds until the next one. */
  readonly delayMs: number;
  readonly certainty: Certainty;
  /** As in {@link RoutabilityLine.last}. */
  readonly last: string;
}

/** What a connection is made of. */
export interface ConnectionOptions {
  /** Absolute http or https URL, without query and fragment. */
  baseUrl: string;
  /** Sent as `Authorization: Bearer …` to the origin of `baseUrl` alone. */
  token?: string;
  /** The caller's own undici dispatcher; it is never closed by the SDK. Without one the connection owns an Agent. */
  dispatcher?: Dispatcher;
  clock?: Clock;
  /** Uniform in [0, 1); `Math.random` by default. */
  random?: () => number;
  /** Gets each routability line; pass `(line) => logger.warn(line, line.msg)`. */
  log?: (line: RoutabilityLine) => void;
  /** Gets the same lines, for counting. */
  metric?: (line: RoutabilityLine) => void;
  onRetry?: (retry: Retry) => void;
  /** Sent with every request. */
  headers?: Record<string, string>;
}

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds; narrows or widens the seat's window. 0: a single attempt. */
  windowMs?: number;
  /** Milliseconds that one attempt may take; the table's by default. */
  attemptMs?: number;
  headers?: Record<string, string>;
  onRetry?: (retry: Retry) => void;
}

/** One peer at one address. */
export interface Connection {
  readonly baseUrl: string;
  /** Ends every call in flight and every socket of its own. */
  close(): Promise<void>;
}

export function connect(options: ConnectionOptions): Connection {
  return { baseUrl: options.baseUrl, close: () => Promise.resolve() };
}
