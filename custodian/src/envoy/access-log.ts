import { protocol } from '@turnwire/sdk';
import { METADATA } from './script.ts';
import { typed } from './typed.ts';

/** One JSON line on stderr per decision, with no query, no header and no body (TW-CUS-022). */
export const accessLog = (): readonly object[] => [
  line('forward', both(forwarded, withStatus(true)), { level: 30, flags: [] }),
  // A client that went away before it had an answer has had the upstream request reset.
  line('unreachable', both(forwarded, withStatus(false)), { level: 40, flags: [protocol.custodian.abortedFlag] }),
  line('unreachable', noted('unreachable', false), {
    level: 40,
    flags: `%DYNAMIC_METADATA(${METADATA}:request:flags)%`,
  }),
  line('refuse', noted('refuse', true), { level: 40, flags: [], route: 'none' }),
];

interface Fields {
  readonly level: number;
  readonly flags: unknown;
  readonly route?: string;
}

const ROUTE = `%DYNAMIC_METADATA(${METADATA}:request:route)%`;

function line(decision: string, filter: object, { level, flags, route = ROUTE }: Fields): object {
  return {
    name: 'envoy.access_loggers.stderr',
    filter,
    typed_config: typed('envoy.extensions.access_loggers.stream.v3.StderrAccessLog', {
      log_format: {
        json_format: {
          level,
          time: '%START_TIME(%Y-%m-%dT%H:%M:%S.%3fZ)%',
          role: 'custodian',
          method: '%REQ(:METHOD)%',
          route,
          status: '%RESPONSE_CODE%',
          flags,
          attempts: '%UPSTREAM_REQUEST_ATTEMPT_COUNT%',
          ms: '%DURATION%',
          msg: decision,
        },
      },
    }),
  };
}

const both = (...filters: object[]): object => ({ and_filter: { filters } });

function found(path: readonly string[], value: object, absent: boolean): object {
  const matcher = { filter: METADATA, path: path.map((key) => ({ key })), value };
  return { metadata_filter: { matcher, match_if_key_not_found: absent } };
}

/** Whether the script noted this; with `absent`, also a request that Envoy refused before the script saw it. */
function noted(decision: 'forward' | 'unreachable' | 'refuse', absent: boolean): object {
  return found(['request', 'decision'], { string_match: { exact: decision } }, absent);
}

/** The script let it through, and it was answered by the Orchestrator or not at all. */
export const forwarded = noted('forward', false);

/** A refusal of the script says itself what is wrong. */
export const notRefusedByIt = noted('forward', true);

const withStatus = (any: boolean): object => ({
  status_code_filter: {
    comparison: { op: any ? 'GE' : 'LE', value: { default_value: any ? 1 : 0, runtime_key: 'turnwire.status' } },
  },
});
