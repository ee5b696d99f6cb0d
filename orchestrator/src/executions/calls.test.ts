import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeHarness, type Submission } from '../host/harness.fixture.ts';
import { until, World } from '../host/world.fixture.ts';
import type { NodeRegistration } from '../nodes/port.ts';
import { codingMachine } from '../run/machines.fixture.ts';
import { registrationOf } from './nodes.fixture.ts';

let world: World;
let node: FakeHarness;

beforeEach(async () => {
  world = await World.open({ machine: codingMachine(), graceMs: 2_000 });
  node = await new FakeHarness().start();
});
afterEach(async () => {
  await world.close();
  await node.stop();
});

const register = (more: Partial<NodeRegistration> = {}) =>
  world.nodes.register('laptop', registrationOf(node.url, more));

async function down() {
  const { instanceId, moves } = world.nodes.get('laptop') ?? { instanceId: '', moves: 0 };
  expect(await world.nodes.demote('laptop', { instanceId, moves })).toBe(true);
}

const answers = (result: unknown) => (submission: Submission) => void answer(submission, result);

/** As a Harness does: its admission is answered long before its model has an answer. */
async function answer(submission: Submission, result: unknown) {
  await until('the admission', async () => (await running()).some(({ iid }) => iid === submission.iid));
  const input = result === undefined ? {} : { result };
  const { iid, turnId } = submission;
  const given = await world.host.pick('laptop', iid, { turnId, event: 'answer', input: input as never });
  node.settle(submission);
  return given;
}

const running = async () => (await world.host.executions.list({ status: 'running' })).items;

const call = (input: unknown = 'hello', more: object = {}) =>
  world.host.executions.start({ target: 'laptop.echo', input: input as never, ...more });

const ended = async (executionId: string) => {
  const record = await world.host.executions.read(executionId, 20_000);
  if (!record?.endedAt) throw new Error(`not ended: ${JSON.stringify(record)}`);
  return record;
};

