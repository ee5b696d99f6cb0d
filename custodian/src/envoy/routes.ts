import { protocol } from '@turnwire/sdk';
import { ENVOY_BACK_OFF } from '../limits.ts';
import { isRead, type RouteName } from '../route.ts';
import { ORCHESTRATOR } from './cluster.ts';
import { FLAGS_HEADER } from './facts.ts';
import { duration } from './typed.ts';

interface Route {
  readonly name: RouteName;
  readonly method: string;
  readonly path: string;
}

// As they may be spelt; how long they are, and what is behind an escape, the script has looked at. (Envoy bounds the size of
// an expression, so that it cannot count here.)
const IID = '[A-Za-z0-9._~%-]+';
const NODE = '[A-Za-z0-9%-]+';
const DELIVERY_ID = '[!-.0-:<->@-~]+';

/** The five operations as they stand on the wire. */
const routes = (): readonly Route[] => [
  { name: 'surface', method: 'GET', path: `/agents/${IID}/surface` },
  { name: 'pick', method: 'POST', path: `/agents/${IID}/events` },
  { name: 'delivery', method: 'GET', path: `/agents/${IID}/deliveries/${DELIVERY_ID}` },
  { name: 'register', method: 'PUT', path: `/nodes/${NODE}` },
  { name: 'heartbeat', method: 'POST', path: `/nodes/${NODE}/heartbeat` },
];

/**
 * A request matches only with the placement's own token, which it has once the script has let it through: what the script
 * never saw goes nowhere.
 */
export function routeConfig(placement: string, orchestratorUrl: string): object {
  return {
    name: 'custodian',
    virtual_hosts: [
      {
        name: 'custodian',
        domains: ['*'],
        // For the filters of an attempt, which take it away again.
        include_request_attempt_count: true,
        routes: routes().map((route) => forwarded(route, placement, orchestratorUrl)),
        request_headers_to_remove: ['x-forwarded-proto'],
        // The mark is ours alone, and so is what Envoy tells the script: an upstream's go (TW-CUS-015).
        response_headers_to_remove: [protocol.headers.custodian, FLAGS_HEADER],
      },
    ],
  };
}

function forwarded({ name, method, path }: Route, placement: string, orchestratorUrl: string): object {
  const base = new URL(orchestratorUrl).pathname.replace(/\/+$/, '');
  return {
    name,
    match: {
      safe_regex: { regex: path },
      headers: [
        { name: ':method', string_match: { exact: method } },
        { name: 'authorization', string_match: { prefix: `Bearer ${placement}.` } },
      ],
    },
    route: {
      cluster: ORCHESTRATOR,
      host_rewrite_literal: new URL(orchestratorUrl).host,
      ...(base === '' ? {} : { regex_rewrite: { pattern: { regex: '^' }, substitution: base } }),
      // No timeout here is shorter than the caller's (TW-CUS-019).
      timeout: '0s',
      idle_timeout: '0s',
      retry_policy: retryPolicy(name),
    },
  };
}

function retryPolicy(name: RouteName): object {
  const { pickRetries, readRetries } = protocol.custodian;
  const { baseMs, maxMs } = ENVOY_BACK_OFF;
  const read = isRead(name);
  return {
    retry_on: read ? 'reset,connect-failure' : 'reset-before-request,connect-failure',
    num_retries: read ? readRetries : pickRetries,
    retry_back_off: { base_interval: duration(baseMs), max_interval: duration(maxMs) },
  };
}
