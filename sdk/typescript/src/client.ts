import type { Dispatcher } from 'undici';
import { checkBaseUrl, checkHeaders, checkHeaderText } from './arguments.ts';
import { type Clock, systemClock } from './clock.ts';
import { protocol } from './gen/protocol.ts';
import { type Internals, internals } from './internals.ts';
import { callersPool, ownPool } from './pool.ts';
import { lowerCase } from './request.ts';
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
  /** What went wrong, for people. */
  readonly reason: string;
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

/** One peer at one address; the first argument of every seat. */
export interface Connection {
  readonly baseUrl: string;
  readonly [internals]: Internals;
  /** Ends every call in flight (fault `aborted`) and every socket of its own. Nothing is left behind. */
  close(): Promise<void>;
}

/**
 * Opens a connection: nothing is sent, and no check is waited for before the first request (TW-RET-024).
 *
 * @throws TypeError naming the option that is wrong.
 */
export function connect(options: ConnectionOptions): Connection {
  const url = checkBaseUrl(options.baseUrl, 'baseUrl');
  const headers = lowerCase(options.headers ?? {});
  checkHeaders(headers, 'headers');
  if (options.token !== undefined) checkHeaderText(options.token, 'token');
  const pool = options.dispatcher === undefined ? ownPool() : callersPool(options.dispatcher);
  const closing = { closed: false, calls: new Set<() => void>() };
  return {
    baseUrl: options.baseUrl,
    [internals]: {
      origin: url.origin,
      prefix: url.pathname.replace(/\/+$/, ''),
      headers: { ...ownHeaders(options.token), ...headers },
      pool,
      clock: options.clock ?? systemClock,
      random: options.random ?? Math.random,
      closing,
      hooks: options,
    },
    close() {
      closing.closed = true;
      for (const end of [...closing.calls]) end();
      return pool.close();
    },
  };
}

function ownHeaders(token: string | undefined): Record<string, string> {
  const own = { accept: 'application/json', [protocol.headers.version]: protocol.version };
  return token === undefined ? own : { ...own, authorization: `Bearer ${token}` };
}
