import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operationAt } from '../../coverage/documents.ts';
import type { Answer } from '../../harness/wire.ts';
import { Document } from '../../run/document.ts';
import { whenSaid } from '../../run/said.ts';
import type { Mismatch } from '../seen.ts';
import { protocol } from '../spec.ts';
import { HarnessDouble } from './harness.ts';
import { OrchestratorDouble } from './orchestrator.ts';
import { operationOf } from './routes.ts';
import { type Asked, type Effects, type PeerSettings, problem, type Reply } from './state.ts';

const documents = { harness: new Document('harness'), orchestrator: new Document('orchestrator') };

/** By the document whose operation it is; the introduction is in both. */
function ownFaults(answer: Answer): Mismatch[] {
  const of = (name: 'harness' | 'orchestrator') => operationAt(name, answer.method, answer.path) !== undefined;
  // What nobody here has a handler for is no part of a case: a probe of somebody else who had this port before.
  if (answer.path.startsWith('/.well-known/') || answer.headers['turnwire-code'] === 'not_found') return [];
  const name = of('orchestrator') ? 'orchestrator' : of('harness') ? 'harness' : undefined;
  return name === undefined ? [] : documents[name].ownViolations(answer);
}

/** A running double of both peers at one address. */
export interface Peer {
  readonly url: string;
  readonly effects: Readonly<Effects>;
  /** What the kit said here that no document has: its own fault. */
  readonly faults: readonly Mismatch[];
  close(): Promise<void>;
}

/** Starts a double on a free port of loopback. */
export async function startPeer(settings: PeerSettings): Promise<Peer> {
  const effects: Effects = { turns: 0, transitions: 0, aborts: 0, runs: 0, gateAnswers: 0, cancels: 0 };
  const harness = new HarnessDouble(settings, effects);
  const operations = { ...new OrchestratorDouble(settings, effects).operations, ...harness.operations };
  // A taken pick of the past is no transition of this case.
  effects.transitions = 0;
  const faults: Mismatch[] = [];
  const server = createServer((request, response) => {
    whenSaid(request, response, (answer) => {
      // A receipt of another version leaves out what ours has: the case is about that.
      if (!Object.values(settings.receipt ?? {}).includes(null)) faults.push(...ownFaults(answer));
    });
    void asked(request).then((question) => {
      const handler = question === undefined ? undefined : operations[question.operation];
      const reply = question === undefined || handler === undefined ? problem(404, 'not_found') : handler(question);
      send(response, reply, harness.store);
    });
  });
  // As our own servers do: whoever drops an idle socket here is the client.
  server.keepAliveTimeout = protocol.constants.serverIdleMs ?? 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, effects, faults, close };
}

async function asked(request: IncomingMessage): Promise<Asked | undefined> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const origin = `http://${request.headers.host}`;
  const url = new URL(request.url ?? '/', origin);
  const route = operationOf(request.method ?? 'GET', url.pathname);
  if (route === undefined) return undefined;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { ...route, query: url.searchParams, headers, body: json(Buffer.concat(pieces).toString()), origin };
}

function json(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function send(response: ServerResponse, { status, headers = {}, body }: Reply, store: string): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type: Record<string, string> = text === '' ? {} : { 'content-type': 'application/json' };
  const length: Record<string, number> =
    status === 204 || status === 304 ? {} : { 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, { 'turnwire-version': '1', 'turnwire-store': store, ...type, ...length, ...headers });
  response.end(text);
}
