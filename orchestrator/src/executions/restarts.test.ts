import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../host/world.fixture.ts';
import { Calling, goneAddress } from './calling.fixture.ts';

let calling: Calling;
beforeEach(async () => {
  calling = await Calling.open();
});
afterEach(() => calling.close());

const counters = () => calling.world.host.counters();

describe('a call to a node that is restarting', () => {
  it('waits for its record and goes to its new address (TW-EXE-009, TW-EXE-011)', async () => {
    await calling.register('laptop', await goneAddress());
    const executionId = await calling.call();
    await calling.waits(executionId);
    expect(counters()).toMatchObject({ restart_waits: 1 });
    const back = await calling.process('back');
    await calling.register('laptop', back, { instanceId: 'second' });
    const record = await calling.ended(executionId);
    expect(record).toMatchObject({ status: 'succeeded', result: 'back', instanceId: 'second', attempts: 2 });
    expect(await calling.statuses(executionId)).toEqual([
      'queued',
      'dispatching',
      'awaiting_restart',
      'dispatching',
      'running',
      'succeeded',
    ]);
    expect(back.admissions).toHaveLength(1);
    expect(counters()).toMatchObject({
      'routability_total{seat="admission",ok="true"}': 1,
      executions_started_total: 1,
      executions_succeeded_total: 1,
      executions_live: 0,
      restart_waits: 0,
    });
  });

  it('goes on when the same process is heard again, and its port answers (TW-EXE-011, TW-EXE-012)', async () => {
    const { url, port } = await goneAddress();
    await calling.register('laptop', { url });
    const executionId = await calling.call();
    await calling.waits(executionId);
    await calling.world.nodes.heartbeat('laptop', 'first', 'ready');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect((await calling.executions.read(executionId))?.status).toBe('awaiting_restart');
    const back = await calling.process('late', port);
    expect(await calling.ended(executionId)).toMatchObject({ status: 'succeeded', result: 'late' });
    expect(back.admissions).toHaveLength(1);
    expect(calling.world.nodes.get('laptop')?.health).toBe('healthy');
  });

  it('waits out the grace once, sets the node inactive, and spares the next caller (TW-EXE-010, TW-EXE-016, TW-EXE-004)', async () => {
    await calling.register('laptop', await goneAddress());
    const executionId = await calling.call();
    const record = await calling.ended(executionId);
    expect(record).toMatchObject({ status: 'failed', category: 'agent_unreachable' });
    expect(record.reason).toMatch(/did not come back within 1.5 s; .*ECONNREFUSED.* \(1 attempt in \d+ ms\)/);
    expect(record.durationMs).toBeGreaterThanOrEqual(1_500);
    expect(calling.world.nodes.get('laptop')?.health).toBe('inactive');
    const before = performance.now();
    await expect(calling.call()).rejects.toMatchObject({ code: 'node_unavailable' });
    expect(performance.now() - before).toBeLessThan(50);
    await calling.register('laptop', await calling.process(), { instanceId: 'second' });
    expect(await calling.ended(await calling.call())).toMatchObject({ status: 'succeeded' });
    expect(counters()).toMatchObject({ executions_started_total: 2, restart_waits: 0 });
  });

  it('is not taken by a node that drains, and is by the next one (TW-EXE-005, TW-EXE-009)', async () => {
    const draining = await calling.process();
    draining.fates = ['drain'];
    await calling.register('laptop', draining);
    await calling.world.nodes.heartbeat('laptop', 'first', 'draining');
    const executionId = await calling.call();
    await calling.waits(executionId);
    const back = await calling.process();
    await calling.register('laptop', back, { instanceId: 'second' });
    expect(await calling.ended(executionId)).toMatchObject({ status: 'succeeded' });
    expect([draining.submissions.length, back.submissions.length]).toEqual([0, 1]);
  });

  it('ends early when the record says that the node is down (TW-EXE-013, TW-EXE-015)', async () => {
    await calling.register('laptop', await goneAddress());
    const executionId = await calling.call();
    await calling.waits(executionId);
    await calling.down('laptop');
    const record = await calling.ended(executionId);
    expect(record).toMatchObject({ status: 'failed', category: 'agent_unreachable' });
    expect(record.durationMs).toBeLessThan(1_400);
    expect(counters()).toMatchObject({ restart_waits: 0 });
  });

  it('is never handed to the agent when it was cancelled meanwhile (TW-EXE-018)', async () => {
    await calling.register('laptop', await goneAddress());
    const executionId = await calling.call();
    await calling.waits(executionId);
    await calling.executions.cancel(executionId);
    const back = await calling.process();
    await calling.register('laptop', back, { instanceId: 'second' });
    expect(await calling.ended(executionId)).toMatchObject({ status: 'cancelled', category: 'cancelled' });
    expect(await calling.ended(await calling.call())).toMatchObject({ status: 'succeeded' });
    expect(back.admissions).toHaveLength(1);
    expect(back.aborts).toEqual([]);
    expect(counters()).toMatchObject({ executions_cancelled_total: 1, restart_waits: 0 });
  });

  it('goes on waiting for what is left of the grace after a SIGKILL of the Orchestrator (TW-EXE-039)', async () => {
    await calling.register('laptop', await goneAddress());
    const executionId = await calling.call();
    await calling.waits(executionId);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await calling.world.restart();
    expect((await calling.executions.read(executionId))?.status).toBe('awaiting_restart');
    const record = await calling.ended(executionId);
    expect(record).toMatchObject({ status: 'failed', category: 'agent_unreachable', attempts: 1 });
    expect(record.durationMs).toBeGreaterThanOrEqual(1_500);
    expect(record.durationMs).toBeLessThan(2_500);
  });

  it('does not slow who calls another node (TW-EXE-017)', async () => {
    await calling.register('dead', await goneAddress());
    await calling.register('well', await calling.process());
    const waiting = await Promise.all(Array.from({ length: 50 }, () => calling.call('dead.echo')));
    const began = performance.now();
    const well = await Promise.all(
      Array.from({ length: 10 }, async () => calling.ended(await calling.call('well.echo'))),
    );
    expect(well.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(performance.now() - began).toBeLessThan(1_400);
    const ends = await Promise.all(waiting.map((id) => calling.ended(id)));
    expect(new Set(ends.map(({ category }) => category))).toEqual(new Set(['agent_unreachable']));
    expect(counters()).toMatchObject({
      executions_started_total: 60,
      executions_failed_total: 50,
      executions_succeeded_total: 10,
      restart_waits: 0,
    });
  });
});

describe('a call that does not wait', () => {
  it('fails at once when its serverless node refuses (TW-EXE-006, TW-EXE-014)', async () => {
    await calling.register('cloud', await goneAddress(), { deployment: 'serverless' });
    const executionId = await calling.call('cloud.echo');
    const record = await calling.ended(executionId);
    expect(record).toMatchObject({ status: 'failed', category: 'agent_unreachable' });
    expect(record.durationMs).toBeLessThan(1_000);
    expect(await calling.statuses(executionId)).toEqual(['queued', 'dispatching', 'failed']);
    await calling.call('cloud.echo');
  });

  it('fails at once where the grace is negative (TW-EXE-010)', async () => {
    await calling.close();
    calling = await Calling.open({ graceMs: -1_000 });
    await calling.register('laptop', await goneAddress());
    const executionId = await calling.call();
    expect(await calling.ended(executionId)).toMatchObject({ status: 'failed', category: 'agent_unreachable' });
    expect(await calling.statuses(executionId)).not.toContain('awaiting_restart');
    expect(calling.world.nodes.get('laptop')?.health).toBe('unknown');
  });
});

describe('an admission of unknown fate', () => {
  it('is sent again under its key to its store, whatever the record does, and is one turn (TW-EXE-042)', async () => {
    const node = await calling.process();
    node.fates = ['lose'];
    await calling.register('laptop', node, { store: 'store-1' });
    const executionId = await calling.call();
    expect(await calling.ended(executionId)).toMatchObject({ status: 'succeeded' });
    expect(await calling.statuses(executionId)).not.toContain('awaiting_restart');
    expect([node.admissions.length, node.submissions.length]).toEqual([2, 1]);
  });

  it('follows its node to a new address (TW-EXE-042, TW-NOD-024)', async () => {
    const node = await calling.process();
    node.fates = ['reset'];
    await calling.register('laptop', node, { store: 'store-1' });
    const back = await calling.process();
    const executionId = await calling.call();
    await until('the first copy', () => node.admissions[0]);
    await calling.register('laptop', back, { store: 'store-1', instanceId: 'second' });
    expect(await calling.ended(executionId)).toMatchObject({ status: 'succeeded', instanceId: 'second' });
    expect(new Set([...node.admissions, ...back.admissions].map(({ key }) => key)).size).toBe(1);
  });

  it('to a store that is not known ends in that doubt, and is not sent again', async () => {
    const node = await calling.process();
    node.store = '';
    node.fates = ['reset'];
    await calling.register('laptop', node);
    const executionId = await calling.call();
    expect(await calling.ended(executionId)).toMatchObject({ status: 'failed', category: 'agent_unreachable' });
    expect(node.admissions).toHaveLength(1);
  });
});

describe('a rolling update', () => {
  it('lets a running turn end at the old process (TW-EXE-034)', async () => {
    const old = await calling.process();
    old.onSubmission = () => {};
    await calling.register('laptop', old);
    const executionId = await calling.call();
    const submission = await until('the submission', () => old.submissions[0]);
    await until('it runs', async () => (await calling.executions.read(executionId))?.status === 'running');
    const next = await calling.process();
    await calling.register('laptop', next, { instanceId: 'second' });
    expect(await calling.ended(await calling.call())).toMatchObject({ status: 'succeeded', instanceId: 'second' });
    await calling.answer(old, submission, 'from the old one');
    expect(await calling.ended(executionId)).toMatchObject({ result: 'from the old one', instanceId: 'first' });
    expect(next.submissions).toHaveLength(1);
  });

  it('hears of the end of a turn at the new address, when the old process is gone', async () => {
    const old = await calling.process();
    old.onSubmission = () => {};
    await calling.register('laptop', old);
    const executionId = await calling.call();
    const submission = await until('the submission', () => old.submissions[0]);
    await until('it runs', async () => (await calling.executions.read(executionId))?.status === 'running');
    const next = await calling.process();
    // The same data folder.
    next.submissions.push(submission);
    await calling.register('laptop', next, { instanceId: 'second' });
    await old.stop();
    next.settle(submission, 'failed', 'harness_restarted');
    expect(await calling.ended(executionId)).toMatchObject({ status: 'failed', category: 'agent_restart_orphaned' });
  });
});
