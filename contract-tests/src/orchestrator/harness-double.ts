/** The kit as a Harness: it takes what the subject admits, counts what arrived, and does with it what the case plans. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Answer } from '../harness/wire.ts';
import type { Sent } from '../run/document.ts';
import { whenSaid } from '../run/said.ts';
import { isRecord } from '../shape.ts';
import type { Affair, Arrived, Submission } from './affair.ts';
import { Book } from './book.ts';
import type { Fate, HarnessPlan } from './plan.ts';

/** Milliseconds that a long-poll is parked here: shorter than the 25 s that are allowed, so that a resume is seen in time. */
const parkedMs = 2_000;
const firstOffset = 'k_0000000000000000';
/** Behind what a chattering agent says before its Settlement. */
const saidOffset = 'k_0000000000000001';
const lastOffset = 'k_0000000000000002';

export class HarnessDouble {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #parked = new Set<() => void>();
  readonly #byIid: Map<string, Affair>;
  #port = 0;
  store = 'kit-store-1';
  mute = false;
  /** It says that it is not healthy. */
  sick = false;
  readonly probes: { authorization: string | undefined; at: number }[] = [];
  /** Answers that no document has, as a plan asks for them. */
  readonly #meant = new WeakSet<ServerResponse>();
  /** What it was sent, and what it answered. */
  readonly heard: { readonly iid: string; readonly sent: Sent }[] = [];
  readonly said: { readonly iid: string; readonly answer: Answer; readonly at: number }[] = [];
  /** How often it was asked what it is. */
  introduced = 0;
  fencedAbort = true;
  url = '';

  /** `name`: of the placement that it is at. */
  constructor(
    readonly token: string,
    readonly book = new Book(),
    readonly name = 'local',
  ) {
    this.#byIid = book.byIid;
    book.wakers.add(() => this.#wake());
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Again at its first address after `stop`. */
  async start(port = this.#port): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.#port}`;
  }

  /** Dies: what is open is reset, and nobody listens. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  affair(mark: string): Affair {
    return this.book.affair(mark);
  }

  #wake(): void {
    for (const wake of this.#parked) wake();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const [, first, name = '', iid = '', action] = url.pathname.split('/').map(decodeURIComponent);
    whenSaid(request, response, (answer) => {
      if (!this.#meant.has(response)) this.said.push({ iid, answer, at: performance.now() });
    });
    const text = await read(request);
    if (first === '.well-known') return this.#info(response);
    if (first === 'healthz') return this.#probe(request, response);
    if (request.headers.authorization !== `Bearer ${this.token}`) return this.#problem(response, 401, 'unauthorized');
    const body = parsed(text);
    const { method = 'GET', url: target = '/', headers } = request;
    this.heard.push({ iid, sent: { method, target, headers, body } });
    const at = { node: this.name, at: performance.now() };
    const arrival = { headers: headersOf(request), name, iid, body, ...at };
    if (request.method === 'POST' && action === 'abort') return this.#abort(arrival, response);
    if (request.method === 'POST') return this.#admit(arrival, response);
    return this.#stream(url, iid, response);
  }

  #probe({ headers }: IncomingMessage, response: ServerResponse): void {
    this.probes.push({ authorization: headers.authorization, at: performance.now() });
    response.writeHead(this.sick ? 503 : 204, this.#own()).end();
  }

  #info(response: ServerResponse): void {
    const capabilities = { idempotentAdmissions: true, fencedAbort: this.fencedAbort, submissionStreams: true };
    const software = { name: 'turnwire-contract', version: '1' };
    this.introduced += 1;
    if (this.mute) this.#problem(response, 404, 'not_found');
    else this.#json(response, 200, { role: 'harness', version: '1', software, store: this.store, capabilities });
  }

  #admit(arrival: Arrived, response: ServerResponse): void {
    const affair = this.#affairOf(arrival);
    const fate = affair?.nextFate() ?? 'invalid';
    if (affair) {
      this.#byIid.set(arrival.iid, affair);
      affair.admissions.push(arrival);
    }
    const expected = arrival.headers['turnwire-expect-store'];
    const elsewhere = expected !== undefined && expected !== this.store;
    if (this.#refused(fate, response)) return;
    if (elsewhere || !affair) this.#problem(response, 412, 'store_changed');
    else this.#take(affair, arrival, fate, response);
  }

  /** Whether nothing was taken. */
  #refused(fate: Fate, response: ServerResponse): boolean {
    const again = { 'retry-after': '1', connection: 'close' };
    const problems = [{ path: '/definition', message: 'no' }];
    if (fate === 'reset') response.socket?.resetAndDestroy();
    else if (fate === 'draining') this.#problem(response, 503, 'draining', {}, again);
    else if (fate === 'queue_full') this.#problem(response, 429, 'queue_full', {}, again);
    else if (fate === 'other_store') this.#problem(response, 412, 'store_changed');
    else if (fate === 'invalid') this.#problem(response, 422, 'invalid', { problems });
    else if (fate === 'unauthorized') this.#problem(response, 401, 'unauthorized');
    else if (fate === 'foreign') response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>no upstream</h1>');
    return response.headersSent || response.socket?.destroyed !== false;
  }

  #take(affair: Affair, arrival: Arrived, fate: Fate, response: ServerResponse): void {
    const { submissionId } = affair.submit(arrival);
    const origin = fate === 'other_origin' ? 'http://127.0.0.2:9' : this.url;
    const streamUrl = `${origin}/agents/${arrival.name}/${arrival.iid}?view=updates&submission=${submissionId}`;
    if (fate === 'lose') response.socket?.resetAndDestroy();
    else if (fate === 'broken')
      response.writeHead(202, { ...this.#own(), 'content-type': 'application/json' }).end('{"streamUrl": ');
    else this.#json(response, 202, { streamUrl, offset: firstOffset, submissionId });
  }

  #affairOf({ iid, body }: Arrived): Affair | undefined {
    const message = isRecord(body) ? String(body.message) : '';
    const mark = /\[kit:[^\]]+\]/.exec(message)?.[0];
    return mark === undefined ? this.#byIid.get(iid) : this.affair(mark);
  }

