/** One request to the subject, byte for byte as the case says, and its whole answer. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Sent } from '../run/document.ts';
import type { Call } from './case.ts';

export interface Answer {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Of a body that is JSON. */
  readonly json?: unknown;
  /** Milliseconds from the request to the end of the answer, and to its head. */
  readonly ms: number;
  readonly headMs: number;
  /** The answer was whole; one that the kit stopped reading counts. */
  readonly whole: boolean;
  /** The request, as it was sent. */
  readonly sent?: Sent;
}

/** No answer came: the connection was refused, reset or ended. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface CallOptions {
  readonly baseUrl: string;
  readonly token: string;
  readonly timeoutMs: number;
  /** Called when the first bytes of the body are there. */
  readonly begun?: () => void;
}

/** A body that is larger is cut: nothing that the kit asks for comes near it. */
const mostBytes = 64 * 1024 * 1024;

/** Sends a request. Rejects with `NoAnswer`. */
export function send(call: Call, options: CallOptions): Promise<Answer> {
  const { hostname, port } = new URL(call.url ?? options.baseUrl);
  const path = call.url === undefined ? (call.path ?? '/') : pathOf(call.url);
  const body = bodyOf(call);
  const method = call.method ?? (body === undefined ? 'GET' : 'POST');
  const headers: Record<string, string> = {
    ...(call.token === null ? {} : { authorization: `Bearer ${call.token ?? options.token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }),
    ...call.headers,
  };
  for (const [key, value] of Object.entries(headers)) if (value === '') delete headers[key];
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false });
    sent.setTimeout(options.timeoutMs, () => sent.destroy(new Error(`no answer in ${options.timeoutMs} ms`)));
    sent.on('error', (error) => reject(new NoAnswer(`gave no answer to ${method} ${path}: ${error.message}`)));
    sent.on('response', (response) => {
      const of = { method, path, startedAt, headMs: performance.now() - startedAt };
      if (options.begun) response.once('data', options.begun);
      read(response, call).then((got) => {
        sent.destroy();
        resolve({
          ...answerOf(response, got, of),
          sent: { method, target: path, headers: lower(headers), body: parsedBody(body) },
        });
      }, reject);
    });
    write(sent, body, call.sent);
  });
}

const lower = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const parsedBody = (body: Buffer | undefined): unknown => (body === undefined ? undefined : parsed(body.toString()));

/** The path and query of a URL as it is written: nothing is normalised. */
const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/]*/, '') || '/';

function bodyOf({ json, text, bytes, nested }: Call): Buffer | undefined {
  if (nested !== undefined) return Buffer.from(`{"message":${'['.repeat(nested)}${']'.repeat(nested)}}`);
  if (bytes !== undefined) return Buffer.from(`{"message":"${'x'.repeat(Math.max(0, bytes - 14))}"}`);
  if (text !== undefined) return Buffer.from(text);
  return json === undefined ? undefined : Buffer.from(JSON.stringify(json));
}

/** A body that is not sent whole leaves its request open: what is answered is answered before the rest. */
function write(sent: ClientRequest, body: Buffer | undefined, bytes: number | undefined): void {
  if (body === undefined || bytes === undefined) sent.end(body);
  else sent.write(body.subarray(0, bytes));
}

function read(response: IncomingMessage, { until, forMs }: Call): Promise<{ text: string; whole: boolean }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (whole: boolean) => {
      clearTimeout(timer);
      resolve({ text: Buffer.concat(chunks).toString(), whole });
    };
    const timer = forMs === undefined ? undefined : setTimeout(() => done(true), forMs);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostBytes) done(false);
      if (until !== undefined && Buffer.concat(chunks).includes(until)) done(true);
    });
    response.on('end', () => done(response.complete));
    response.on('error', () => done(false));
  });
}

function answerOf(
  response: IncomingMessage,
  { text, whole }: { text: string; whole: boolean },
  { method, path, startedAt, headMs }: { method: string; path: string; startedAt: number; headMs: number },
): Answer {
  const headers = Object.entries(response.headers).map(([key, value]) => [key, [value].flat().join(', ')]);
  const json = parsed(text);
  return {
    ...{ method, path, status: response.statusCode ?? 0, headers: Object.fromEntries(headers), text, whole, headMs },
    ...(json === undefined ? {} : { json }),
    ms: performance.now() - startedAt,
  };
}

/** Of a body that is JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