describe('an ad-hoc call', () => {
  it('is one turn of the agent as its node has it, and its result is what the agent answered (TW-EXE-001, TW-EXE-028, TW-EXE-040, TW-EXE-041)', async () => {
    await register();
    node.onSubmission = answers({ fine: true });
    const { executionId } = await call('hello', { usageContext: 'dev' });
    const record = await ended(executionId);
    expect(record).toMatchObject({
      status: 'succeeded',
      result: { fine: true },
      target: 'laptop.echo',
      placement: 'laptop',
      usageContext: 'dev',
      instanceId: 'first',
      attempts: 1,
      input: 'hello',
    });
    expect(record.timeline.map(({ status }) => status)).toEqual(['queued', 'dispatching', 'running', 'succeeded']);
    expect(node.submissions.map(({ message }) => message)).toEqual(['hello']);
    expect(JSON.parse(node.admissions[0]?.body ?? '')).not.toHaveProperty('definition');
  });

  it('sends any other input as JSON (TW-EXE-028)', async () => {
    await register();
    node.onSubmission = answers(null);
    const record = await ended((await call({ a: [1] })).executionId);
    expect(record.result).toBeNull();
    expect(node.submissions[0]?.message).toBe('{"a":[1]}');
  });

  it('takes a result that fits the schema of the agent alone (TW-EXE-029)', async () => {
    const output = {
      type: 'object',
      properties: { n: { $ref: '#/$defs/count' } },
      required: ['n'],
      $defs: { count: { type: 'integer' } },
    };
    await register({ agents: [{ name: 'echo', output: output as never }] });
    const { executionId } = await call();
    const submission = await until('the submission', () => node.submissions[0]);
    const { iid } = submission;
    const [item] = (await world.host.surface('laptop', iid)).menu;
    expect(item).toMatchObject({
      name: 'answer',
      input: { properties: { result: { type: 'object' } }, required: ['result'], $defs: output.$defs },
    });
    await expect(answer(submission, { n: 'x' })).rejects.toMatchObject({
      code: 'refused',
      members: { problems: [{ path: '/result/n' }] },
    });
    await expect(answer(submission, undefined)).rejects.toMatchObject({ code: 'refused' });
    await answer(submission, { n: 2 });
    expect((await ended(executionId)).result).toEqual({ n: 2 });
  });

  it('is refused before there is a record (TW-EXE-003, TW-EXE-004, TW-EXE-007)', async () => {
    await expect(call()).rejects.toMatchObject({ code: 'target_not_found' });
    await register({ agents: [{ name: 'echo' }, { name: 'other' }] });
    for (const target of ['laptop', 'a.b.c', '.x', 'x.', 'a b.c']) {
      const refused = world.host.executions.start({ target, input: 1 });
      await expect(refused).rejects.toMatchObject({ code: 'invalid', members: { problems: [{ path: '/target' }] } });
    }
    await expect(world.host.executions.start({ target: 'laptop.echo', input: '' })).rejects.toMatchObject({
      code: 'invalid',
      members: { problems: [{ path: '/input' }] },
    });
    await expect(world.host.executions.start({ target: 'laptop.nobody', input: 1 })).rejects.toMatchObject({
      code: 'target_not_found',
      detail: expect.stringContaining('echo, other'),
    });
    await down();
    await expect(call()).rejects.toMatchObject({ code: 'node_unavailable' });
    expect(await world.host.executions.list({})).toEqual({ items: [] });
    expect(node.admissions).toEqual([]);
  });

  it('is made once under its key, and is known again by its body (TW-EXE-026)', async () => {
    await register();
    node.onSubmission = answers('done');
    const { executions } = world.host;
    const request = { target: 'laptop.echo', input: { b: 1, a: 2 } };
    const twice = await Promise.all([
      executions.start(request, 'k'),
      executions.start({ ...request, input: { a: 2, b: 1 } }, 'k'),
    ]);
    expect(new Set(twice.map(({ executionId }) => executionId)).size).toBe(1);
    expect(twice.map(({ replayed }) => replayed)).toEqual([false, true]);
    await ended(twice[0].executionId);
    await expect(executions.start({ ...request, input: 2 }, 'k')).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    await down();
    expect(await executions.start(request, 'k')).toMatchObject({ replayed: true });
    expect(node.submissions).toHaveLength(1);
  });

  it('has a deadline of its own, which a restart does not move (TW-EXE-030, TW-EXE-039)', async () => {
    await register();
    const { executionId } = await call('hello', { timeoutSeconds: 1 });
    await until('the admission', async () => (await running())[0]);
    await world.restart();
    const record = await ended(executionId);
    expect(record).toMatchObject({ status: 'timed_out', category: 'agent_timeout', timeoutSeconds: 1 });
    expect(record.durationMs).toBeLessThan(3_000);
    await until('the abort', () => node.aborts.length > 0);
  });

  it('is cancelled once, and its turn with it (TW-EXE-019)', async () => {
    await register();
    const { executionId } = await call();
    await until('the submission', () => node.submissions[0]);
    await world.host.executions.cancel(executionId, 'not needed');
    expect(await ended(executionId)).toMatchObject({
      status: 'cancelled',
      category: 'cancelled',
      reason: 'not needed',
    });
    await expect(world.host.executions.cancel(executionId)).rejects.toMatchObject({ code: 'already_ended' });
    await expect(world.host.executions.cancel('exec_none')).rejects.toMatchObject({ code: 'unknown_execution' });
    await until('the abort', () => node.aborts.length > 0);
  });

  it('is run again as a new one, or answered from its record (TW-EXE-031, TW-EXE-032, TW-EXE-033)', async () => {
    await register();
    node.onSubmission = answers('first');
    const { executions } = world.host;
    const { executionId } = await call('hello', { usageContext: 'ci' });
    await ended(executionId);
    node.onSubmission = answers('second');
    const again = await executions.replay(executionId, false);
    expect(again).toMatchObject({ reused: false });
    expect(await ended(again.executionId)).toMatchObject({
      replayOf: executionId,
      result: 'second',
      input: 'hello',
      usageContext: 'ci',
    });
    await down();
    expect(await executions.replay(executionId, true)).toEqual({ executionId, replayed: false, reused: true });
    await expect(executions.replay(executionId, false)).rejects.toMatchObject({ code: 'node_unavailable' });
    expect(node.submissions).toHaveLength(2);
  });

  it('is listed, newest first, in pages, by what is asked for (TW-EXE-025)', async () => {
    await register({ agents: [{ name: 'echo' }, { name: 'other' }] });
    node.onSubmission = answers(1);
    const { executions } = world.host;
    const ids: string[] = [];
    for (const agent of ['echo', 'other', 'echo']) {
      const { executionId } = await executions.start({ target: `laptop.${agent}`, input: agent });
      await ended(executionId);
      ids.unshift(executionId);
    }
    const idsOf = ({ items }: { items: { executionId: string }[] }) => items.map(({ executionId }) => executionId);
    const first = await executions.list({ limit: 2 });
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    expect(idsOf(await executions.list({ limit: 2, cursor: first.nextCursor ?? '' }))).toEqual(ids.slice(2));
    expect(idsOf(await executions.list({ agent: 'other' }))).toEqual([ids[1]]);
    expect(idsOf(await executions.list({ target: 'laptop.echo', status: 'succeeded' }))).toEqual([ids[0], ids[2]]);
    expect(idsOf(await executions.list({ node: 'elsewhere' }))).toEqual([]);
    await expect(executions.list({ cursor: '???' })).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('is counted as begun as often as it ended, across a restart', async () => {
    await register();
    node.onSubmission = answers(1);
    await ended((await call()).executionId);
    await world.restart();
    await ended((await call()).executionId);
    expect(world.host.counters()).toMatchObject({
      executions_started_total: 2,
      executions_succeeded_total: 2,
      executions_live: 0,
      restart_waits: 0,
    });
  });
});
