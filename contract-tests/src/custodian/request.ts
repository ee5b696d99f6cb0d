/** The bytes of a request, exactly as a case has them. */
import { Message } from '../faults/http1.ts';
import { parsed } from '../harness/wire.ts';
import type { Sent } from '../run/document.ts';
import type { Ask } from './case.ts';
import { divided, filler, framed } from './replies.ts';

export interface Asked {
  readonly method: string;
  /** Path and query as they are sent. */
  readonly target: string;
  readonly head: Buffer;
  /** What follows the head, piece by piece. */
  readonly pieces: readonly Buffer[];
  /** Each piece waits for the answer to what came before it. */
  readonly inTurn?: boolean;
}

export interface Usual {
  readonly iid: string;
  readonly mark: string;
  readonly standIn: string;
  readonly placement: string;
}

interface Route {
  readonly method: string;
  readonly target: string;
  readonly json?: unknown;
}

function routeOf(route: NonNullable<Ask['route']>, { iid, placement }: Usual): Route {
  const agent = `/agents/${iid}`;
  const node = `/nodes/${placement}`;
  const instanceId = 'i-1';
  const capabilities = { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true };
  const routes: Readonly<Record<NonNullable<Ask['route']>, Route>> = {
    surface: { method: 'GET', target: `${agent}/surface` },
    pick: {
      method: 'POST',
      target: `${agent}/events`,
      json: { turnId: 't', deliveryId: 'd', event: 'note', input: {} },
    },
    poll: { method: 'GET', target: `${agent}/deliveries/d?wait=0` },
    register: {
      method: 'PUT',
      target: node,
      json: { baseUrl: 'http://127.0.0.1:1', instanceId, agents: [], deployment: 'resident', capabilities },
    },
    heartbeat: { method: 'POST', target: `${node}/heartbeat`, json: { instanceId, lifecycle: 'ready' } },
  };
  return routes[route];
}

/** The mark goes with each request, so that what arrives is told from what other cases send. */
export function requestOf(ask: Ask, usual: Usual): Asked {
  const given = ask.raw?.replaceAll('\n', '\r\n') ?? ask.exact;
  if (given !== undefined) return givenWhole(ask, given);
  const route = ask.route === undefined ? undefined : routeOf(ask.route, usual);
  const body = bodyOf(ask, route);
  const method = ask.method ?? route?.method ?? (body === undefined ? 'GET' : 'POST');
  const target = ask.target ?? route?.target ?? '/';
  const framing: Record<string, string> = ask.chunked
    ? { 'transfer-encoding': 'chunked' }
    : body === undefined
      ? {}
      : { 'content-length': String(body.length) };
  const headers: Record<string, string | readonly string[] | null> = {
    host: 'kit',
    authorization: `Bearer ${usual.standIn}`,
    'user-agent': usual.mark,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...framing,
    ...ask.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one) => `${name}: ${one}`),
  );
  const head = [`${method} ${target} HTTP/${ask.version ?? '1.1'}`, ...lines, '', ''].join('\r\n');
  return { method, target, head: latin(head), pieces: piecesOf(ask, body) };
}

/** Well-formed by the kit: neither bytes of its own making nor a part of them is wrong on purpose. */
export const isPlain = ({ route, method, target, text, bytes, raw, exact, sent, health, version }: Ask): boolean =>
  route !== undefined &&
  [method, target, text, bytes, raw, exact, sent, health, version].every((one) => one === undefined);

/** The bytes that are sent, read as a request; nothing when they are none that is whole. */
export function sentOf({ head, pieces }: Asked): Sent | undefined {
  const message = Message.request();
  for (const piece of [head, ...pieces]) message.push(piece);
  if (!message.head || !message.whole) return undefined;
  const [method = '', target = ''] = message.head.startLine.split(' ');
  const body = message.body.length === 0 ? undefined : parsed(message.body.toString());
  return { method, target, headers: Object.fromEntries(message.head.headers), body };
}

function givenWhole({ pieces = 1, method = 'GET' }: Ask, text: string): Asked {
  const [first = '', second = ''] = text.split(' ', 2);
  const parts = text.includes('\f') ? text.split('\f').map(latin) : divided(latin(text), pieces);
  const [head = Buffer.alloc(0), ...rest] = parts;
  const inTurn = text.includes('\f');
  return { method: /^[A-Z]+$/.test(first) ? first : method, target: second, head, pieces: rest, inTurn };
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

function bodyOf({ json, text, bytes }: Ask, route: Route | undefined): Buffer | undefined {
  if (bytes !== undefined) return filler(bytes);
  if (text !== undefined) return latin(text);
  const value = json ?? route?.json;
  return value === undefined ? undefined : Buffer.from(JSON.stringify(value));
}

function piecesOf({ chunked = false, pieces = 1, sent }: Ask, body: Buffer | undefined): Buffer[] {
  if (body === undefined) return [];
  const parts = divided(sent === undefined ? body : body.subarray(0, sent), pieces).map((one) => framed(one, chunked));
  return chunked && sent === undefined ? [...parts, Buffer.from('0\r\n\r\n')] : parts;
}
