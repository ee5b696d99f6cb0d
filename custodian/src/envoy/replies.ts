import { protocol } from '@turnwire/sdk';
import { forwarded, notRefusedByIt } from './access-log.ts';
import { FLAGS, FLAGS_HEADER } from './facts.ts';
import { ANOTHER_VERSION } from './health.ts';

type Code = keyof typeof protocol.problemCodes;

/**
 * The problem documents that Envoy answers by itself (TW-CUS-006, TW-CUS-012): the first whose filter fits.
 * @param orchestrator its address, for the detail
 */
export function localReplies(orchestrator: string): object {
  const malformed = 'the request is not well-formed HTTP: %RESPONSE_CODE_DETAILS%';
  const late = 'the request did not come in time';
  const rest = notRefusedByIt;
  return {
    mappers: [
      // What the script let through: it finds the flags here, and takes them away again.
      mapper(forwarded, 'GE 500', 'custodian_unreachable', why(orchestrator), marked(flags)),
      mapper(forwarded, 'EQ 408', 'bad_request', late, { status: 408, headers: flags }),
      mapper(forwarded, 'GE 400', 'bad_request', malformed, { headers: flags }),
      // What it never saw; its own refusals say themselves what is wrong. 501 is for a transfer encoding.
      mapper(rest, 'EQ 501', 'bad_request', malformed),
      mapper(rest, 'GE 500', 'custodian_unreachable', 'Envoy answered %RESPONSE_CODE_DETAILS%', marked({})),
      mapper(rest, `EQ ${ANOTHER_VERSION}`, 'unsupported_version', `this speaks Turnwire ${protocol.version}`),
      mapper(rest, 'EQ 413', 'too_large', 'the body is too large'),
      mapper(rest, 'EQ 408', 'bad_request', late, { status: 408 }),
      mapper(rest, 'EQ 404', 'no_route', 'the custodian forwards nothing at this path'),
      mapper(rest, 'GE 400', 'bad_request', malformed),
    ],
  };
}

// Envoy's reason, what the system said where it said something, and the address; the script mends the colon.
const why = (orchestrator: string) => `%LOCAL_REPLY_BODY%: %UPSTREAM_TRANSPORT_FAILURE_REASON% (${orchestrator})`;

interface More {
  /** Where it is another than the code's. */
  readonly status?: number;
  readonly members?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const flags = { [FLAGS_HEADER]: FLAGS };

/** As the custodian's own failure; the script puts the flags in their place. */
const marked = (headers: Readonly<Record<string, string>>): More => ({
  members: { flags: [] },
  headers: { [protocol.headers.custodian]: protocol.custodian.mark, ...headers },
});

function mapper(of: object, answering: string, code: Code, detail: string, more: More = {}): object {
  const { title, status: usual } = protocol.problemCodes[code];
  const answered = more.status ?? usual;
  const headers = { [protocol.headers.version]: protocol.version, [protocol.headers.code]: code, ...more.headers };
  const [op, value] = answering.split(' ');
  const comparison = { op, value: { default_value: Number(value), runtime_key: `turnwire.${code}` } };
  return {
    filter: { and_filter: { filters: [{ status_code_filter: { comparison } }, of] } },
    status_code: answered,
    headers_to_add: Object.entries(headers).map(([key, value]) => ({
      header: { key, value },
      append_action: 'OVERWRITE_IF_EXISTS_OR_ADD',
    })),
    body_format_override: {
      content_type: 'application/problem+json',
      json_format: {
        type: `urn:turnwire:problem:${code}`,
        title,
        status: answered,
        detail,
        code,
        ...more.members,
      },
    },
  };
}
