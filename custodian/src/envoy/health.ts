import { protocol } from '@turnwire/sdk';

/** The status that stands for another major version until the local reply turns it into a 400. */
export const ANOTHER_VERSION = 426;

const { version, headers } = protocol;

/** 204 for `GET /healthz`; another major version is refused there as everywhere (TW-GEN-002), and the rest is 404. */
export const healthRoutes = (): object => ({
  name: 'health',
  virtual_hosts: [
    {
      name: 'health',
      domains: ['*'],
      routes: [
        {
          match: { prefix: '/', headers: [{ name: headers.version, ...spoken, invert_match: true }] },
          direct_response: { status: ANOTHER_VERSION },
        },
        {
          match: { path: '/healthz', headers: [{ name: ':method', string_match: { exact: 'GET' } }] },
          direct_response: { status: 204 },
        },
      ],
      response_headers_to_add: [
        { header: { key: headers.version, value: version }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' },
      ],
    },
  ],
});

const spoken = { string_match: { safe_regex: { regex: `${version}(\\..*)?` } } };
