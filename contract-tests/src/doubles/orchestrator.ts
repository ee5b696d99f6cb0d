/** The kit in the place of an Orchestrator behind its Custodian: three operations, each conversation by its own plan. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from '../harness/wire.ts';
import { whenSaid } from '../run/said.ts';
import { NodeDouble } from './node.ts';
import type { TurnPlan } from './plan.ts';
import { type PickBody, problem, type Reply, TurnDouble } from './turn.ts';

/** A request as it arrived. */
export interface Arrival {
  /** `performance.now()` when it was read whole. */
  readonly at: number;
  readonly iid: string;
  readonly operation: 'surface' | 'pick' | 'poll' | 'node' | 'unknown';
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  /** What was answered; absent while nothing was. */
  answered?: number | 'cut' | 'hang';
  answeredAt?: number;
  /** As the kit sent it. */
  reply?: Answer;
}

const nodeRoutes = /^\/nodes\/([^/]+)(\/heartbeat)?$/;
const routes = /^\/agents\/([^/]+)\/(surface|events|deliveries\/([^/]+))$/;

export class OrchestratorDouble {
  readonly arrivals: Arrival[] = [];
  readonly #turns = new Map<string, TurnDouble>();
  readonly #nodes = new Map<string, NodeDouble>();
  readonly #server = createServer((request, response) => void this.#handle(request, response));

  /** Resolves with the address. */
  async start(port = 0): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** What this conversation is answered from now on; a conversation without a plan is over. */
  plan(iid: string, plan: TurnPlan): void {
    this.#turns.set(iid, new TurnDouble(plan));
  }

  turn(iid: string): TurnDouble | undefined {
    return this.#turns.get(iid);
  }

  /** A node by its name, whether it was heard already or not. */
  node(nodeId: string): NodeDouble {
    const node = this.#nodes.get(nodeId) ?? new NodeDouble();
    this.#nodes.set(nodeId, node);
    return node;
  }

  of(iid: string): Arrival[] {
    return this.arrivals.filter((arrival) => arrival.iid === iid);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const { method = '', url = '', headers } = request;
    const target = new URL(url, 'http://kit');
    const [, nodeId, beat] = nodeRoutes.exec(target.pathname) ?? [];
    const [, iid = nodeId ?? '', what = '', deliveryId = ''] = routes.exec(target.pathname) ?? [];
    const speaks = nodeId !== undefined && method === (beat ? 'POST' : 'PUT');
    const operation = speaks ? 'node' : operationOf(method, what);
    const body = parsed(Buffer.concat(chunks).toString());
    const arrival: Arrival = { at: performance.now(), iid, operation, method, target: url, headers, body };
    this.arrivals.push(arrival);
    whenSaid(request, response, (answer) => {
      arrival.reply = answer;
    });
    const wait = Number(target.searchParams.get('wait') ?? 0) * 1000;
    const reply = await this.#answer(arrival, deliveryId, wait);
    send(response, reply);
    arrival.answered = typeof reply === 'string' ? reply : reply.status;
    arrival.answeredAt = performance.now();
  }

  async #answer(
    { iid, operation, method, headers, body }: Arrival,
    deliveryId: string,
    waitMs: number,
  ): Promise<Reply> {
    const turn = this.#turns.get(iid);
    if (operation === 'node') return this.node(iid).hear(method, body);
    if (operation === 'unknown') return problem({ status: 404, code: 'no_route' });
    if (!turn) return problem({ status: 404, code: 'turn_over' });
    if (operation === 'surface') return turn.surface(iid, headers['if-none-match'] as string | undefined);
    return operation === 'pick' ? turn.pick((body ?? {}) as PickBody) : await turn.poll(deliveryId, waitMs);
  }
}

function operationOf(method: string, what: string): Arrival['operation'] {
  if (method === 'GET' && what === 'surface') return 'surface';
  if (method === 'POST' && what === 'events') return 'pick';
  return method === 'GET' && what.startsWith('deliveries/') ? 'poll' : 'unknown';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return;
  if (reply === 'cut') {
    response.destroy();
    return;
  }
  const bytes = Buffer.from(reply.body === undefined ? '' : JSON.stringify(reply.body));
  const usual = { 'turnwire-version': '1', 'content-type': 'application/json', 'content-length': String(bytes.length) };
  const headers =
    reply.status === 304 ? { ...usual, 'content-length': '0', ...reply.headers } : { ...usual, ...reply.headers };
  response.writeHead(reply.status, headers);
  response.end(reply.status === 304 ? undefined : bytes);
}
