import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostRefusal, type RefusalCode } from '../host/port.ts';
import { GATE, OUTSTANDING, RECEIPT, RUN, SURFACE, WORKFLOW } from './host.fixture.ts';
import { ELSEWHERE, HARNESS, INSTANCE, LOCAL, type Serving, serveFake, violations } from './serving.fixture.ts';

let serving: Serving;
beforeEach(async () => {
  serving = await serveFake();
});
afterEach(() => serving.close());

interface Asked {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Every answer of every test is held against the spec. */
async function ask(operationId: string, method: string, path: string, { token, body, headers }: Asked = {}) {
  const response = await fetch(serving.url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = /json/.test(response.headers.get('content-type') ?? '')
    ? (JSON.parse(text) as Record<string, unknown>)
    : text;
  expect(violations(operationId, response, json)).toEqual([]);
  expect(response.headers.get('turnwire-version')).toBe('1');
  return { status: response.status, headers: response.headers, body: json as Record<string, unknown> };
}

const PICK = { turnId: 'turn_1', deliveryId: 'dlv_1', event: 'approve', input: {} };

/** Each operation with a token: how it is asked well, and what reaches the host. */
const SURFACE_OPERATIONS: [string, string, string, Asked][] = [
  ['readSurface', 'GET', '/agents/iid_1/surface', {}],
  ['pick', 'POST', '/agents/iid_1/events', { body: PICK }],
  ['readDelivery', 'GET', '/agents/iid_1/deliveries/dlv_1', {}],
];
const INSTANCE_OPERATIONS: [string, string, string, Asked][] = [
  ['listWorkflows', 'GET', '/workflows', {}],
  ['getWorkflow', 'GET', '/workflows/review', {}],
  ['startRun', 'POST', '/workflows/review/runs', { body: { input: { title: 't', diff: 'd' } } }],
  ['listRuns', 'GET', '/runs', {}],
  ['getRun', 'GET', '/runs/run_1', {}],
  ['answerGate', 'POST', '/runs/run_1/gates/merge_decision/events', { body: { event: 'merge', input: {} } }],
  ['cancelRun', 'POST', '/runs/run_1/cancel', {}],
  ['readRunEvents', 'GET', '/runs/run_1/events', {}],
  ['readEvents', 'GET', '/events', {}],
];
const all = [
  ...SURFACE_OPERATIONS.map((row) => [...row, LOCAL, INSTANCE] as const),
  ...INSTANCE_OPERATIONS.map((row) => [...row, INSTANCE, LOCAL] as const),
];

describe.each(all)('%s', (operationId, method, path, asked, right, wrong) => {
  it('answers well with its token', async () => {
    const { status } = await ask(operationId, method, path, { ...asked, token: right });
    expect(status).toBe(operationId === 'startRun' ? 201 : 200);
    expect(serving.host.calls).toHaveLength(1);
  });

  it.each([
    ['no token', undefined],
    ['a token that does not verify', `${LOCAL}x`],
    ['a token with words', 'two words'],
  ])('is 401 with %s, and nothing reaches the host (TW-GEN-010, TW-TOK-016)', async (_name, token) => {
    const { status, body } = await ask(operationId, method, path, { ...asked, token });
    expect([status, body.code]).toEqual([401, 'unauthorized']);
    expect(serving.host.calls).toEqual([]);
  });

  it.each([
    ['the other kind', wrong],
    ['a harness token', HARNESS],
  ])('is 403 with %s (TW-GEN-011)', async (_name, token) => {
    const { status, body } = await ask(operationId, method, path, { ...asked, token });
    expect([status, body.code]).toEqual([403, 'forbidden']);
    expect(serving.host.calls).toEqual([]);
  });

  it('is 503 stopping after a SIGTERM, and the socket is closed (TW-DRN-006)', async () => {
    serving.service.stop();
    const { status, body, headers } = await ask(operationId, method, path, { ...asked, token: right });
    expect([status, body.code, headers.get('connection')]).toEqual([503, 'stopping', 'close']);
    expect(serving.host.calls).toEqual([]);
  });

  it('is 401 before it is 503', async () => {
    serving.service.stop();
    expect((await ask(operationId, method, path, asked)).status).toBe(401);
  });

  it('is 503 before the runs are loaded (TW-DUR-017)', async () => {
    await serving.close();
    serving = await serveFake({ starting: true });
    const { status, body, headers } = await ask(operationId, method, path, { ...asked, token: right });
    expect([status, body.code]).toEqual([503, right === LOCAL ? 'run_unavailable' : 'starting']);
    expect(headers.get('retry-after')).toBe('1');
  });

  it('is 503 when the store cannot be used (TW-DUR-023)', async () => {
    refuseAll(new HostRefusal('store_unavailable', 'the disk is full'));
    const { status, body } = await ask(operationId, method, path, { ...asked, token: right });
    expect([status, body.code, body.detail]).toEqual([503, 'store_unavailable', 'the disk is full']);
  });

  it('is 500 on a defect, without a word of its insides (TW-GEN-035)', async () => {
    refuseAll(new TypeError('a secret of the insides'));
    const { status, body } = await ask(operationId, method, path, { ...asked, token: right });
    expect([status, body.code]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(body)).not.toContain('insides');
  });

  it('is 400 for another major version (TW-GEN-002)', async () => {
    const { status, body } = await ask(operationId, method, path, {
      ...asked,
      token: right,
      headers: { 'turnwire-version': '2' },
    });
    expect([status, body.code]).toEqual([400, 'unsupported_version']);
  });
});

function refuseAll(error: Error): void {
  const refuse = () => {
    throw error;
  };
  for (const method of [
    'workflows',
    'workflow',
    'start',
    'runs',
    'run',
    'answerGate',
    'cancel',
    'surface',
    'pick',
    'delivery',
    'feed',
  ] as const) {
    serving.host.will(method, refuse as never);
  }
}

describe('what the host refuses comes out as its problem', () => {
  const problems = [{ path: '/title', message: 'is required' }];
  const surface: [string, number, RefusalCode, Record<string, unknown>][] = [
    ['readSurface', 404, 'turn_over', {}],
    ['readSurface', 403, 'wrong_placement', {}],
    ['readSurface', 503, 'run_unavailable', {}],
    ['pick', 404, 'turn_over', {}],
    ['pick', 403, 'wrong_placement', {}],
    ['pick', 409, 'pick_outstanding', { deliveryId: 'dlv_0', event: 'run_checks' }],
    ['pick', 422, 'delivery_mismatch', {}],
    ['pick', 422, 'refused', { problems, allowed: ['approve'] }],
    ['pick', 503, 'run_unavailable', {}],
    ['pick', 503, 'stopping', {}],
    ['readDelivery', 404, 'unknown_delivery', {}],
    ['readDelivery', 404, 'turn_over', {}],
    ['readDelivery', 403, 'wrong_placement', {}],
    ['startRun', 404, 'unknown_workflow', {}],
    ['startRun', 422, 'invalid', { problems }],
    ['startRun', 422, 'workflow_refused', { findings: [{ code: 'no_fault_transition', message: 'add one' }] }],
    ['startRun', 409, 'idempotency_mismatch', {}],
    ['answerGate', 404, 'unknown_run', {}],
    ['answerGate', 404, 'gate_closed', { openGates: [GATE] }],
    ['answerGate', 422, 'refused', { problems, accepts: GATE.accepts }],
    ['answerGate', 409, 'idempotency_mismatch', {}],
    ['cancelRun', 404, 'unknown_run', {}],
    ['cancelRun', 409, 'already_ended', {}],
    ['readRunEvents', 404, 'unknown_run', {}],
  ];
  it.each(surface)('%s %d %s', async (operationId, status, code, members) => {
    refuseAll(new HostRefusal(code, 'the detail', members as never));
    const row = all.find(([id]) => id === operationId);
    if (!row) throw new Error(operationId);
    const [, method, path, asked, token] = row;
    const answer = await ask(operationId, method, path, { ...asked, token });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('turnwire-code')).toBe(code);
    expect(answer.body).toMatchObject({
      code,
      status,
      detail: code === 'stopping' ? expect.any(String) : 'the detail',
      ...members,
    });
  });
});

describe('a surface', () => {
  it('carries an ETag, and is 304 while nothing changed (TW-SUR-001, TW-SUR-002)', async () => {
    const first = await ask('readSurface', 'GET', '/agents/iid_1/surface', { token: LOCAL });
    const etag = first.headers.get('etag') ?? '';
    expect(first.body).toEqual(SURFACE);
    for (const match of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask('readSurface', 'GET', '/agents/iid_1/surface', {
        token: LOCAL,
        headers: { 'if-none-match': match },
      });
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
    }
    serving.host.will('surface', () => Promise.resolve({ ...SURFACE, allowed: [] }));
    const changed = await ask('readSurface', 'GET', '/agents/iid_1/surface', {
      token: LOCAL,
      headers: { 'if-none-match': etag },
    });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  it('is asked for the placement that the token names', async () => {
    await ask('readSurface', 'GET', '/agents/iid_1/surface', { token: ELSEWHERE });
    expect(serving.host.calls).toEqual([['surface', 'elsewhere', 'iid_1']]);
  });

  it('is 400 for an iid that is none (TW-GEN-026)', async () => {
    const { status, body } = await ask('readSurface', 'GET', '/agents/a%2Fb/surface', { token: LOCAL });
    expect([status, body.code]).toEqual([400, 'bad_request']);
  });
});

describe('a pick', () => {
  const pick = (asked: Asked) => ask('pick', 'POST', '/agents/iid_1/events', { token: LOCAL, ...asked });

  it('is its receipt, or outstanding', async () => {
    expect(await pick({ body: PICK })).toMatchObject({ status: 200, body: RECEIPT });
    expect(serving.host.calls).toEqual([['pick', 'local', 'iid_1', PICK]]);
    serving.host.will('pick', () => Promise.resolve({ status: 202, outstanding: OUTSTANDING }));
    expect(await pick({ body: PICK })).toMatchObject({ status: 202, body: OUTSTANDING });
  });

  it.each<[string, Asked, number, string]>([
    ['no JSON', { body: '{' }, 400, 'bad_request'],
    ['no body', {}, 400, 'bad_request'],
    ['another media type', { body: '{}', headers: { 'content-type': 'text/plain' } }, 400, 'bad_request'],
    ['no turnId', { body: { event: 'approve', input: {} } }, 422, 'invalid'],
    ['no input', { body: { turnId: 't', event: 'approve' } }, 422, 'invalid'],
    ['a deliveryId with a space', { body: { ...PICK, deliveryId: 'a b' } }, 422, 'invalid'],
    ['more than 8 MiB', { body: { ...PICK, input: 'x'.repeat(8_388_609) } }, 413, 'too_large'],
  ])('with %s is %s', async (_name, asked, status, code) => {
    const answer = await pick(asked);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(serving.host.calls.map(([method]) => method)).not.toContain('pick');
  });

  it('of a run that cannot be advanced says so before a bad body does (TW-PIC-011)', async () => {
    serving.host.will('available', () =>
      Promise.reject(new HostRefusal('run_unavailable', 'it has changed its shape')),
    );
    expect(await pick({ body: '{' })).toMatchObject({ status: 503, body: { code: 'run_unavailable' } });
  });

  it('may carry fields that are not known (TW-GEN-012)', async () => {
    expect((await pick({ body: { ...PICK, brandNew: 1 } })).status).toBe(200);
  });
});

describe('a delivery poll', () => {
  const poll = (query: string) =>
    ask('readDelivery', 'GET', `/agents/iid_1/deliveries/dlv_1${query}`, { token: LOCAL });

  it.each([
    ['', 0],
    ['?wait=0', 0],
    ['?wait=25', 25_000],
  ])('%j waits %d ms', async (query, waitMs) => {
    serving.host.will('delivery', () => Promise.resolve({ status: 202, outstanding: OUTSTANDING }));
    expect(await poll(query)).toMatchObject({ status: 202, body: OUTSTANDING });
    expect(serving.host.calls[0]?.slice(0, 5)).toEqual(['delivery', 'local', 'iid_1', 'dlv_1', waitMs]);
  });

  it.each(['?wait=26', '?wait=-1', '?wait=x', '?wait=1.5', '?wait=', '?wait=1&wait=2'])('%s is 400', async (query) => {
    expect(await poll(query)).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    expect(serving.host.calls).toEqual([]);
  });

  it('that is parked is answered at once when the process stops (TW-DRN-006)', async () => {
    serving.host.will('delivery', parked);
    const answer = poll('?wait=25');
    await expect.poll(() => serving.host.calls.length).toBe(1);
    serving.service.stop();
    expect(await answer).toMatchObject({ status: 503, body: { code: 'stopping' } });
  });

  it('that is parked is let go when its reader is gone', async () => {
    let released = false;
    serving.host.will('delivery', async (...given) => {
      const answer = await parked(...given);
      released = true;
      return answer;
    });
    const leave = new AbortController();
    const headers = { authorization: `Bearer ${LOCAL}` };
    const answer = fetch(`${serving.url}/agents/iid_1/deliveries/dlv_1?wait=25`, { headers, signal: leave.signal });
    await expect.poll(() => serving.host.calls.length).toBe(1);
    leave.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => released).toBe(true);
  });

  const parked: Serving['host']['delivery'] = (_placement, _iid, _deliveryId, _waitMs, signal) =>
    new Promise((resolve) =>
      signal?.addEventListener('abort', () => resolve({ status: 202, outstanding: OUTSTANDING })),
    );
});

describe('workflows, runs and gates', () => {
  const KEY = { 'idempotency-key': 'key_1' };

  it('are lists with items, the refused workflows too (TW-GEN-014, TW-RUN-007)', async () => {
    const { body } = await ask('listWorkflows', 'GET', '/workflows', { token: INSTANCE });
    expect(body).toMatchObject({
      items: [
        { name: 'review', status: 'ready' },
        { name: 'broken', status: 'refused', findings: [{}] },
      ],
    });
    expect((await ask('getWorkflow', 'GET', '/workflows/review', { token: INSTANCE })).body).toEqual(WORKFLOW);
    expect((await ask('getWorkflow', 'GET', '/workflows/broken', { token: INSTANCE })).body).toMatchObject({
      status: 'refused',
    });
  });

  it('that do not exist are 404', async () => {
    expect(await ask('getWorkflow', 'GET', '/workflows/nope', { token: INSTANCE })).toMatchObject({
      status: 404,
      body: { code: 'unknown_workflow' },
    });
    expect(await ask('getRun', 'GET', '/runs/nope', { token: INSTANCE })).toMatchObject({
      status: 404,
      body: { code: 'unknown_run' },
    });
    expect(await ask('readRunEvents', 'GET', '/runs/nope/events', { token: INSTANCE })).toMatchObject({
      status: 404,
      body: { code: 'unknown_run' },
    });
  });

  it('start with a key and a trace, and say when it is the first answer again (TW-GEN-018, TW-GEN-015)', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const headers = { ...KEY, traceparent };
    const start = () =>
      ask('startRun', 'POST', '/workflows/review/runs', { token: INSTANCE, body: { input: 1 }, headers });
    const first = await start();
    expect([first.status, first.body, first.headers.get('idempotency-replayed')]).toEqual([
      201,
      { runId: 'run_1' },
      null,
    ]);
    expect(serving.host.calls).toEqual([['start', 'review', 1, 'key_1', traceparent]]);
    serving.host.will('start', () => Promise.resolve({ runId: 'run_1', replayed: true }));
    expect((await start()).headers.get('idempotency-replayed')).toBe('true');
  });

  it.each(['', 'two words', 'x'.repeat(129)])('refuse the key %j (TW-GEN-017)', async (key) => {
    const asked = { token: INSTANCE, body: { input: {} }, headers: { 'idempotency-key': key } };
    expect(await ask('startRun', 'POST', '/workflows/review/runs', asked)).toMatchObject({
      status: 400,
      body: { code: 'bad_request' },
    });
  });

  it.each<[string, string, string, unknown]>([
    ['startRun', '/workflows/review/runs', '/input', {}],
    ['answerGate', '/runs/run_1/gates/g/events', '/event', { input: {} }],
    ['cancelRun', '/runs/run_1/cancel', '/reason', { reason: 1 }],
  ])('%s names what is wrong with its body (TW-GEN-008)', async (operationId, path, at, body) => {
    const answer = await ask(operationId, 'POST', path, { token: INSTANCE, body });
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid', problems: [{ path: at }] } });
    expect(serving.host.calls).toEqual([]);
  });

  it('are filtered and paged', async () => {
    serving.host.will('runs', () => Promise.resolve({ items: [RUN], nextCursor: 'next' }));
    const { body } = await ask('listRuns', 'GET', '/runs?workflow=review&status=active&limit=2&cursor=c', {
      token: INSTANCE,
    });
    expect(body).toEqual({ items: [RUN], nextCursor: 'next' });
    expect(serving.host.calls).toEqual([['runs', { workflow: 'review', status: 'active', limit: 2, cursor: 'c' }]]);
    await ask('listRuns', 'GET', '/runs', { token: INSTANCE });
    expect(serving.host.calls[1]).toEqual(['runs', {}]);
  });

  it.each(['?status=odd', '?limit=0', '?limit=201', '?limit=x', '?cursor='])('refuse %s', async (query) => {
    expect(await ask('listRuns', 'GET', `/runs${query}`, { token: INSTANCE })).toMatchObject({
      status: 400,
      body: { code: 'bad_request' },
    });
  });

  it('take the answer of a gate by its name or the id of this visit (TW-GAT-002)', async () => {
    const answer = await ask('answerGate', 'POST', '/runs/run_1/gates/gate_1/events', {
      token: INSTANCE,
      body: { event: 'merge', input: { a: 1 } },
      headers: KEY,
    });
    expect([answer.status, answer.body]).toEqual([200, { ok: true, moved: true }]);
    expect(serving.host.calls).toEqual([['answerGate', 'run_1', 'gate_1', 'merge', { a: 1 }, 'key_1']]);
  });

  it('are cancelled with and without a reason', async () => {
    await ask('cancelRun', 'POST', '/runs/run_1/cancel', { token: INSTANCE, body: { reason: 'late' } });
    await ask('cancelRun', 'POST', '/runs/run_1/cancel', { token: INSTANCE });
    expect(serving.host.calls).toEqual([
      ['cancel', 'run_1', 'late'],
      ['cancel', 'run_1', undefined],
    ]);
  });
});

describe('what is open to everybody (TW-TOK-014)', () => {
  it('says what this is (TW-GEN-016)', async () => {
    const { body } = await ask('getOrchestratorInfo', 'GET', '/.well-known/turnwire');
    expect(body).toMatchObject({ role: 'orchestrator', version: '1', capabilities: { clientDeliveryIds: true } });
  });

  it('is healthy in every phase, and ready in one (TW-GEN-023, TW-GEN-024, TW-DRN-010)', async () => {
    expect((await ask('getHealth', 'GET', '/healthz')).status).toBe(204);
    expect((await ask('getReadiness', 'GET', '/readyz')).status).toBe(204);
    serving.service.stop();
    expect((await ask('getHealth', 'GET', '/healthz')).status).toBe(204);
    expect(await ask('getReadiness', 'GET', '/readyz')).toMatchObject({ status: 503, body: { code: 'stopping' } });
    await serving.close();
    serving = await serveFake({ starting: true });
    expect((await ask('getHealth', 'GET', '/healthz')).status).toBe(204);
    expect(await ask('getReadiness', 'GET', '/readyz')).toMatchObject({ status: 503, body: { code: 'starting' } });
  });

  it('counts', async () => {
    await ask('listRuns', 'GET', '/runs', { token: INSTANCE });
    await ask('listRuns', 'GET', '/runs');
    await ask('getMetrics', 'GET', '/metrics');
    const { body } = await ask('getMetrics', 'GET', '/metrics');
    expect(body).toContain('turnwire_http_request_seconds_count{operation="listRuns",status="200"} 1');
    expect(body).toContain('turnwire_http_request_seconds_count{operation="listRuns",status="401"} 1');
    expect(body).toContain('turnwire_runs_active 1');
    expect(body).not.toContain(INSTANCE);
  });

  it('is 401 before another version is refused', async () => {
    const headers = { 'turnwire-version': '2' };
    const statusOf = async (token: string) =>
      (await fetch(`${serving.url}/runs`, { headers: { ...headers, authorization: `Bearer ${token}` } })).status;
    expect([await statusOf('nobody'), await statusOf(INSTANCE)]).toEqual([401, 400]);
    expect((await fetch(`${serving.url}/healthz`, { headers })).status).toBe(400);
  });

  it('has no other path (TW-GEN-027)', async () => {
    const response = await fetch(`${serving.url}/nowhere`);
    expect([response.status, response.headers.get('turnwire-code')]).toEqual([404, 'not_found']);
  });
});
