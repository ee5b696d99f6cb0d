import { checkHeaders } from './arguments.ts';
import type { CallOptions } from './client.ts';
import { protocol } from './gen/protocol.ts';
import type { Internals } from './internals.ts';
import type { OperationRow, SeatPolicy } from './table.ts';
import type { HttpRequest } from './transport.ts';

const rows: Readonly<Record<string, OperationRow>> = protocol.operations;

/** What one operation is asked. */
export interface OperationCall {
  readonly operation: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Exact JSON text. */
  readonly body?: string;
}

/** The policy of a seat of an operation, as the documents give it (TW-RET-001). */
export function policyOf(operation: string, seat: string): SeatPolicy {
  const policy = rows[operation]?.seats[seat];
  if (policy === undefined) throw new Error(`the documents give ${operation} no seat ${seat}`);
  return policy;
}

/** The request of an operation at a connection. */
export function requestOf(internals: Internals, call: OperationCall, options: CallOptions | undefined): HttpRequest {
  const row = rows[call.operation];
  if (row === undefined) throw new Error(`the documents have no operation ${call.operation}`);
  const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(call.path?.[name] ?? ''));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, `${value}`);
  const target = query.size === 0 ? path : `${path}?${query}`;
  return wireRequest(internals, row.method, internals.prefix + target, call, options);
}

/** A request with the headers that all of ours carry; the token goes to the connection's own origin alone. */
export function wireRequest(
  internals: Internals,
  method: string,
  path: string,
  { headers = {}, body }: Pick<OperationCall, 'headers' | 'body'>,
  options: CallOptions | undefined,
): HttpRequest {
  const all: Record<string, string> = { ...internals.headers, ...lowerCase(options?.headers ?? {}) };
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) all[name] = value;
  if (body !== undefined) all['content-type'] = 'application/json';
  // An error is a problem whatever else was asked for (TW-GEN-004); peers that negotiate, a mock say, keep to what is accepted.
  if (all.accept !== undefined && !/problem\+json|\*/.test(all.accept)) all.accept += ', application/problem+json';
  checkHeaders(all, 'headers');
  return { method, origin: internals.origin, path, headers: all, ...(body === undefined ? {} : { body }) };
}

/** Header names are compared without case: of two spellings the later one counts. */
export function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
