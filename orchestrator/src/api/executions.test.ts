import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExecutionRecord } from '../host/port.ts';
import { HostRefusal } from '../host/port.ts';
import { AT, EXECUTION } from './host.fixture.ts';
import { preferenceOf } from './prefer.ts';
import { HARNESS, INSTANCE, LOCAL, type Serving, serveFake, violations } from './serving.fixture.ts';

let serving: Serving;
beforeEach(async () => {
  serving = await serveFake();
});
afterEach(() => serving.close());

const vectors = <T>(name: string): T[] =>
  JSON.parse(readFileSync(new URL(`../../../spec/vectors/${name}.json`, import.meta.url), 'utf8')).vectors;

/** Every answer is held against the spec. */
async function ask(operationId: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${serving.url}${path}`, {
    method: operationId.startsWith('read') || operationId.startsWith('list') ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${INSTANCE}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = await response.json();
  expect(violations(operationId, response, json)).toEqual([]);
  return { status: response.status, headers: response.headers, body: json };
}

const CALL = { target: 'laptop.reviewer', input: { a: 1 } };
const call = (body: unknown = CALL, headers: Record<string, string> = {}) =>
  ask('startExecution', '/executions', body, headers);
const stands = (more: Partial<ExecutionRecord>) =>
  serving.host.willExecute('read', async () => ({ ...EXECUTION, ...more }));
const called = (method: string) =>
  serving.host.calls.filter(([name]) => name === `executions.${method}`).map(([, ...given]) => given);
const ended = { endedAt: AT, durationMs: 12 };

describe('a call', () => {
  it('is answered with its result when it succeeded meanwhile (TW-EXE-001)', async () => {
    stands({ status: 'succeeded', result: [1], ...ended });
    const { status, body, headers } = await call(CALL, { prefer: 'wait=3', 'idempotency-key': 'k' });
    expect([status, body]).toEqual([200, { executionId: 'exec_1', status: 'succeeded', result: [1], durationMs: 12 }]);
    expect(headers.get('preference-applied')).toBe('wait=3');
    expect(called('start')[0]).toEqual([CALL, 'k', undefined]);
    expect(called('read')[0]?.slice(0, 2)).toEqual(['exec_1', 3_000]);
  });

  it('is answered with where it is read when it goes on (TW-EXE-002)', async () => {
    serving.host.willExecute('start', async () => ({ executionId: 'exec_1', replayed: true }));
    stands({ status: 'awaiting_restart' });
    const { status, body, headers } = await call(CALL, { prefer: 'respond-async' });
    expect([status, body]).toEqual([202, { executionId: 'exec_1', status: 'awaiting_restart' }]);
    expect(headers.get('location')).toBe('/executions/exec_1');
    expect(headers.get('idempotency-replayed')).toBe('true');
    expect(headers.get('preference-applied')).toBe('respond-async');
  });

  it.each([
    ['failed', 'agent_unreachable', 502, 'execution_failed'],
    ['cancelled', 'cancelled', 502, 'execution_failed'],
    ['timed_out', 'agent_timeout', 504, 'execution_timed_out'],
  ] as const)('says why it %s (TW-EXE-027)', async (status, category, code, word) => {
    stands({ status, category, reason: 'because', ...ended });
    const answer = await call();
    expect(answer.status).toBe(code);
    expect(answer.body).toMatchObject({ code: word, category, executionId: 'exec_1', execution: { status, category } });
    expect(answer.body.detail).toBe(`${category}: because`);
  });

  it.each([
    ['target_not_found', 404],
    ['node_unavailable', 503],
    ['idempotency_mismatch', 409],
  ] as const)('is refused %s', async (code, status) => {
    serving.host.willExecute('start', async () => {
      throw new HostRefusal(code, 'no');
    });
    const answer = await call();
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    if (code === 'node_unavailable') expect(answer.headers.get('retry-after')).toBe('5');
    expect(called('read')).toEqual([]);
  });

  it.each(vectors<Target>('targets').filter(({ expected }) => expected.valid === false))(
    'is refused with a target that is none: $id (TW-EXE-003)',
    async ({ input }) => {
      const answer = await call({ ...CALL, target: input.target });
      expect([answer.status, answer.body.code]).toEqual([422, 'invalid']);
      expect(called('start')).toEqual([]);
    },
  );

  it.each([[{ target: 'a.b' }], [{ ...CALL, timeoutSeconds: 0 }], [{ ...CALL, usageContext: 'fun' }], [[]]])(
    'is refused when it is well-formed and wrong: %j',
    async (body) => {
      expect((await call(body)).status).toBe(422);
    },
  );

  it('takes the instance token alone (TW-EXE-044)', async () => {
    for (const [token, status] of [
      [LOCAL, 403],
      [HARNESS, 403],
      ['x', 401],
    ] as const) {
      expect((await call(CALL, { authorization: `Bearer ${token}` })).status).toBe(status);
    }
    expect(called('start')).toEqual([]);
  });
});

interface Wanted {
  input: { prefer: string[] };
  expected: object;
}

interface Target {
  input: { target: string };
  expected: { valid?: boolean };
}

describe('how long the answer waits (TW-EXE-023)', () => {
  it.each(vectors<Wanted>('prefer'))('$id', ({ input, expected }) => {
    const { seconds } = preferenceOf(input.prefer.length === 0 ? undefined : input.prefer.join(', '));
    expect({ waitSeconds: seconds }).toEqual(expected);
  });
});

describe('the records', () => {
  it('are read, with a wait, and listed (TW-EXE-024, TW-EXE-025)', async () => {
    expect((await ask('readExecution', '/executions/exec_1?wait=2')).body).toEqual(EXECUTION);
    expect(called('read')[0]?.slice(0, 2)).toEqual(['exec_1', 2_000]);
    expect((await ask('readExecution', '/executions/exec_2')).status).toBe(404);
    expect((await ask('readExecution', '/executions/exec_1?wait=26')).status).toBe(400);
    const listed = await ask('listExecutions', '/executions?status=running&node=laptop&limit=5&other=1');
    expect(listed.body).toEqual({ items: [EXECUTION] });
    expect(called('list')).toEqual([[{ status: 'running', node: 'laptop', limit: 5 }]]);
    expect((await ask('listExecutions', '/executions?status=odd')).status).toBe(400);
  });

  it('are cancelled (TW-EXE-019)', async () => {
    expect((await ask('cancelExecution', '/executions/exec_1/cancel', { reason: 'r' })).body).toEqual({ ok: true });
    expect((await ask('cancelExecution', '/executions/exec_1/cancel')).status).toBe(200);
    expect(called('cancel')).toEqual([
      ['exec_1', 'r'],
      ['exec_1', undefined],
    ]);
    serving.host.willExecute('cancel', async () => {
      throw new HostRefusal('already_ended', 'it has ended');
    });
    expect((await ask('cancelExecution', '/executions/exec_1/cancel')).status).toBe(409);
  });

  it('are run again, or answered from what they hold (TW-EXE-031, TW-EXE-032)', async () => {
    stands({ replayOf: 'exec_0' });
    const again = await ask('replayExecution', '/executions/exec_0/replay');
    expect([again.status, again.body]).toEqual([202, { executionId: 'exec_1', status: 'running', replayOf: 'exec_0' }]);
    serving.host.willExecute('replay', async (executionId) => ({ executionId, replayed: false, reused: true }));
    stands({ status: 'succeeded', result: 'r', ...ended });
    const reused = await ask('replayExecution', '/executions/exec_1/replay', { reuse: 'succeeded' });
    expect([reused.status, reused.body]).toMatchObject([200, { executionId: 'exec_1', result: 'r' }]);
    expect((await ask('replayExecution', '/executions/exec_1/replay', { reuse: 'failed' })).status).toBe(422);
  });
});
