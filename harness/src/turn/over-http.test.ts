import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Connection, connect, protocol } from '@turnwire/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import type { Rule } from '../../../contract-tests/src/model/script.ts';
import { type Model, startModel } from '../../../contract-tests/src/model/server.ts';
import { aiSdkEngine } from '../engine/ai-sdk.ts';
import type { TurnEnd, TurnInput, TurnRecord } from './port.ts';
import { runTurn } from './run.ts';
import { agentSurface } from './surface.ts';

/** An Orchestrator as the wire shows it: `answer` gets each request and says what comes back; undefined: nothing ever does. */
type Answer = (seen: {
  method: string;
  path: string;
  body: Record<string, unknown>;
}) => { status: number; body?: unknown; etag?: string } | undefined;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function orchestrator(answer: Answer): Promise<{ connection: Connection; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => void respond(request, response, answer, seen));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connection = connect({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'stand-in',
  });
  closers.push(() => connection.close().then(() => closed(server)));
  return { connection, seen };
}

const closed = (server: Server) =>
  new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  seen: string[],
): Promise<void> {
  let text = '';
  for await (const part of request) text += part;
  const path = new URL(request.url ?? '/', 'http://x').pathname;
  const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  seen.push(`${request.method} ${path}`);
  const answered = answer({ method: request.method ?? '', path, body });
  if (answered === undefined) return;
  const { status, body: said, etag } = answered;
  const code = (said as { code?: string } | undefined)?.code;
  response.setHeader(protocol.headers.version, protocol.version);
  if (code !== undefined) response.setHeader(protocol.headers.code, code);
  if (etag !== undefined) response.setHeader('etag', etag);
  response.writeHead(status, { 'content-type': code === undefined ? 'application/json' : 'application/problem+json' });
  response.end(said === undefined ? undefined : JSON.stringify(said));
}

const problem = (status: number, code: string) => ({
  status,
  body: { type: 'about:blank', title: code, status, detail: code, code },
});

const menu = ['run_checks', 'approve'].map((name) => ({ name, input: { type: 'object', properties: {} } }));
const surface = (allowed: string[]) => ({
  status: 200,
  etag: '"1"',
  body: { iid: 'iid_1', turnId: 'turn_1', runId: 'run_1', menu, allowed, capabilities: { clientDeliveryIds: true } },
});

const input: TurnInput = {
  submissionId: 'sub_1',
  turnId: 'turn_1',
  agentName: 'reviewer',
  iid: 'iid_1',
  definition: { model: 'openai-compatible/any', instructions: 'Review.' },
  message: 'Look at this.',
  notices: [],
  history: [],
};

