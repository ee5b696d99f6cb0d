import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  answerGate,
  cancelRun,
  type FeedEvent,
  getRun,
  getWorkflow,
  listRuns,
  listWorkflows,
  runEvents,
  startRun,
} from './index.ts';
import { ours, problem } from './testing/peer.ts';
import { faultOf, stage } from './testing/stage.ts';

const { peerOf, connected } = stage();
const run = {
  runId: 'r1',
  workflow: 'review',
  status: 'active',
  value: 'a',
  context: {},
  executions: [],
  gates: [],
  startedAt: '2026-01-01T00:00:00Z',
};

describe('runs and gates', () => {
  it('TW-RET-016: a start is sent again under the key that was minted for it', async () => {
    const peer = await peerOf((_, count) =>
      count === 1 ? 'reset' : ours(201, { runId: 'r1' }, { 'idempotency-replayed': 'true' }),
    );
    const { connection } = connected(peer.url);
    expect(await startRun(connection, { workflow: 'review', input: { title: 'x' } })).toEqual({
      runId: 'r1',
      replayed: true,
    });
    const [first, second] = peer.seen;
    expect(first).toMatchObject({ path: '/workflows/review/runs', body: '{"input":{"title":"x"}}' });
    expect(first?.headers['idempotency-key']).toMatch(/^[\x21-\x7e]{1,128}$/);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  });

  it('a gate answer goes to the gate, and what the gate says is in the fault', async () => {
    const closed = problem(404, 'gate_closed', { openGates: [] });
    const peer = await peerOf((_, count) => (count === 1 ? ours(200, { ok: true, moved: true }) : closed));
    const { connection } = connected(peer.url);
    const answer = { runId: 'r1', gate: 'merge decision', event: 'merge', input: {}, key: 'k' };
    expect(await answerGate(connection, answer)).toEqual({ ok: true, moved: true, replayed: false });
    expect(peer.seen[0]).toMatchObject({
      path: '/runs/r1/gates/merge%20decision/events',
      body: '{"event":"merge","input":{}}',
    });
    const fault = await faultOf(answerGate(connection, answer));
    expect(fault).toMatchObject({ code: 'gate_closed', seat: 'gate_event', problem: { openGates: [] } });
  });

  it('a cancel that an earlier copy did is a success, and one that came too late is not', async () => {
    const script = (status: string) => (seen: { method: string }, count: number) => {
      if (seen.method === 'GET') return ours(200, { ...run, status });
      return count === 1 ? ('reset' as const) : problem(409, 'already_ended');
    };
    const did = await peerOf(script('cancelled'));
    await cancelRun(connected(did.url).connection, { runId: 'r1', reason: 'enough' });
    expect(did.seen[0]?.body).toBe('{"reason":"enough"}');
    const late = await peerOf(script('done'));
    expect((await faultOf(cancelRun(connected(late.url).connection, { runId: 'r1' }))).code).toBe('already_ended');
  });

  it('lists and shows', async () => {
    const peer = await peerOf(({ path }) => {
      if (path === '/runs') return ours(200, { items: [run], nextCursor: 'c2' });
      if (path === '/workflows') return ours(200, { items: [{ name: 'review' }] });
      return ours(200, path === '/runs/r1' ? run : { name: 'review', status: 'ready' });
    });
    const { connection } = connected(peer.url);
    expect(await listRuns(connection, { workflow: 'review', limit: 2 })).toEqual({ items: [run], nextCursor: 'c2' });
    expect(await listWorkflows(connection)).toEqual({ items: [{ name: 'review' }] });
    expect(await getRun(connection, { runId: 'r1' })).toEqual(run);
    expect((await getWorkflow(connection, { name: 'review' })).name).toBe('review');
    expect(Object.fromEntries(peer.seen[0]?.query ?? [])).toEqual({ workflow: 'review', limit: '2' });
  });

  it('TW-CER-018: an input that is not there is a TypeError', async () => {
    const { connection } = connected('http://127.0.0.1:9');
    await expect(startRun(connection, { workflow: 'w', input: undefined as never })).rejects.toThrow(/^input/);
    await expect(getRun(connection, { runId: '..' })).rejects.toThrow(/^runId/);
    await expect(listRuns(connection, { limit: 0 })).rejects.toThrow(/^limit/);
  });
});

describe('runEvents', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** A feed that each connection plays its own part of. */
  async function feedOf(parts: ((response: ServerResponse) => void)[]) {
    let asked = 0;
    const server = createServer((request, response) => {
      const part = parts[asked++];
      response.writeHead(200, { 'content-type': 'text/event-stream', 'turnwire-version': '1' });
      part?.(response);
      expect(request.headers.accept).toBe('text/event-stream, application/problem+json');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked, server };
  }

  const frame = (event: string, data: object) => `id: 1\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  const snapshot = frame('snapshot', { id: '1', type: 'snapshot', runs: [run] });

  it('TW-FED-005: a cut is followed by a new snapshot, and the terminal status ends it', async () => {
    const feed = await feedOf([
      (response) => void response.write(`: hello\n\n${snapshot}`, () => response.destroy()),
      (response) => void response.end(snapshot + frame('run.status', { runId: 'r1', status: 'done' })),
    ]);
    const { connection, lines } = connected(feed.url);
    const events: FeedEvent[] = [];
    for await (const event of runEvents(connection, { runId: 'r1' })) events.push(event);
    expect(events.map(({ event }) => event)).toEqual(['snapshot', 'snapshot', 'run.status']);
    expect(events[0]).toMatchObject({ id: '1', data: { runs: [{ runId: 'r1' }] } });
    expect(lines).toMatchObject([{ seat: 'feed', attempts: 2, ok: true }]);
  });

  it('a reader that leaves ends the request', async () => {
    const feed = await feedOf([(response) => void response.write(snapshot)]);
    const { connection } = connected(feed.url);
    for await (const event of runEvents(connection)) {
      expect(event.event).toBe('snapshot');
      break;
    }
    const count = () => new Promise<number>((resolve) => feed.server.getConnections((_, open) => resolve(open)));
    await expect.poll(count).toBe(0);
  });

  it('a slow reader gets every frame of a fast feed, in order', async () => {
    const many = Array.from({ length: 2000 }, (_, at) => frame('run.emit', { at, pad: 'x'.repeat(500) })).join('');
    const feed = await feedOf([(response) => void response.end(many + frame('run.status', { status: 'cancelled' }))]);
    const { connection } = connected(feed.url);
    let next = 0;
    for await (const { event, data } of runEvents(connection, { runId: 'r1' })) {
      if (event === 'run.emit') expect(data.at).toBe(next++);
      if (next % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(next).toBe(2000);
  });

  it('a refusal is a fault, and an abort too', async () => {
    const peer = await peerOf((_, count) => (count === 1 ? problem(404, 'unknown_run') : 'hang'));
    const { connection } = connected(peer.url);
    const first = async (call: AsyncIterable<FeedEvent>) => call[Symbol.asyncIterator]().next();
    expect((await faultOf(first(runEvents(connection, { runId: 'r9' })))).code).toBe('unknown_run');
    const controller = new AbortController();
    const second = faultOf(first(runEvents(connection, {}, { signal: controller.signal })));
    await expect.poll(() => peer.seen.length).toBe(2);
    controller.abort();
    expect((await second).code).toBe('aborted');
  });
});
