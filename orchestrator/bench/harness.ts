/** A Harness that takes every admission and keeps its stream open: what the bench's runs are attached to. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Turn {
  iid: string;
  turnId: string;
}

const OWN = { 'turnwire-version': '1', 'turnwire-store': 'bench' };
/** Shorter than 25 s: parked reads come back in their time. */
const PARKED_MS = 24_000;

export class BenchHarness {
  /** By the prompt: the bench names each run in it. */
  readonly turns = new Map<string, Turn>();
  admissions = 0;
  /** Distinct keys of them: what a Harness runs. */
  get submissions(): number {
    return this.#byKey.size;
  }

  /** Reads of a stream that are open now. */
  parked = 0;
  url = '';
  readonly #byKey = new Map<string, number>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', 16_384, resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, first, , iid = '', action] = (request.url ?? '').split('?', 1)[0]?.split('/') ?? [];
    if (first === '.well-known') return this.#json(response, 200, this.#info());
    if (request.method === 'GET') return this.#park(response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (action === 'abort') return this.#json(response, 200, { aborted: false, submissionIds: [] });
    const { message, turnId } = JSON.parse(Buffer.concat(chunks).toString()) as { message: string; turnId: string };
    const key = String(request.headers['idempotency-key']);
    const n = this.#byKey.get(key) ?? this.#byKey.size + 1;
    this.#byKey.set(key, n);
    this.admissions += 1;
    this.turns.set(message, { iid, turnId });
    const streamUrl = `${this.url}/agents/coder/${iid}?view=updates&submission=sub-${n}`;
    this.#json(response, 202, { streamUrl, offset: '0', submissionId: `sub-${n}` });
  }

  #info(): unknown {
    const capabilities = { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true };
    return { role: 'harness', version: '1', software: { name: 'bench', version: '0' }, store: 'bench', capabilities };
  }

  #park(response: ServerResponse): void {
    this.parked += 1;
    const timer = setTimeout(() => {
      response.writeHead(204, { ...OWN, 'stream-next-offset': '0', 'stream-up-to-date': 'true' }).end();
    }, PARKED_MS);
    response.once('close', () => {
      this.parked -= 1;
      clearTimeout(timer);
    });
  }

  #json(response: ServerResponse, status: number, body: unknown): void {
    response.writeHead(status, { ...OWN, 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}
