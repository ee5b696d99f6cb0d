import { describe, expect, it } from 'vitest';
import { abort, harnessInfo, health, history, metrics, poll, readiness, streamTail, surface } from './index.ts';
import { foreign, freePort, ours, problem } from './testing/peer.ts';
import { faultOf, stage } from './testing/stage.ts';

const { peerOf, connected } = stage();

const read = {
  iid: 'i1',
  turnId: 't1',
  runId: 'r1',
  menu: [],
  allowed: ['finish'],
  capabilities: { clientDeliveryIds: true },
};
const total = (slept: number[]) => slept.reduce((sum, ms) => sum + ms, 0);

describe('surface', () => {
  it('reads the surface with its ETag, and `unchanged` for one that is known', async () => {
    const peer = await peerOf(({ headers }) =>
      headers['if-none-match'] === '"e1"' ? ours(304) : ours(200, read, { etag: '"e1"' }),
    );
    const { connection } = connected(peer.url);
    expect(await surface(connection, { iid: 'i1' })).toEqual({
      status: 'ok',
      surface: read,
      etag: '"e1"',
      attempts: 1,
    });
    expect(await surface(connection, { iid: 'i1', etag: '"e1"', step: true })).toEqual({
      status: 'unchanged',
      attempts: 1,
    });
    expect(peer.seen[0]).toMatchObject({ method: 'GET', path: '/agents/i1/surface' });
  });

  it('TW-RET-007: the first read of a turn outlasts resets, ingresses and restarts', async () => {
    const script = [
      'reset',
      foreign(502),
      foreign(404),
      problem(503, 'run_unavailable'),
      problem(500, 'internal_error'),
    ] as const;
    const peer = await peerOf((_, count) => script[count - 1] ?? ours(200, read));
    const { connection, lines } = connected(peer.url);
    expect(await surface(connection, { iid: 'i1' })).toMatchObject({ status: 'ok', attempts: 6 });
    expect(lines).toMatchObject([{ seat: 'surface', attempts: 6, ok: true, last: 'internal_error' }]);
  });

  it('TW-RET-007: at a step boundary it is one attempt', async () => {
    for (const act of ['reset', foreign(503), problem(503, 'stopping')] as const) {
      const peer = await peerOf(() => act);
      const { connection, clock } = connected(peer.url);
      const fault = await faultOf(surface(connection, { iid: 'i1', step: true }));
      expect(fault).toMatchObject({ seat: 'surface_step', attempts: 1 });
      expect([peer.seen.length, clock.slept.length]).toEqual([1, 0]);
    }
  });

  it.each([
    [404, 'turn_over', 'turn_over'],
    [404, 'no_route', 'surface_refused'],
    [403, 'wrong_placement', 'surface_refused'],
    [401, 'unauthorized', 'surface_refused'],
    [400, 'bad_request', 'surface_refused'],
  ])('TW-RET-026: %i %s is %s at once', async (status, code, expected) => {
    const peer = await peerOf(() => problem(status, code));
    const fault = await faultOf(surface(connected(peer.url).connection, { iid: 'i1' }));
    expect(fault).toMatchObject({ code: expected, status, attempts: 1, certainty: 'answered' });
    expect(fault.problem?.code).toBe(code);
  });

  it('TW-TRN-015: a window that ends is surface_unreachable', async () => {
    const { connection, clock } = connected(`http://127.0.0.1:${await freePort()}`);
    const fault = await faultOf(surface(connection, { iid: 'i1' }));
    expect(fault.code).toBe('surface_unreachable');
    expect(total(clock.slept)).toBeCloseTo(90_000, 3);
  });
});

describe('poll', () => {
  const receipt = { status: 'delivered', deliveryId: 'd1', event: 'e', moved: true, turnComplete: false, allowed: [] };
  it('answers what holds now: a receipt, or that it is worked on', async () => {
    const peer = await peerOf((_, count) =>
      count === 1 ? ours(202, { status: 'outstanding', deliveryId: 'd1' }) : ours(200, receipt),
    );
    const { connection } = connected(peer.url);
    expect(await poll(connection, { iid: 'i1', deliveryId: 'd1', waitSeconds: 0 })).toEqual({
      status: 'outstanding',
      deliveryId: 'd1',
    });
    expect(await poll(connection, { iid: 'i1', deliveryId: 'd1' })).toEqual({ status: 'delivered', receipt });
    expect(peer.seen.map(({ query }) => query.get('wait'))).toEqual(['0', '25']);
  });

  it.each([
    ['unknown_delivery', 'unknown_delivery'],
    ['turn_over', 'turn_over'],
    ['not_found', 'bad_response'],
  ])('TW-RET-026: 404 %s is %s', async (code, expected) => {
    const peer = await peerOf(() => problem(404, code));
    expect((await faultOf(poll(connected(peer.url).connection, { iid: 'i1', deliveryId: 'd1' }))).code).toBe(expected);
  });

  it('a negative or broken wait is a TypeError that names it', async () => {
    for (const waitSeconds of [-1, 26, 1.5, Number.NaN]) {
      const call = poll(connected('http://127.0.0.1:9').connection, { iid: 'i1', deliveryId: 'd1', waitSeconds });
      await expect(call).rejects.toThrow(/waitSeconds/);
      await expect(call).rejects.toBeInstanceOf(TypeError);
    }
  });
});

