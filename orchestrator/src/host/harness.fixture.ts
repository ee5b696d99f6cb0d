/** A Harness for the host's tests: real HTTP, no model. It counts what arrived; the test decides what becomes of it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Submission {
  submissionId: string;
  key: string;
  iid: string;
  turnId: string;
  message: string;
  notices: string[];
  settled?: { outcome: string; error?: { code: string; message: string } };
}

/** What becomes of an admission: `lose`: it is taken, and the answer never arrives; `hang`: nothing. */
export type Fate = 'take' | 'lose' | 'drain' | 'reset' | 'hang';

export class FakeHarness {
  store = 'store-1';
  readonly admissions: {
    key: string;
    body: string;
    expectStore: string | undefined;
    authorization: string | undefined;
    traceparent: string | undefined;
  }[] = [];
  readonly submissions: Submission[] = [];
  readonly aborts: { iid: string; turnId?: string; submissionId?: string }[] = [];
  /** Settles what it aborts, as a good one does. */
  honoursAborts = true;
  fencedAbort = true;
  fates: Fate[] = [];
  /** How many aborts are taken and not acknowledged. */
  unacknowledged = 0;
  onSubmission: (submission: Submission) => void = () => {};
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #parked = new Set<() => void>();
  readonly #refused = new Set<string>();
  url = '';

  async start(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  settle(submission: Submission, outcome = 'completed', code?: string): void {
    submission.settled ??= code === undefined ? { outcome } : { outcome, error: { code, message: code } };
    for (const wake of this.#parked) wake();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const [, first, name = '', iid = '', action] = url.pathname.split('/').map(decodeURIComponent);
    const text = await read(request);
    if (first === '.well-known') return this.#info(response);
    if (request.method === 'POST' && action === 'abort') return this.#abort(iid, text, response);
    if (request.method === 'POST') return this.#admit(request, name, iid, text, response);
    return this.#stream(url, response);
  }

  #info(response: ServerResponse): void {
    const { fencedAbort } = this;
    const capabilities = { idempotentAdmissions: true, fencedAbort, submissionStreams: true };
    this.#json(response, 200, {
      role: 'harness',
      version: '1',
      software: { name: 'fake', version: '0' },
      store: this.store,
      capabilities,
    });
  }

  #admit(request: IncomingMessage, _name: string, iid: string, body: string, response: ServerResponse): void {
    const key = String(request.headers['idempotency-key']);
    const expectStore = request.headers['turnwire-expect-store'] as string | undefined;
    this.admissions.push({
      key,
      body,
      expectStore,
      authorization: request.headers.authorization,
      traceparent: request.headers.traceparent as string | undefined,
    });
    const fate = this.fates.shift() ?? 'take';
    if (fate === 'hang') return;
    if (fate === 'reset') return void request.socket.destroy();
    if (fate === 'drain') {
      this.#problem(response, 503, 'draining');
      return;
    }
    if (expectStore !== undefined && expectStore !== this.store) {
      this.#problem(response, 412, 'store_changed');
      return;
    }
    const submission = this.#submissionOf(key, iid, body);
    if (fate === 'lose') return void request.socket.destroy();
    const { submissionId } = submission;
    const streamUrl = `${this.url}/agents/a/${iid}?view=updates&submission=${submissionId}`;
    this.#json(response, 202, { streamUrl, offset: '0_0000000000000000', submissionId });
  }

  #submissionOf(key: string, iid: string, text: string): Submission {
    const known = this.submissions.find((one) => one.key === key && one.iid === iid);
    if (known) return known;
    const {
      turnId,
      message,
      notices = [],
    } = JSON.parse(text) as { turnId: string; message: string; notices?: string[] };
    const submission: Submission = {
      submissionId: `sub_${this.submissions.length + 1}`,
      key,
      iid,
      turnId,
      message,
      notices,
    };
    this.submissions.push(submission);
    if (this.#refused.has(turnId))
      submission.settled = { outcome: 'aborted', error: { code: 'aborted', message: 'aborted' } };
    else setImmediate(() => this.onSubmission(submission));
    return submission;
  }

  #abort(iid: string, text: string, response: ServerResponse): void {
    const fence = text === '' ? {} : (JSON.parse(text) as { turnId?: string; submissionId?: string });
    this.aborts.push({ iid, ...fence });
    if (this.unacknowledged > 0) {
      this.unacknowledged -= 1;
      response.socket?.destroy();
      return;
    }
    if (fence.turnId) this.#refused.add(fence.turnId);
    const hit = this.submissions.filter(
      (one) =>
        one.iid === iid && !one.settled && (one.submissionId === fence.submissionId || one.turnId === fence.turnId),
    );
    if (this.honoursAborts) for (const submission of hit) this.settle(submission, 'aborted', 'aborted');
    this.#json(response, 200, { aborted: hit.length > 0, submissionIds: hit.map(({ submissionId }) => submissionId) });
  }

  async #stream(url: URL, response: ServerResponse): Promise<void> {
    const submission = this.submissions.find((one) => one.submissionId === url.searchParams.get('submission'));
    if (!submission) return this.#problem(response, 404, 'unknown_conversation');
    if (!submission.settled && url.searchParams.has('live')) await this.#park(response);
    const atStart = url.searchParams.get('offset') === '0_0000000000000000';
    const record = {
      type: 'submission.settled',
      submissionId: submission.submissionId,
      at: new Date().toISOString(),
      ...submission.settled,
    };
    const records = submission.settled && atStart ? [record] : [];
    const next = submission.settled ? '0_0000000000000001' : '0_0000000000000000';
    const headers = {
      'stream-next-offset': next,
      'stream-up-to-date': 'true',
      ...(submission.settled ? { 'stream-closed': 'true' } : {}),
    };
    if (records.length === 0 && url.searchParams.has('live')) {
      response.writeHead(204, { ...this.#own(), ...headers }).end();
      return;
    }
    this.#json(response, 200, records, headers);
  }

  #park(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#parked.delete(wake);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(wake, 5_000);
      this.#parked.add(wake);
      response.once('close', wake);
    });
  }

  #own(): Record<string, string> {
    return { 'turnwire-version': '1', 'turnwire-store': this.store };
  }

  #json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
    response
      .writeHead(status, { ...this.#own(), 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
  }

  #problem(response: ServerResponse, status: number, code: string): void {
    const headers = { ...this.#own(), 'content-type': 'application/problem+json', 'turnwire-code': code };
    response
      .writeHead(status, headers)
      .end(JSON.stringify({ type: 'about:blank', title: code, status, detail: code, code }));
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
