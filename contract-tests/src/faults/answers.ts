/** The bytes that a fault makes of an answer. */
import type { Head, Message } from './http1.ts';
import type { CannedAnswer } from './script.ts';

const framing = new Set(['content-length', 'transfer-encoding']);

/** Status line and headers of an answer under another framing. */
export function reframed(head: Head, how: { length: number } | 'chunked'): string {
  const kept = head.headers.filter(([name]) => !framing.has(name)).map(([name, value]) => `${name}: ${value}`);
  const own = how === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${how.length}`;
  return [head.startLine, ...kept, own, '', ''].join('\r\n');
}

/** A head that promises the whole body, and the body's first bytes. */
export function cutBody(head: Head, body: Buffer, come: number): Buffer {
  return Buffer.concat([Buffer.from(reframed(head, { length: body.length })), body.subarray(0, come)]);
}

/** A chunk that promises all of the body, and that ends inside. */
export function cutChunk(head: Head, body: Buffer, come: number): Buffer {
  const size = `${Math.max(body.length, come + 1).toString(16)}\r\n`;
  return Buffer.concat([Buffer.from(reframed(head, 'chunked') + size), body.subarray(0, come)]);
}

/** Framed as it should be, and not JSON. */
export function brokenJson(head: Head, body: Buffer, come: number): Buffer {
  const part = body.length === 0 ? Buffer.from('{') : body.subarray(0, come);
  return Buffer.concat([Buffer.from(reframed(head, { length: part.length })), part]);
}

/** Bytes that are no HTTP at all. */
export const garbage = Buffer.from('\u0000\u0001 this is not HTTP\r\n\r\n', 'latin1');

/** An answer that the upstream never gave. */
export function canned(answer: CannedAnswer, head: boolean): Buffer {
  const { status, headers = {}, body } = answer;
  const content = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/html' : 'application/json';
  const given = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const typed = /^content-type:/im.test(given.join('\n')) || content === '' ? [] : [`content-type: ${type}`];
  const bodyless = status === 204 || status === 304;
  const length = bodyless ? [] : [`content-length: ${Buffer.byteLength(content)}`];
  const lines = [`HTTP/1.1 ${status} ${phrases[status] ?? 'Answer'}`, ...given, ...typed, ...length, '', ''];
  return Buffer.from(lines.join('\r\n') + (head || bodyless ? '' : content));
}

const phrases: Readonly<Record<number, string>> = {
  200: 'OK',
  301: 'Moved Permanently',
  401: 'Unauthorized',
  404: 'Not Found',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** How many bytes of a body come through. */
export function comingThrough(answer: Message, afterBytes: number | undefined): number {
  const { length } = answer.body;
  return Math.min(afterBytes ?? Math.floor(length / 2), Math.max(0, length - 1));
}
