/** A peer on a real socket that answers by a script and counts what arrived. For tests only. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { protocol } from '../gen/protocol.ts';

/** One request as it arrived, whole. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** Which connection it came on, counted from 1. */
  readonly connection: number;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Announces more than it sends, then cuts. */
  readonly cut?: boolean;
  /** Sends the head and some of the body, and no more. */
  readonly stall?: boolean;
}

/** `reset`: after the whole request and before any answer; `hang`: no answer. */
export type Act = Reply | 'reset' | 'close' | 'hang';

export interface Peer {
  readonly url: string;
  readonly seen: Seen[];
  readonly port: number;
  /** Connections so far. */
  connections(): number;
  /** Connections that are open now. */
  open(): number;
  close(): Promise<void>;
}

export type Script = (seen: Seen, count: number) => Act | Promise<Act>;

/** An answer of ours. */
export function ours(status: number, body?: unknown, headers: Record<string, string> = {}): Reply {
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : undefined;
  const own = { [protocol.headers.version]: '1', ...(code === undefined ? {} : { [protocol.headers.code]: code }) };
  return { status, headers: { ...own, ...headers }, body };
}

/** A problem of ours. */
export function problem(status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Reply {
  return ours(
    status,
    { type: `urn:turnwire:problem:${code}`, title: code, status, detail: `said ${code}.`, code, ...more },
    headers,
  );
}

/** Somebody else's answer: an ingress, a mesh, a page. */
export function foreign(status: number, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': 'text/html', ...headers }, body: '<html>not ours</html>' };
}

export async function startPeer(script: Script, port = 0): Promise<Peer> {
  const seen: Seen[] = [];
  const connections = new Map<unknown, number>();
  const server = createServer(async (request, response) => {
    const one = await readRequest(request, connections.get(request.socket) ?? 0);
    seen.push(one);
    act(await script(one, seen.length), request, response);
  });
  server.keepAliveTimeout = 60_000;
  let open = 0;
  server.on('connection', (socket) => {
    connections.set(socket, connections.size + 1);
    open++;
    socket.once('close', () => open--);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const taken = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${taken}`,
    seen,
    port: taken,
    connections: () => connections.size,
    open: () => open,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A peer that speaks raw bytes after the head of a request came, and then ends the connection. */
export async function startRawPeer(bytes: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function readRequest(request: IncomingMessage, connection: number): Promise<Seen> {
  let body = '';
  for await (const chunk of request) body += chunk;
  const url = new URL(request.url ?? '/', 'http://peer');
  const { method = '', headers } = request;
  return { method, path: url.pathname, query: url.searchParams, headers: headers as Seen['headers'], body, connection };
}

function act(reply: Act, request: IncomingMessage, response: ServerResponse): void {
  if (reply === 'hang') return;
  if (reply === 'reset') return void request.socket.resetAndDestroy();
  if (reply === 'close') return void request.socket.destroy();
  const text = typeof reply.body === 'string' ? reply.body : reply.body === undefined ? '' : JSON.stringify(reply.body);
  const extra = reply.cut === true || reply.stall === true ? 10 : 0;
  const length =
    reply.status === 204 || reply.status === 304 ? {} : { 'content-length': `${Buffer.byteLength(text) + extra}` };
  response.writeHead(reply.status, { 'content-type': 'application/json', ...length, ...reply.headers });
  if (extra === 0) return void response.end(text);
  response.write(text.slice(0, -1), () => {
    if (reply.cut === true) request.socket.destroy();
  });
}
