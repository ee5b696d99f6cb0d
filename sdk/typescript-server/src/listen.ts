import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { protocol } from '@turnwire/sdk';
import type { Hono } from 'hono';
import { headersOf } from './app.ts';
import { answerEarly } from './early-answer.ts';
import { StartError } from './lifecycle.ts';
import { Problem } from './problem.ts';
import { answerUnreadable, malformed, unreadable } from './unreadable.ts';

export interface ListenOptions {
  readonly app: Hono;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly role: string;
  /** Print the one JSON line on stdout; on unless a second port of the same role is opened. */
  readonly announce?: boolean;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Takes no new connection, ends idle ones, and after `graceMs` cuts what is left. */
  close(options: { graceMs: number }): Promise<void>;
}

/** What a handler returns that wrote its answer to the socket itself. Made here, before the adapter puts its own Response in place. */
export const ALREADY_SENT: Response = RESPONSE_ALREADY_SENT;

/** Serves an app. @throws StartError in one line when the address cannot be had */
export async function listen(options: ListenOptions): Promise<Listening> {
  const server = serverOf(options.app, options.host);
  server.keepAliveTimeout = protocol.constants.serverIdleMs;
  server.headersTimeout = protocol.constants.serverIdleMs + 1_000;
  await bind(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  const url = `http://${host}:${port}`;
  if (options.announce !== false) announce(options.role, url);
  return { url, port, server, close: ({ graceMs }) => closeServer(server, graceMs) };
}

function serverOf(app: Hono, host: string): Server {
  const own = (problem: Problem): Response => {
    const response = problem.toResponse();
    const headers = { ...headersOf(app), [protocol.headers.version]: protocol.version };
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  };
  const fetch: typeof app.fetch = (request, bindings, context) => {
    const problem = unreadable((bindings as { incoming: IncomingMessage }).incoming);
    return problem ? own(problem) : app.fetch(request, bindings, context);
  };
  const listener = getRequestListener(fetch as Parameters<typeof getRequestListener>[0], {
    // An HTTP/1.0 client names no host.
    hostname: host.includes(':') ? `[${host}]` : host,
    errorHandler: (error) =>
      own(
        error instanceof RequestError
          ? malformed('the request target or its Host is malformed')
          : new Problem('internal_error', 'the request failed unexpectedly'),
      ),
  });
  const server = createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    answerEarly(incoming, outgoing);
    void listener(incoming, outgoing);
  });
  answerUnreadable(server, () => headersOf(app));
  return server;
}

/** The one line that says where a role listens. */
export function announce(role: string, url: string): void {
  process.stdout.write(`${JSON.stringify({ event: 'listening', role, url, pid: process.pid })}\n`);
}

function bind(server: Server, { host, port, role }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new StartError(whyNot(error, host, port, role))));
    server.listen(port, host, resolve);
  });
}

function whyNot(error: NodeJS.ErrnoException, host: string, port: number, role: string): string {
  const choose = `choose another for the ${role} with --port or TURNWIRE_PORT (0 picks a free one)`;
  if (error.code === 'EADDRINUSE') return `port ${port} on ${host} is taken; ${choose}`;
  if (error.code === 'EACCES') return `port ${port} on ${host} is not allowed for this user; ${choose}`;
  return `cannot listen on ${host}:${port} (${error.code ?? error.message}); set --host to an address of this machine`;
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A socket that never sent a request is neither idle nor busy for Node: only the deadline ends it.
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(deadline);
}
