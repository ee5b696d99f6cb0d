import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { classify, nodeEvidence, protocol } from '@turnwire/sdk';
import { Problem } from '@turnwire/server';
import { type Dispatcher, request as undiciRequest } from 'undici';
import { RETRY_PAUSES_MS } from './limits.ts';
import type { RouteName } from './route.ts';
import type { SentWatch } from './sent.ts';

export interface Upstream {
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  readonly sent: SentWatch;
}

export interface ForwardRequest {
  readonly route: RouteName;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly token: string;
  readonly incoming: IncomingMessage;
  readonly signal: AbortSignal;
}

export type Forwarded =
  | { readonly kind: 'answered'; readonly answer: Dispatcher.ResponseData; readonly attempts: number }
  | {
      readonly kind: 'unreachable';
      readonly flags: readonly string[];
      readonly detail: string;
      readonly attempts: number;
    };

interface Failure {
  readonly error: unknown;
  /** False: it is proved that no byte of the request was written. */
  readonly written: boolean;
}

/**
 * Sends a request upstream and streams nothing back itself. A read is sent once more after any reset; a pick only after a
 * failure in which nothing of it was written (TW-CUS), at most twice more within a second: a second copy of a pick that
 * may have arrived is not this process's to send.
 */
export async function forward(upstream: Upstream, request: ForwardRequest): Promise<Forwarded> {
  const { retryWindowMs } = protocol.custodian;
  const started = Date.now();
  let unwrittenAlways = true;
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt(upstream, request);
    if (!('error' in outcome)) return { kind: 'answered', answer: outcome, attempts };
    unwrittenAlways &&= !outcome.written;
    const pause = RETRY_PAUSES_MS[attempts - 1];
    const spent = Date.now() - started;
    const again = pause !== undefined && spent + pause < retryWindowMs && mayResend(request, outcome, attempts);
    if (!again || request.signal.aborted)
      return unreachable(outcome, attempts, unwrittenAlways, request.signal.aborted);
    await sleep(pause);
  }
}

async function attempt(upstream: Upstream, request: ForwardRequest): Promise<Dispatcher.ResponseData | Failure> {
  // The body is read from the socket only once undici writes it, so that after a failed connect it is still all there;
  // and an abandoned iterator must not destroy the socket that our own answer has to go out on.
  const body = request.method === 'GET' ? null : bounded(request.incoming);
  const { result, sent } = upstream.sent.watch(() =>
    undiciRequest(upstream.origin + request.target, {
      dispatcher: upstream.dispatcher,
      method: request.method as Dispatcher.HttpMethod,
      headers: [...request.headers.flat(), 'authorization', `Bearer ${request.token}`],
      body: body as unknown as Dispatcher.DispatchOptions['body'] as null,
      signal: request.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    }),
  );
  try {
    return await result;
  } catch (error) {
    if (error instanceof Problem) throw error;
    return { error, written: sent() };
  }
}

/** A body that announces no length is cut at the limit: what went upstream of it is no whole request, and so not taken. */
async function* bounded(incoming: IncomingMessage): AsyncGenerator<Buffer> {
  const limit = protocol.constants.bodyLimitBytes;
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > limit) throw new Problem('too_large', `the body is larger than ${limit} bytes`);
    yield chunk;
  }
}

function mayResend(request: ForwardRequest, failure: Failure, attempts: number): boolean {
  const { pickRetries, readRetries } = protocol.custodian;
  const isRead = request.route === 'surface' || request.route === 'delivery';
  if (isRead) return attempts <= readRetries;
  return !failure.written && attempts <= pickRetries;
}

function unreachable(
  { error, written }: Failure,
  attempts: number,
  unwrittenAlways: boolean,
  aborted: boolean,
): Forwarded {
  const evidence = nodeEvidence(error);
  const { flags: table, exhaustedFlag, abortedFlag } = protocol.custodian;
  const proved = classify({ kind: evidence }).certainty === 'never_delivered';
  const flags: string[] = [];
  if (aborted) flags.push(abortedFlag);
  else if (written || proved) flags.push(table[evidence] as string);
  if (unwrittenAlways && (attempts > 1 || flags.length === 0)) flags.push(exhaustedFlag);
  return { kind: 'unreachable', flags, detail: describe(error), attempts };
}

/** The errno and the address; an aggregate (a dual-stack connect) names each of its members. */
function describe(error: unknown): string {
  const members = (error as { errors?: unknown[] } | null)?.errors;
  if (Array.isArray(members) && members.length > 0) return members.map(describe).join('; ');
  return error instanceof Error ? error.message : String(error);
}
