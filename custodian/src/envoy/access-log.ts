import { METADATA } from './script.ts';
import { typed } from './typed.ts';

/** One JSON line on stderr per decision, with no query, no header and no body (TW-CUS-022). */
export const accessLog = (): readonly object[] => [
  line('forward', { level: 30, flags: [] }),
  line('unreachable', { level: 40, flags: `%DYNAMIC_METADATA(${METADATA}:flags)%` }),
  // What Envoy refused before the script saw it has no note of a decision.
  line('refuse', { level: 40, flags: [] }, true),
];

function line(decision: string, { level, flags }: { level: number; flags: unknown }, unnoted = false): object {
  return {
    name: 'envoy.access_loggers.stderr',
    filter: decided(decision, unnoted),
    typed_config: typed('envoy.extensions.access_loggers.stream.v3.StderrAccessLog', {
      log_format: {
        json_format: {
          level,
          time: '%START_TIME(%Y-%m-%dT%H:%M:%S.%3fZ)%',
          role: 'custodian',
          method: '%REQ(:METHOD)%',
          route: `%DYNAMIC_METADATA(${METADATA}:route)%`,
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

/** Whether the script noted this decision; or, with `unnoted`, none. */
export const decided = (decision: string, unnoted: boolean): object => ({
  metadata_filter: {
    matcher: { filter: METADATA, path: [{ key: 'decision' }], value: { string_match: { exact: decision } } },
    match_if_key_not_found: unnoted,
  },
});
