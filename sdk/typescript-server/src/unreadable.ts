/** What HTTP itself refuses, before an app sees it: answered as a problem document too, not in Node's bare words (TW-GEN-001). */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { protocol } from '@turnwire/sdk';
import { EARLY_ANSWER_MS } from './early-answer.ts';
import { Problem } from './problem.ts';

/** Why a request that Node has parsed cannot be served as HTTP; undefined when it can. */
export function unreadable({ url = '', httpVersion, headers, rawHeaders }: IncomingMessage): Problem | undefined {
  if (httpVersion === '1.1' && headers.host === undefined) return malformed('the request has no Host header');
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1) return malformed('Host is given more than once');
  if (!url.startsWith('/') && !/^https?:\/\//.test(url)) return malformed('the request target must be a path');
  return undefined;
}

/** Answers what Node's parser refuses, an `Expect` that nobody meets, and CONNECT. @param headers those of every answer */
export function answerUnreadable(server: Server, headers: () => Readonly<Record<string, string>>): void {
  const answered = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, problem: Problem) => {
    if (answered.has(socket)) return;
    answered.add(socket);
    // Bytes of another answer are on their way: a second head in the middle of it would be read as its body.
    const { _httpMessage: underWay } = socket as { _httpMessage?: { headersSent: boolean } };
    if (!socket.writable || underWay?.headersSent) return void socket.destroy();
    socket.end(text(problem, headers()));
    socket.resume();
    const late = setTimeout(() => socket.destroy(), EARLY_ANSWER_MS);
    socket.once('close', () => clearTimeout(late));
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    socket.on('error', () => socket.destroy());
    refuse(socket, reason(error.code));
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    refuse(socket, malformed('nothing is tunnelled here'));
  });
  server.on('checkExpectation', ({ socket }: IncomingMessage) =>
    refuse(socket, malformed('Expect may only be 100-continue')),
  );
}

export const malformed = (detail: string): Problem =>
  new Problem('bad_request', detail, { headers: { connection: 'close' } });

function reason(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return malformed('the head of the request is too large');
  if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') return malformed('the request is not well-formed HTTP');
  return new Problem('bad_request', 'the request did not come in time', { status: 408 });
}

/** A whole HTTP/1.1 answer, after which the connection ends. */
function text(problem: Problem, headers: Readonly<Record<string, string>>): string {
  const body = JSON.stringify(problem.toDocument());
  const head = {
    ...headers,
    ...problem.headers,
    [protocol.headers.version]: protocol.version,
    date: new Date().toUTCString(),
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${problem.status === 408 ? 'Request Timeout' : 'Bad Request'}\r\n${lines.join('')}\r\n${body}`;
}