async function play(
  connection: Connection,
  rules: Rule[],
  more: Partial<TurnInput> = {},
  signal = new AbortController().signal,
): Promise<{ end: TurnEnd; saved: TurnRecord[]; model: Model }> {
  const model = await startModel({ script: { rules } });
  closers.push(() => model.close());
  const clock = { now: Date.now, sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
  const saved: TurnRecord[] = [];
  let ids = 0;
  const end = await runTurn(
    { ...input, ...more },
    {
      surface: agentSurface(connection),
      engine: aiSdkEngine({ settings: { openaiBaseUrl: model.baseUrl }, clock }),
      clock,
      newId: (prefix) => `${prefix}_${++ids}`,
      signal,
      save: async (records) => void saved.push(...records),
      onWaiting: () => undefined,
    },
  );
  if ('records' in end) saved.push(...end.records);
  return { end, saved, model };
}

describe('a turn over HTTP', () => {
  it('with an outstanding pick: one delivery, the answer reaches the model once, and turnComplete ends it', async () => {
    const ids: unknown[] = [];
    const { connection, seen } = await orchestrator(({ method, path, body }) => {
      if (path.endsWith('/surface')) return surface(['run_checks', 'approve']);
      if (method === 'POST') ids.push(body.deliveryId);
      const [deliveryId, event] = [ids.at(-1), ids.length === 1 ? 'run_checks' : 'approve'];
      if (method === 'POST' && event === 'run_checks')
        return { status: 202, body: { status: 'outstanding', deliveryId, event } };
      const turnComplete = event === 'approve';
      return {
        status: 200,
        body: {
          status: 'delivered',
          deliveryId,
          event,
          moved: true,
          turnComplete,
          allowed: turnComplete ? [] : ['approve'],
          ...(!turnComplete && { answer: { clean: true } }),
        },
      };
    });
    const { end, saved, model } = await play(connection, [
      { when: { lastToolResult: '"clean":true' }, reply: { toolCalls: [{ name: 'approve' }] } },
      { when: { step: 1 }, reply: { text: 'First the checks.', toolCalls: [{ name: 'run_checks' }] } },
    ]);
    expect(end).toMatchObject({ outcome: 'completed' });
    expect(seen.filter((one) => one.startsWith('POST'))).toHaveLength(2);
    const waiting = saved.filter((record) => record.type === 'submission.waiting');
    expect(waiting).toEqual([{ type: 'submission.waiting', deliveryId: ids[0] }]);
    expect(saved.flatMap((record) => (record.type === 'tool.answered' ? [[record.name, record.outcome]] : []))).toEqual(
      [
        ['run_checks', 'moved'],
        ['approve', 'turn_complete'],
      ],
    );
    expect(model.requests).toHaveLength(2);
    // The surface said run_checks and approve, the receipt approve: it is told again what holds now, and last.
    expect(model.requests[1]?.body.messages.at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringContaining('run_checks'),
    });
    const [first, second] = model.requests.map((request) => JSON.stringify(request.body.tools));
    expect(second).toBe(first);
  });

  it.each([
    ['turn_over', problem(404, 'turn_over'), 'aborted', 'turn_over'],
    ['wrong_placement', problem(403, 'wrong_placement'), 'failed', 'surface_refused'],
  ])('%s to the first read: the model is never asked (TW-TRN-002, TW-TRN-015)', async (_, answer, outcome, code) => {
    const { connection, seen } = await orchestrator(() => answer);
    const { end, saved, model } = await play(connection, [{ reply: { text: 'x' } }]);
    expect(end).toMatchObject({ outcome, error: { code } });
    expect([seen.length, model.requests.length, saved.length]).toEqual([1, 0, 0]);
  });

  it('404 turn_over at a step boundary ends it', async () => {
    let reads = 0;
    const { connection } = await orchestrator(({ path, body }) => {
      if (!path.endsWith('/surface'))
        return {
          status: 200,
          body: {
            status: 'delivered',
            deliveryId: body.deliveryId,
            event: body.event,
            moved: true,
            turnComplete: false,
            allowed: [],
          },
        };
      reads += 1;
      return reads === 1 ? surface(['approve']) : problem(404, 'turn_over');
    });
    const { end, model } = await play(connection, [{ reply: { toolCalls: [{ name: 'approve' }] } }]);
    expect(end).toMatchObject({ outcome: 'aborted', error: { code: 'turn_over' } });
    expect(model.requests).toHaveLength(1);
  });

  it('a model that repeats a call that moves nothing is stopped at the 4th, which is never sent (TW-TRN-011)', async () => {
    const { connection, seen } = await orchestrator(({ path, body }) => {
      if (path.endsWith('/surface')) return surface(['approve']);
      return {
        status: 200,
        body: {
          status: 'delivered',
          deliveryId: body.deliveryId,
          event: body.event,
          moved: false,
          turnComplete: false,
          allowed: ['approve'],
        },
      };
    });
    const { end } = await play(connection, [{ reply: { toolCalls: [{ name: 'approve', input: { a: 1 } }] } }]);
    expect(end).toMatchObject({ outcome: 'failed', error: { code: 'runaway' } });
    expect(seen.filter((one) => one.startsWith('POST'))).toHaveLength(3);
  });

  it('a malformed call is answered refused without the wire, and the model tries again', async () => {
    const { connection, seen } = await orchestrator(() => surface(['approve']));
    const { end, saved } = await play(connection, [
      { when: { step: 1 }, reply: { toolCalls: [{ name: 'approve', rawArguments: '{"a' }, { name: 'merge' }] } },
      { when: { lastToolResult: 'no pick named' }, reply: { text: 'I give up.' } },
    ]);
    expect(end).toMatchObject({ outcome: 'completed' });
    expect(seen.every((one) => one.startsWith('GET'))).toBe(true);
    expect(saved.flatMap((record) => (record.type === 'tool.answered' ? [record.outcome] : []))).toEqual([
      'refused',
      'refused',
    ]);
  });

  it('a limit of tokens ends it with what it used (TW-TRN-013)', async () => {
    const { connection } = await orchestrator(() => surface(['approve']));
    const definition = { ...input.definition, limits: { maxTotalTokens: 100 } };
    const { end } = await play(connection, [{ reply: { text: 'x', usage: { inputTokens: 90, outputTokens: 20 } } }], {
      definition,
    });
    expect(end).toMatchObject({
      error: {
        code: 'limit_exceeded',
        message: expect.stringContaining('maxTotalTokens of 100 was exceeded: 110 used'),
      },
    });
  });

  it.each([
    ['that was taken', 'taken_turn_ended', 200],
    ['of which nobody knows', 'unknown_turn_ended', 404],
  ])('an abort with a pick in flight %s looks it up for at most 2 s (TW-ABT-007)', async (_, outcome, status) => {
    const abort = new AbortController();
    const { connection, seen } = await orchestrator(({ method, path }) => {
      if (path.endsWith('/surface')) return surface(['approve']);
      if (method === 'GET' && status === 404) return problem(404, 'unknown_delivery');
      if (method === 'GET')
        return {
          status,
          body: {
            status: 'delivered',
            deliveryId: 'x',
            event: 'approve',
            moved: true,
            turnComplete: true,
            allowed: [],
          },
        };
      setTimeout(() => abort.abort(), 50);
      return undefined;
    });
    const begun = Date.now();
    const { end, saved } = await play(connection, [{ reply: { toolCalls: [{ name: 'approve' }] } }], {}, abort.signal);
    expect(Date.now() - begun).toBeLessThan(3_500);
    expect(end).toMatchObject({ outcome: 'aborted', error: { code: 'aborted' } });
    expect(saved).toContainEqual(expect.objectContaining({ type: 'tool.answered', outcome }));
    expect(seen.filter((one) => one.startsWith('POST'))).toHaveLength(1);
    expect(seen.filter((one) => one.includes('/deliveries/')).length).toBeGreaterThan(0);
  });
});