  #abort(arrival: Arrived, response: ServerResponse): void {
    const affair = this.#byIid.get(arrival.iid);
    affair?.aborts.push(arrival);
    if (affair?.losesAbort() === true) {
      response.socket?.resetAndDestroy();
      return;
    }
    const submissionIds = affair?.abort(arrival) ?? [];
    this.#json(response, 200, { aborted: submissionIds.length > 0, submissionIds });
  }

  async #stream(url: URL, iid: string, response: ServerResponse): Promise<void> {
    const affair = this.#byIid.get(iid);
    const submission = affair?.submissions.find((one) => one.submissionId === url.searchParams.get('submission'));
    if (!affair || !submission) return this.#problem(response, 404, 'unknown_conversation');
    const offset = url.searchParams.get('offset') ?? '-1';
    affair.streams.push({ submissionId: submission.submissionId, offset, at: performance.now() });
    const instead = affair.streamInstead();
    // A Harness that forbids, or speaks of what is not known yet: the case is about that.
    if (instead !== undefined || affair.chatters) this.#meant.add(response);
    if (instead !== undefined) return this.#insteadOfRecords(instead, response);
    const from = offset === '-1' ? firstOffset : offset;
    const chatter = affair.chatters && from === firstOffset ? chatterOf(submission) : [];
    if (!submission.settled && chatter.length === 0 && url.searchParams.has('live')) await this.#park(response);
    this.#records(submission, from, chatter, response);
  }

  #insteadOfRecords(instead: NonNullable<HarnessPlan['stream']>, response: ServerResponse): void {
    const statuses = { forbidden: 403, stream_gone: 410, unknown_conversation: 404 } as const;
    if (instead === 'reset') response.socket?.resetAndDestroy();
    else if (instead === 'foreign') response.writeHead(404, { 'content-type': 'text/html' }).end('no such page');
    else this.#problem(response, statuses[instead], instead);
  }

  #records(submission: Submission, from: string, chatter: readonly object[], response: ServerResponse): void {
    const { settled } = submission;
    const end =
      settled && from !== lastOffset ? [{ type: 'submission.settled', ...stampOf(submission), ...settled }] : [];
    const records = [...chatter, ...end];
    const headers = {
      'stream-next-offset': settled ? lastOffset : chatter.length > 0 ? saidOffset : from,
      'stream-up-to-date': 'true',
      ...(settled ? { 'stream-closed': 'true' } : {}),
    };
    if (records.length > 0) this.#json(response, 200, records, headers);
    else response.writeHead(204, { ...this.#own(), ...headers }).end();
  }

  #park(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#parked.delete(wake);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(wake, parkedMs);
      this.#parked.add(wake);
      response.once('close', wake);
    });
  }

  #own(): Record<string, string> {
    return { 'turnwire-version': '1', 'turnwire-store': this.store };
  }

  #json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
    const text = JSON.stringify(body);
    response.writeHead(status, { ...this.#own(), 'content-type': 'application/json', ...headers }).end(text);
  }

  #problem(
    response: ServerResponse,
    status: number,
    code: string,
    members: object = {},
    more: Record<string, string> = {},
  ): void {
    const headers = { ...this.#own(), 'content-type': 'application/problem+json', 'turnwire-code': code, ...more };
    const problem = { type: `urn:turnwire:problem:${code}`, title: code, status, detail: code, code, ...members };
    response.writeHead(status, headers).end(JSON.stringify(problem));
  }
}

const stampOf = ({ submissionId, turnId }: Submission) => ({ submissionId, turnId, at: new Date().toISOString() });

/** It says that it picks, and picks nothing. */
function chatterOf(submission: Submission): object[] {
  const of = stampOf(submission);
  const message = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'I pick finish. It is finished.' }] };
  return [
    { type: 'submission.started', ...of },
    { type: 'message.appended', ...of, message },
    { type: 'tool.called', ...of, name: 'finish' },
    { type: 'of_a_later_version', ...of },
  ];
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
