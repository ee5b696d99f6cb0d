import { protocol } from '@turnwire/sdk';
import { decided } from './access-log.ts';
import { ANOTHER_VERSION } from './health.ts';

type Code = keyof typeof protocol.problemCodes;

/** Where the script finds Envoy's flags; it takes the header away again. */
export const FLAGS_HEADER = 'x-turnwire-envoy-flags';

/**
 * The problem documents that Envoy answers by itself: of a request that it could not parse, and of one that got no answer
 * (TW-CUS-012).
 * @param orchestrator its address, for the detail
 */
export const localReplies = (orchestrator: string): object => ({
  mappers: [
    mapper('GE', 500, 'custodian_unreachable', `%LOCAL_REPLY_BODY% (${orchestrator})`, {
      members: { flags: [] },
      headers: { [protocol.headers.custodian]: protocol.custodian.mark, [FLAGS_HEADER]: '%RESPONSE_FLAGS%' },
    }),
    mapper('EQ', ANOTHER_VERSION, 'unsupported_version', `this speaks Turnwire ${protocol.version}`),
    mapper('EQ', 413, 'too_large', 'the body is too large'),
    mapper('EQ', 404, 'no_route', 'the custodian forwards nothing at this path'),
    mapper('GE', 400, 'bad_request', 'the request is not well-formed HTTP: %RESPONSE_CODE_DETAILS%'),
  ],
});

interface More {
  readonly members?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Tried from the top; the first whose status fits answers. */
function mapper(op: string, status: number, code: Code, detail: string, more: More = {}): object {
  const row = protocol.problemCodes[code];
  const headers = { [protocol.headers.version]: protocol.version, [protocol.headers.code]: code, ...more.headers };
  return {
    filter: {
      and_filter: {
        filters: [
          {
            status_code_filter: {
              comparison: { op, value: { default_value: status, runtime_key: `turnwire.${code}` } },
            },
          },
          // A refusal of the script says itself what is wrong.
          { or_filter: { filters: [decided('unreachable', true), decided('forward', true)] } },
        ],
      },
    },
    status_code: row.status,
    headers_to_add: Object.entries(headers).map(([key, value]) => ({
      header: { key, value },
      append_action: 'OVERWRITE_IF_EXISTS_OR_ADD',
    })),
    body_format_override: {
      content_type: 'application/problem+json',
      json_format: {
        type: `urn:turnwire:problem:${code}`,
        title: row.title,
        status: row.status,
        detail,
        code,
        ...more.members,
      },
    },
  };
}