describe('abort', () => {
  const ended = { aborted: true, submissionIds: ['s1'] };
  const fenced = { name: 'coder', iid: 'i1', submissionId: 's1' };

  it('sends its fence, and nothing without one', async () => {
    const peer = await peerOf(() => ours(200, ended));
    const { connection } = connected(peer.url);
    expect(await abort(connection, { ...fenced, turnId: 't1' })).toEqual(ended);
    await abort(connection, { name: 'coder', iid: 'i1' });
    expect(peer.seen.map(({ path, body }) => [path, body])).toEqual([
      ['/agents/coder/i1/abort', '{"submissionId":"s1","turnId":"t1"}'],
      ['/agents/coder/i1/abort', ''],
    ]);
  });

  it('TW-RET-015: within a window only a fenced one that is honoured is sent again after doubt', async () => {
    const once = async (more: object) => {
      const peer = await peerOf((_, count) => (count === 1 ? 'reset' : ours(200, ended)));
      const call = abort(connected(peer.url).connection, { ...fenced, ...more }, { windowMs: 5000 });
      const outcome = await call.then(
        () => 'ended',
        (fault: { code: string }) => fault.code,
      );
      return [outcome, peer.seen.length];
    };
    expect(await once({ fencedAbort: true })).toEqual(['ended', 2]);
    expect(await once({ fencedAbort: false })).toEqual(['unknown', 1]);
    expect(await once({ fencedAbort: true, submissionId: undefined })).toEqual(['unknown', 1]);
  });
});

describe('other reads', () => {
  it('history, tail, info and the probes ask their operations', async () => {
    const past = { conversationId: 'c', incarnation: 'a', offset: 'a_1', messages: [], submissions: [] };
    const info = { role: 'harness', version: '1', software: { name: 'x', version: '1' }, store: 's', capabilities: {} };
    const peer = await peerOf(({ path, method, query }) => {
      if (method === 'HEAD') return ours(200, undefined, { 'stream-next-offset': 'a_4', 'stream-closed': 'true' });
      if (query.get('view') === 'history') return ours(200, past);
      if (path === '/.well-known/turnwire') return ours(200, info);
      if (path === '/metrics') return ours(200, '# HELP x\nx 1\n', { 'content-type': 'text/plain' });
      return path === '/readyz' ? problem(503, 'draining') : ours(204);
    });
    const { connection, clock } = connected(peer.url);
    expect(await history(connection, { name: 'coder', iid: 'i1' })).toEqual(past);
    expect(await streamTail(connection, { name: 'coder', iid: 'i1', submission: 's1' })).toEqual({
      offset: 'a_4',
      closed: true,
    });
    expect(await harnessInfo(connection)).toEqual(info);
    expect(await metrics(connection)).toContain('x 1');
    await health(connection);
    expect(await faultOf(readiness(connection))).toMatchObject({ code: 'draining', attempts: 1, seat: 'probe' });
    expect(clock.slept).toEqual([]);
  });

  it('TW-CER-010: a read whose body is cut is asked again, within its window', async () => {
    const past = { conversationId: 'c', incarnation: 'a', offset: 'a_1', messages: [], submissions: [] };
    const peer = await peerOf((_, count) => (count === 1 ? { ...ours(200, past), cut: true } : ours(200, past)));
    expect(await history(connected(peer.url).connection, { name: 'coder', iid: 'i1' })).toEqual(past);
    const lossy = await peerOf(() => ours(200, '{"mess'));
    const { connection, clock } = connected(lossy.url);
    const fault = await faultOf(history(connection, { name: 'coder', iid: 'i1' }));
    expect(fault).toMatchObject({ code: 'answer_lost', certainty: 'delivered' });
    expect(total(clock.slept)).toBeCloseTo(30_000, 3);
  });

  it('the base URL may have a path, and a fault never shows a query', async () => {
    const peer = await peerOf(() => problem(404, 'unknown_conversation'));
    const { connection } = connected(`${peer.url}/behind/`);
    const fault = await faultOf(history(connection, { name: 'coder', iid: 'i1' }));
    expect(peer.seen[0]?.path).toBe('/behind/agents/coder/i1');
    expect(fault.address).toBe(`${peer.url}/behind/agents/coder/i1`);
    expect(JSON.stringify([fault.message, fault])).not.toMatch(/secret|view=/);
  });
});
