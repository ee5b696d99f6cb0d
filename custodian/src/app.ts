import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { protocol } from '@turnwire/sdk';
import { ALREADY_SENT, type Logger, Problem } from '@turnwire/server';
import { type Context, Hono } from 'hono';
import { type Forwarded, forward, type Upstream } from './forward.ts';
import { type Routed, route } from './route.ts';
import type { TokenFile } from './token-file.ts';
import { traced } from './traced.ts';

export interface CustodianOptions {
  readonly upstream: Upstream;
  readonly token: TokenFile;
  readonly log: Logger;
}

/** Headers that belong to one hop, and the mark that only a Custodian may set. */
const NOT_PASSED = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  protocol.headers.custodian,
]);

/** The Custodian: everything is decided on the raw request, before anything parsed or repaired it. */
export function createCustodian(options: CustodianOptions): Hono {
  const { custodian: rules } = protocol;
  const app = new Hono();
  app.all('*', async (c) => {
    const started = Date.now();
    const { incoming, outgoing } = c.env as { incoming: IncomingMessage; outgoing: ServerResponse };
    const raw = { method: incoming.method ?? '', target: incoming.url ?? '', rawHeaders: incoming.rawHeaders };
    const routed = route(raw, {
      placement: options.token.placement,
      standIn: rules.standIn,
      forwardedHeaders: rules.forwardedHeaders,
      bodyLimitBytes: protocol.constants.bodyLimitBytes,
    });
    if (routed.kind === 'refuse') {
      const problem = new Problem(routed.code, routed.detail);
      options.log.warn({ method: raw.method, route: 'none', status: problem.status, ms: 0 }, 'refuse');
      return own(problem);
    }
    const outcome = await traced(routed, (headers) => pass(c, incoming, { ...routed, headers }, options));
    const line = { method: raw.method, route: routed.route, attempts: outcome.attempts, ms: Date.now() - started };
    if (outcome.kind === 'unreachable') {
      const answer = unreachable(outcome);
      options.log.warn({ ...line, status: answer.status, flags: outcome.flags }, 'unreachable');
      return answer;
    }
    const status = outcome.answer.statusCode;
    options.log.info({ ...line, status, flags: [] }, 'forward');
    const gone = c.req.raw.signal;
    passOn(outcome, outgoing, () => gone.aborted || options.log.warn({ ...line, status }, 'the answer was cut short'));
    return ALREADY_SENT;
  });
  app.onError((error) => {
    if (error instanceof Problem) return own(error);
    options.log.error({ err: error }, 'a request failed unexpectedly');
    return own(new Problem('internal_error', 'the custodian failed unexpectedly; its log says more'));
  });
  return app;
}

function pass(
  c: Context,
  incoming: IncomingMessage,
  routed: Extract<Routed, { kind: 'forward' }>,
  options: CustodianOptions,
) {
  return forward(options.upstream, {
    route: routed.route,
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: routed.headers,
    token: options.token.read(),
    incoming,
    signal: c.req.raw.signal,
  });
}

/**
 * An upstream's answer, unchanged but for what belongs to one hop: whose answer it is, its own headers say. Written to the
 * socket as it comes, so that no header is added, and one that is cut short upstream is cut short here.
 */
function passOn({ answer }: Extract<Forwarded, { kind: 'answered' }>, outgoing: ServerResponse, cut: () => void): void {
  const headers = Object.entries(answer.headers).filter(([name]) => !NOT_PASSED.has(name.toLowerCase()));
  outgoing.writeHead(answer.statusCode, Object.fromEntries(headers));
  outgoing.flushHeaders();
  pipeline(answer.body, outgoing, (error) => error && cut());
}

function unreachable({ flags, detail }: Extract<Forwarded, { kind: 'unreachable' }>): Response {
  const { mark } = protocol.custodian;
  return own(
    new Problem('custodian_unreachable', detail, {
      headers: { [protocol.headers.custodian]: mark },
      members: { flags },
    }),
  );
}

function own(problem: Problem): Response {
  const response = problem.toResponse();
  response.headers.set(protocol.headers.version, protocol.version);
  return response;
}
