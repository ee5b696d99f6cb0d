import { protocol } from '@turnwire/sdk';
import { HEAD_LIMIT_KIB, LINGER_MS, REQUEST_TIMEOUT_MS } from '../limits.ts';
import { accessLog } from './access-log.ts';
import type { Address, BootstrapSettings } from './bootstrap.ts';
import { socketAddress } from './cluster.ts';
import { ATTEMPT_HEADER, WRITTEN, WRITTEN_HEADER } from './facts.ts';
import { healthRoutes } from './health.ts';
import { localReplies } from './replies.ts';
import { routeConfig } from './routes.ts';
import { attemptScript, decidingScript } from './script.ts';
import { duration, typed } from './typed.ts';

/** Where the Harness asks. */
export const mainListener = (settings: BootstrapSettings): object =>
  listener('custodian', settings.listen, {
    route_config: routeConfig(settings.placement, settings.orchestratorUrl),
    http_filters: [lua(decidingScript(settings)), router({ upstream_http_filters: attempt() })],
    local_reply_config: localReplies(new URL(settings.orchestratorUrl).host),
    access_log: accessLog(),
  });

/** `GET /healthz` on a port of its own, and nothing else there (TW-CUS-021). */
export const healthListener = (address: Address): object =>
  listener('health', address, {
    route_config: healthRoutes(),
    local_reply_config: localReplies('none'),
    http_filters: [router()],
  });

const filter = (name: string, type: string, config: object) => ({
  name: `envoy.filters.http.${name}`,
  typed_config: typed(type, config),
});

const lua = (inline_string: string) =>
  filter('lua', 'envoy.extensions.filters.http.lua.v3.Lua', { default_source_code: { inline_string } });

// Envoy's own headers (timeouts, attempts, service time) stay its own.
const router = (more: object = {}) =>
  filter('router', 'envoy.extensions.filters.http.router.v3.Router', { suppress_envoy_headers: true, ...more });

type Filter = ReturnType<typeof filter>;

const mutation = (request_mutations: readonly object[]) =>
  filter('header_mutation', 'envoy.extensions.filters.http.header_mutation.v3.HeaderMutation', {
    mutations: { request_mutations },
  });

/** A filter that the first attempt goes past: nearly all requests have no other, and a script costs each of them. */
const again = ({ name, typed_config }: Filter): Filter => ({
  name,
  typed_config: typed('envoy.extensions.common.matching.v3.ExtensionWithMatcher', {
    extension_config: { name, typed_config },
    xds_matcher: {
      matcher_tree: {
        input: {
          name: ATTEMPT_HEADER,
          typed_config: typed('envoy.type.matcher.v3.HttpRequestHeaderMatchInput', { header_name: ATTEMPT_HEADER }),
        },
        exact_match_map: { map: { '1': { action: { name: 'skip', typed_config: typed(SKIP, {}) } } } },
      },
    },
  }),
});

const SKIP = 'envoy.extensions.filters.common.matcher.action.v3.SkipFilter';

/** Tells an attempt how much those before it have written. */
const written = mutation([
  { append: { header: { key: WRITTEN_HEADER, value: WRITTEN }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' } },
]);

/** What stands between the router and the connection, for each attempt. */
const attempt = (): readonly object[] => [
  again(written),
  again(lua(attemptScript())),
  mutation([{ remove: ATTEMPT_HEADER }]),
  upstreamCodec,
];

const upstreamCodec = filter('upstream_codec', 'envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec', {});

function listener(name: string, address: Address, more: object): object {
  return {
    name,
    address: socketAddress(address),
    filter_chains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            typed_config: typed('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
              stat_prefix: name,
              ...asItStands,
              ...patient,
              ...more,
            }),
          },
        ],
      },
    ],
  };
}

/** A request is judged as it came: nothing is repaired, merged or added before the script sees it (TW-CUS-006). */
const asItStands = {
  codec_type: 'HTTP1',
  http_protocol_options: {
    allow_absolute_url: false,
    accept_http_10: true,
    default_host_for_http_10: 'localhost',
  },
  normalize_path: false,
  merge_slashes: false,
  path_with_escaped_slashes_action: 'REJECT_REQUEST',
  common_http_protocol_options: {
    headers_with_underscores_action: 'REJECT_REQUEST',
    idle_timeout: duration(protocol.constants.serverIdleMs),
  },
  max_request_headers_kb: HEAD_LIMIT_KIB,
  server_header_transformation: 'PASS_THROUGH',
  generate_request_id: false,
  skip_xff_append: true,
};

/** Only how long a request may take to come is bounded; how long an answer may take is its caller's to say (TW-CUS-019). */
const patient = {
  request_timeout: duration(REQUEST_TIMEOUT_MS),
  stream_idle_timeout: '0s',
  request_headers_timeout: duration(protocol.constants.serverIdleMs + 1_000),
  delayed_close_timeout: duration(LINGER_MS),
};
