import { METADATA } from './script.ts';
import { typed } from './typed.ts';

/** One JSON line on stderr per decision, with no query, no header and no body (TW-CUS-022). */
export const accessLog = (): readonly object[] => [
  line('forward', both(forwarded, answered(true)), { level: 30, flags: [] }),
  line('unreachable', both(forwarded, answered(false)), {
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
function noted(decision: 'unreachable' | 'refuse', absent: boolean): object {
  return found(['request', 'decision'], { string_match: { exact: decision } }, absent);
}

/** The script let it through; until there is an answer it is noted as unreachable. */
export const forwarded = noted('unreachable', false);

/** All but the script's own refusals. */
export const notRefusedByIt = noted('unreachable', true);

const answered = (yes: boolean) => found(['answered'], { bool_match: yes }, !yes);
