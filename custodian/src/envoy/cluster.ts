import { isIP } from 'node:net';
import { protocol } from '@turnwire/sdk';
import { DNS_REFRESH_MS, NO_LIMIT } from '../limits.ts';
import type { BootstrapSettings } from './bootstrap.ts';
import { duration, typed } from './typed.ts';

/** The name of the one cluster. */
export const ORCHESTRATOR = 'orchestrator';

/** The Orchestrator: one host, HTTP/1.1, found again by its name, pooled connections dropped after 4 s idle (TW-CUS-023). */
export function cluster({ orchestratorUrl, caFile }: BootstrapSettings): object {
  const url = new URL(orchestratorUrl);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return {
    name: ORCHESTRATOR,
    ...(isIP(host) ? { type: 'STATIC' } : byName),
    connect_timeout: duration(protocol.custodian.connectTimeoutMs),
    load_assignment: {
      cluster_name: ORCHESTRATOR,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: socketAddress({ host, port }) } }] }],
    },
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': typed(
        'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        {
          common_http_protocol_options: { idle_timeout: duration(protocol.constants.idleSocketMs) },
          explicit_http_config: { http_protocol_options: {} },
        },
      ),
    },
    circuit_breakers: { thresholds: [NO_LIMIT] },
    ...(url.protocol === 'https:' ? { transport_socket: tls(host, caFile) } : {}),
  };
}

/** One address at a time, of either family, as a process that looks the name up when it connects would use it. */
const byName = {
  type: 'LOGICAL_DNS',
  dns_lookup_family: 'ALL',
  dns_refresh_rate: duration(DNS_REFRESH_MS),
};

export const socketAddress = ({ host, port }: { host: string; port: number }) => ({
  socket_address: { address: host, port_value: port },
});

/** The certificate must be of one of our authorities and name the host that was asked for. */
function tls(host: string, caFile: string): object {
  const address = isIP(host) !== 0;
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: typed('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
      ...(address ? {} : { sni: host }),
      common_tls_context: {
        alpn_protocols: ['http/1.1'],
        validation_context: {
          trusted_ca: { filename: caFile },
          match_typed_subject_alt_names: [{ san_type: address ? 'IP_ADDRESS' : 'DNS', matcher: { exact: host } }],
        },
      },
    }),
  };
}
