import { describe, expect, it } from 'vitest';
import { cancelExecution, execute, listExecutions, readExecution, replayExecution } from './index.ts';
import { ours, problem } from './testing/peer.ts';
import { faultOf, stage } from './testing/stage.ts';

const { peerOf, connected } = stage();
const result = { executionId: 'exec_1', status: 'succeeded', result: { verdict: 'fine' }, durationMs: 12 };
const call = { target: 'laptop.reviewer', input: { file: 'a.ts' } };

describe('executions', () => {
  it('TW-EXE-001, TW-RET-016: a call is sent again under the key that was minted for it', async () => {
    const peer = await peerOf((_, count) =>
      count === 1 ? 'reset' : ours(200, result, { 'idempotency-replayed': 'true' }),
    );
    const { connection } = connected(peer.url);
    expect(await execute(connection, { ...call, timeoutSeconds: 60, usageContext: 'ci' })).toEqual({
      ...result,
      replayed: true,
    });
    const [first, second] = peer.seen;
    expect(first).toMatchObject({ method: 'POST', path: '/executions' });
    expect(JSON.parse(first?.body ?? '')).toEqual({ ...call, timeoutSeconds: 60, usageContext: 'ci' });
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(first?.headers.prefer).toBeUndefined();
  });

  it.each([
    [0, 'respond-async'],
    [7, 'wait=7'],
  ])('TW-EXE-023: a wait of %i s is asked for as %s', async (waitSeconds, prefer) => {
    const accepted = { executionId: 'exec_1', status: 'running' };
    const peer = await peerOf(() => ours(202, accepted, { location: '/executions/exec_1' }));
    const { connection } = connected(peer.url);
    expect(await execute(connection, { ...call, waitSeconds, key: 'k' })).toEqual({ ...accepted, replayed: false });
    expect(peer.seen[0]?.headers).toMatchObject({ prefer, 'idempotency-key': 'k' });
  });

  it.each([
    [503, 'node_unavailable', {}],
    [404, 'target_not_found', { agents: ['writer'] }],
    [502, 'execution_failed', { executionId: 'exec_1', category: 'agent_unreachable' }],
    [504, 'execution_timed_out', { executionId: 'exec_1', category: 'agent_timeout' }],
  ])('TW-EXE-004, TW-EXE-027: %i %s is the last word', async (status, code, members) => {
    const peer = await peerOf(() => problem(status, code, members, { 'retry-after': '5' }));
    const fault = await faultOf(execute(connected(peer.url).connection, call));
    expect(fault).toMatchObject({ code, status, certainty: 'answered', attempts: 1, problem: members });
    expect(peer.seen).toHaveLength(1);
  });

  it('a call that the store failed is sent again, and one that is not ours too', async () => {
    const page = { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' };
    const script = [problem(503, 'store_unavailable'), page];
    const peer = await peerOf((_, count) => script[count - 1] ?? ours(200, result));
    expect(await execute(connected(peer.url).connection, call)).toMatchObject(result);
    expect(new Set(peer.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('a success without a result is no answer, and a result that is null is one', async () => {
    const { result: _, ...without } = result;
    const peer = await peerOf((_, count) => ours(200, count === 1 ? without : { ...result, result: null }));
    expect(await execute(connected(peer.url).connection, call)).toMatchObject({ status: 'succeeded', result: null });
    expect(peer.seen).toHaveLength(2);
  });

  it('TW-EXE-024, TW-EXE-025: reads and lists', async () => {
    const record = { ...result, agent: 'reviewer' };
    const peer = await peerOf(({ path }) => ours(200, path === '/executions' ? { items: [record] } : record));
    const { connection } = connected(peer.url);
    expect(await readExecution(connection, { executionId: 'exec_1', waitSeconds: 3 })).toEqual(record);
    expect(await listExecutions(connection, { node: 'laptop', usageContext: 'ci', limit: 3 })).toEqual({
      items: [record],
    });
    expect(peer.seen.map(({ query }) => `${query}`)).toEqual(['wait=3', 'node=laptop&usageContext=ci&limit=3']);
  });

  it('TW-EXE-019: a cancel that an earlier copy did is a success, and one that came too late is not', async () => {
    const script = (status: string) => (seen: { method: string }, count: number) => {
      if (seen.method === 'GET') return ours(200, { executionId: 'exec_1', status });
      return count === 1 ? ('reset' as const) : problem(409, 'already_ended');
    };
    const did = await peerOf(script('cancelled'));
    await cancelExecution(connected(did.url).connection, { executionId: 'exec_1', reason: 'enough' });
    expect(did.seen[0]?.body).toBe('{"reason":"enough"}');
    const late = await peerOf(script('succeeded'));
    const fault = await faultOf(cancelExecution(connected(late.url).connection, { executionId: 'exec_1' }));
    expect(fault.code).toBe('already_ended');
  });

  it('TW-EXE-031, TW-EXE-032: a replay runs it again, or reuses what it had', async () => {
    const accepted = { executionId: 'exec_2', status: 'queued', replayOf: 'exec_1' };
    const peer = await peerOf(({ body }) => (body === '{}' ? ours(202, accepted) : ours(200, result)));
    const { connection } = connected(peer.url);
    expect(await replayExecution(connection, { executionId: 'exec_1' })).toEqual({ ...accepted, replayed: false });
    expect(await replayExecution(connection, { executionId: 'exec_1', reuse: 'succeeded' })).toMatchObject(result);
    expect(peer.seen[1]).toMatchObject({ path: '/executions/exec_1/replay', body: '{"reuse":"succeeded"}' });
  });
});
