import { MAX_TARGET_LENGTH } from './limits.ts';

/** The five operations that a Harness may reach through its Custodian (TW-CUS). */
export type RouteName = 'surface' | 'pick' | 'delivery' | 'register' | 'heartbeat';

/** The routes whose requests may be sent again after a reset (TW-CUS-010); of the others nothing may have been written. */
const READS: readonly RouteName[] = ['surface', 'delivery'];
export const isRead = (route: RouteName): boolean => READS.includes(route);

/** A request as it stands on the wire, before anything decoded or normalised it. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn, as Node gives them. */
  readonly rawHeaders: readonly string[];
}

export type Routed =
  | { readonly kind: 'forward'; readonly route: RouteName; readonly headers: readonly string[] }
  | {
      readonly kind: 'refuse';
      readonly code: 'bad_request' | 'no_route' | 'stand_in_missing' | 'too_large';
      readonly detail: string;
    };

export interface RouteRules {
  readonly placement: string;
  readonly standIn: string;
  readonly forwardedHeaders: ReadonlySet<string>;
  readonly bodyLimitBytes: number;
}

const IID = /^[A-Za-z0-9._~-]{1,128}$/;
const VISIBLE = /^[\x21-\x7e]{1,128}$/;

/**
 * Decides what becomes of a request, from its raw form alone: nothing that a URL parser would quietly repair gets through.
 * 400 for what could be read two ways, 404 for a path that is only odd, 403 without the Stand-in.
 */
export function route(request: RawRequest, rules: RouteRules): Routed {
  const headers = pairs(request.rawHeaders);
  const malformed = malformedTarget(request.target) ?? malformedHeaders(headers);
  if (malformed) return { kind: 'refuse', code: 'bad_request', detail: malformed };
  const found = match(request.method, request.target, rules.placement);
  if (!found) return { kind: 'refuse', code: 'no_route', detail: 'the custodian forwards nothing at this path' };
  if (header(headers, 'authorization') !== `Bearer ${rules.standIn}`) {
    return {
      kind: 'refuse',
      code: 'stand_in_missing',
      detail: 'the request must carry the stand-in as its bearer token',
    };
  }
  // An upstream's own early 413 can be lost behind the error of the write that it cut short, so the limit is held here.
  if (Number(header(headers, 'content-length') ?? 0) > rules.bodyLimitBytes) {
    return { kind: 'refuse', code: 'too_large', detail: `the body is larger than ${rules.bodyLimitBytes} bytes` };
  }
  // The other headers that go upstream (TW-CUS-005), names and values in turn.
  const kept = headers.filter(([name]) => rules.forwardedHeaders.has(name)).flat();
  return { kind: 'forward', route: found, headers: kept };
}

function pairs(raw: readonly string[]): [string, string][] {
  const list: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2)
    list.push([(raw[index] as string).toLowerCase(), raw[index + 1] as string]);
  return list;
}

const header = (headers: readonly (readonly [string, string])[], name: string) =>
  headers.find(([key]) => key === name)?.[1];

function malformedTarget(target: string): string | undefined {
  if (!target.startsWith('/')) return 'the request target must be a path';
  if (target.length > MAX_TARGET_LENGTH) return 'the request target is too long';
  if (target.includes('#')) return 'the request target holds a fragment';
  const path = pathOf(target);
  if (/%2f|%5c|\\/i.test(path)) return 'the path holds an encoded slash';
  const decoded = path.split('/').map(decodeOnce);
  if (decoded.some((segment) => segment === undefined)) return 'the path is not well-formed percent-encoding';
  if (decoded.some((segment) => segment === '.' || segment === '..')) return 'the path holds a dot segment';
  return undefined;
}

function malformedHeaders(headers: readonly (readonly [string, string])[]): string | undefined {
  const authorizations = headers.filter(([name]) => name === 'authorization');
  if (authorizations.length > 1) return 'Authorization is given more than once';
  if (authorizations[0] && !/^[A-Za-z]+ [\x21-\x7e]+$/.test(authorizations[0][1])) return 'Authorization is malformed';
  if (headers.some(([name]) => name.includes('_'))) return 'a header name holds an underscore';
  const encodings = headers.filter(([name]) => name === 'transfer-encoding');
  if (encodings.some(([, value]) => value.toLowerCase() !== 'chunked') || encodings.length > 1)
    return 'Transfer-Encoding may only be chunked';
  const lengths = headers.filter(([name]) => name === 'content-length').length;
  if (lengths > 1 || (lengths === 1 && encodings.length === 1)) return 'the body length is given more than once';
  if (headers.some(([name]) => name === 'upgrade')) return 'nothing is upgraded here';
  return undefined;
}

const pathOf = (target: string) => target.split('?', 1)[0] as string;

/** Once and no further: what is still encoded after it is an ordinary character of an id, and no id of ours has one. */
function decodeOnce(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function match(method: string, target: string, placement: string): RouteName | undefined {
  // It begins parameters in some servers and is a letter in others.
  if (pathOf(target).includes(';')) return undefined;
  const [root, kind, id = '', leaf, extra, ...more] = pathOf(target).split('/').map(decodeOnce);
  if (root !== '' || more.length > 0) return undefined;
  if (kind === 'agents' && IID.test(id)) return agentRoute(method, leaf, extra);
  if (kind === 'nodes' && id === placement) return nodeRoute(method, leaf, extra);
  return undefined;
}

function agentRoute(method: string, leaf: string | undefined, extra: string | undefined): RouteName | undefined {
  if (method === 'GET' && leaf === 'surface' && extra === undefined) return 'surface';
  if (method === 'POST' && leaf === 'events' && extra === undefined) return 'pick';
  if (method === 'GET' && leaf === 'deliveries' && VISIBLE.test(extra ?? '')) return 'delivery';
  return undefined;
}

function nodeRoute(method: string, leaf: string | undefined, extra: string | undefined): RouteName | undefined {
  if (method === 'PUT' && leaf === undefined) return 'register';
  if (method === 'POST' && leaf === 'heartbeat' && extra === undefined) return 'heartbeat';
  return undefined;
}
