/** The other side of a real Harness process, for tests: a surface that holds picks outstanding, and a model. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class Peers {
  /** Requests to the model, the message list of each. */
  readonly asked: { role: string; content: unknown }[][] = [];
  /** Picks that arrived, by their delivery id: how many copies. */
  readonly picks = new Map<string, number>();
  /** The trace that each request of the agent surface belongs to. */
  readonly traces: (string | undefined)[] = [];
  /** Whether the model answers; while it does not, its callers hang. */
  modelAnswers = true;
  /** What nodes said, in order: `register INSTANCE` with its body, `LIFECYCLE INSTANCE`. */
  readonly said: { what: string; instanceId: string; body: Record<string, unknown>; at: number }[] = [];
  /** What a heartbeat is answered instead of 200. */
  heartbeatProblem: { status: number; code: string; members?: object } | undefined;
  /** What a registration is answered instead of 200. */
  registerProblem: { status: number; code: string; members?: object } | undefined;
  heartbeatSeconds = 1;
  #answered = false;
  readonly #unanswered: (() => void)[] = [];
  readonly #polls = new Set<() => void>();
  readonly #server = createServer((request, response) => void this.#handle(request, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The workflow comes to Rest: the outstanding pick has its receipt now. */
  answer(): void {
    this.#answered = true;
    for (const wake of this.#polls) wake();
  }

  /** The model answers from now on, and those that hang as well. */
  answerModel(): void {
    this.modelAnswers = true;
    for (const answer of this.#unanswered.splice(0)) answer();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const url = request.url ?? '';
    if (!url.endsWith('/chat/completions')) this.traces.push(request.headers.traceparent as string | undefined);
    if (url.endsWith('/chat/completions')) this.#model(JSON.parse(text), response);
    else if (url.startsWith('/nodes/')) this.#node(request.method ?? '', url, JSON.parse(text), response);
    else if (url.endsWith('/surface')) this.#json(response, 200, surface(url));
    else if (url.endsWith('/events')) this.#pick(JSON.parse(text), response);
    else await this.#poll(url.split('/').at(-1)?.split('?')[0] ?? '', response);
  }

  #pick({ deliveryId, event }: { deliveryId: string; event: string }, response: ServerResponse): void {
    this.picks.set(deliveryId, (this.picks.get(deliveryId) ?? 0) + 1);
    this.#json(response, 202, { status: 'outstanding', deliveryId, event });
  }

  async #poll(deliveryId: string, response: ServerResponse): Promise<void> {
    if (!this.#answered) await new Promise<void>((resolve) => this.#polls.add(resolve));
    const receipt = { status: 'delivered', deliveryId, event: 'ask', moved: true, turnComplete: true, allowed: [] };
    this.#json(response, 200, receipt);
  }

  #model({ messages }: { messages: { role: string; content: unknown }[] }, response: ServerResponse): void {
    this.asked.push(messages);
    if (!this.modelAnswers) this.#unanswered.push(() => this.#say(response));
    else this.#say(response);
  }

  #say(response: ServerResponse): void {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'ask', arguments: '{}' } };
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', tool_calls: [call] }, null));
    response.end(`${chunk({}, 'tool_calls')}data: [DONE]\n\n`);
  }

  #node(method: string, url: string, body: Record<string, unknown>, response: ServerResponse): void {
    const registers = method === 'PUT';
    if (!/^\/nodes\/desk(\/heartbeat)?$/.test(url)) {
      this.#problem(response, { status: 404, code: 'no_route' });
      return;
    }
    const what = registers ? 'register' : String(body.lifecycle);
    this.said.push({ what, instanceId: String(body.instanceId), body, at: performance.now() });
    const problem = registers ? this.registerProblem : this.heartbeatProblem;
    if (problem) this.#problem(response, problem);
    else if (registers) this.#json(response, 200, { heartbeatSeconds: this.heartbeatSeconds, leaseSeconds: 60 });
    else this.#json(response, 200, {});
  }

  #problem(
    response: ServerResponse,
    { status, code, members }: { status: number; code: string; members?: object },
  ): void {
    const body = { type: `urn:turnwire:problem:${code}`, title: code, status, detail: code, code, ...members };
    const headers = { 'turnwire-version': '1', 'turnwire-code': code, 'content-type': 'application/problem+json' };
    response.writeHead(status, headers).end(JSON.stringify(body));
  }

  #json(response: ServerResponse, status: number, body: object): void {
    const bytes = Buffer.from(JSON.stringify(body));
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': bytes.length,
      'turnwire-version': '1',
      etag: '"s1"',
    });
    response.end(bytes);
  }
}

const surface = (url: string) => ({
  iid: url.split('/')[2],
  turnId: 'turn_1',
  runId: 'run_1',
  menu: [{ name: 'ask', description: 'Ask a human.', input: { type: 'object' } }],
  allowed: ['ask'],
  capabilities: { clientDeliveryIds: true },
});
