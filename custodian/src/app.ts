import type { IncomingMessage, ServerResponse } from 'node:http';
import { protocol } from '@turnwire/sdk';
import { ALREADY_SENT, type Logger, Problem } from '@turnwire/server';
import { Hono } from 'hono';
import type { Upstream } from './exchange.ts';
import { type Forwarded, forward } from './forward.ts';
import { type Routed, type RouteRules, route } from './route.ts';
import type { TokenFile } from './token-file.ts';
import { traced } from './traced.ts';

export interface CustodianOptions {
  readonly upstream: Upstream;
  readonly token: TokenFile;
  readonly log: Logger;
  /** Where each decision is a line. */
  readonly decisions: Logger;
}

interface Pair {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

const { custodian: data, constants, headers: names } = protocol;
const rules: Omit<RouteRules, 'placement'> = {
  standIn: data.standIn,
  forwardedHeaders: new Set(data.forwardedHeaders),
  bodyLimitBytes: constants.bodyLimitBytes,
};

/** The Custodian: everything is decided on the raw request, before anything parsed or repaired it (TW-CUS-006). */
export function createCustodian(options: CustodianOptions): Hono {
  const app = new Hono();
  app.all('*', (c) => {
    const pair = c.env as Pair;
    const { method = '', url: target = '', rawHeaders } = pair.incoming;
    const { token, placement } = options.token.read();
    const routed = route({ method, target, rawHeaders }, { ...rules, placement });
    if (routed.kind === 'forward') return pass(options, pair, routed, token);
    const problem = new Problem(routed.code, routed.detail);
    options.decisions.warn({ method, route: 'none', status: problem.status, flags: [], ms: 0 }, 'refuse');
    return own(problem);
  });
  app.onError((error) => {
    if (error instanceof Problem) return own(error);
    options.log.error({ err: error }, 'a request failed unexpectedly');
    return own(new Problem('internal_error', 'the custodian failed unexpectedly; its log says more'));
  });
  return app;
}

/** Each way that a request can end is one line in the log, without its query, its body or a token (TW-CUS-022). */
async function pass(
  { upstream, decisions: log }: CustodianOptions,
  { incoming, outgoing }: Pair,
  routed: Extract<Routed, { kind: 'forward' }>,
  token: string,
): Promise<Response> {
  const started = Date.now();
  const { method = '', url: target = '' } = incoming;
  const line = (status: number, flags: readonly string[], attempts: number) => ({
    method,
    route: routed.route,
    status,
    flags,
    attempts,
    ms: Date.now() - started,
  });
  const cut = () => log.warn({ method, route: routed.route, ms: Date.now() - started }, 'the answer was cut short');
  try {
    const outcome = await traced(routed, (passedOn) => {
      const headers = [...passedOn, 'authorization', `Bearer ${token}`];
      return forward(upstream, routed.route, { method, target, headers, incoming, outgoing, cut });
    });
    if (outcome.kind === 'answered') {
      log.info(line(outcome.status, [], outcome.attempts), 'forward');
      return ALREADY_SENT;
    }
    const problem = unreachable(outcome);
    log.warn(line(problem.status, outcome.flags, outcome.attempts), 'unreachable');
    return own(problem);
  } catch (error) {
    if (error instanceof Problem) log.warn(line(error.status, [], 1), 'refuse');
    throw error;
  }
}

const unreachable = ({ flags, detail }: Extract<Forwarded, { kind: 'unreachable' }>): Problem =>
  new Problem('custodian_unreachable', detail, { headers: { [names.custodian]: data.mark }, members: { flags } });

function own(problem: Problem): Response {
  const response = problem.toResponse();
  response.headers.set(names.version, protocol.version);
  return response;
}
