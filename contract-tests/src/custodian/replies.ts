/** What a good Orchestrator answers, and how an act says otherwise, as bytes. */
import { type Answer, parsed } from '../harness/wire.ts';
import type { Act } from './case.ts';

const problems: Readonly<Record<number, string>> = { 404: 'turn_over', 503: 'stopping' };

interface Usual {
  readonly status: number;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const receipt = { deliveryId: 'd', event: 'note', moved: true, turnComplete: false, allowed: ['note'] };
const menu = [{ name: 'note', description: 'Notes it.', input: { type: 'object' } }];

function usual(method: string, target: string): Usual {
  const path = target.split('?', 1)[0] ?? '';
  const [, kind, id = '', leaf] = path.split('/');
  if (kind === 'nodes')
    return { status: 200, json: method === 'PUT' ? { heartbeatSeconds: 5, leaseSeconds: 60 } : { ok: true } };
  if (leaf === 'surface') {
    const capabilities = { clientDeliveryIds: true };
    const surface = { iid: decodeURIComponent(id), turnId: 't', runId: 'r', menu, allowed: ['note'], capabilities };
    return { status: 200, json: surface, headers: { etag: '"1"' } };
  }
  return { status: 200, json: { status: 'delivered', ...receipt } };
}

/** What went out whole, as its reader has it. */
export function answerOf({ head, body }: Reply, method: string, path: string): Answer {
  const [first = '', ...lines] = head.trim().split('\r\n');
  const headers = lines.map((line) => {
    const [name = '', value = ''] = line.split(/: (.*)/s);
    return [name.toLowerCase(), value];
  });
  const text = body.toString();
  const json = parsed(text);
  const said = { method, path, status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), text };
  return { ...said, ...(json === undefined ? {} : { json }), whole: true, ms: 0, headMs: 0 };
}

export interface Reply {
  readonly head: string;
  readonly body: Buffer;
  readonly chunked: boolean;
}

/** The answer of an act to a request. */
export function replyOf(act: Act, method: string, target: string): Reply {
  const good = usual(method, target);
  const status = act.status ?? good.status;
  const json = act.json ?? (status < 400 ? good.json : problemOf(status));
  const body = bodyOf(act, status, json);
  const type = status >= 400 ? 'application/problem+json' : 'application/json';
  const code = status >= 400 ? { 'turnwire-code': problems[status] ?? 'internal_error' } : {};
  const bodiless = status === 204 || status === 304;
  const framing: Record<string, string> = act.chunked
    ? { 'transfer-encoding': 'chunked' }
    : bodiless
      ? {}
      : { 'content-length': String(body.length) };
  const headers = { 'turnwire-version': '1', ...(bodiless ? {} : { 'content-type': type }), ...good.headers, ...code };
  const lines = Object.entries({ ...headers, ...framing, ...act.headers }).filter(([, value]) => value !== null);
  const head = [`HTTP/1.1 ${status} Kit`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
  return { head, body: bodiless ? Buffer.alloc(0) : body, chunked: act.chunked === true };
}

const problemOf = (status: number): unknown => {
  const code = problems[status] ?? 'internal_error';
  return { type: `urn:turnwire:problem:${code}`, title: 'Of the kit', status, detail: 'as its case says', code };
};

function bodyOf({ text, bytes }: Act, status: number, json: unknown): Buffer {
  if (bytes !== undefined) return filler(bytes);
  if (text !== undefined) return Buffer.from(text);
  return Buffer.from(status === 204 ? '' : JSON.stringify(json));
}

/** JSON of exactly so many bytes. */
export const filler = (bytes: number): Buffer => Buffer.from(`{"x":"${'x'.repeat(Math.max(0, bytes - 8))}"}`);

/** A piece of a body as it goes over the wire. */
export function framed(piece: Buffer, chunked: boolean): Buffer {
  if (!chunked) return piece;
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}

/** In so many pieces of about the same size, none of them empty. */
export function divided(bytes: Buffer, pieces: number): Buffer[] {
  const size = Math.max(1, Math.ceil(bytes.length / Math.max(1, pieces)));
  const all: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) all.push(bytes.subarray(at, at + size));
  return all;
}
