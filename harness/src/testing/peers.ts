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
