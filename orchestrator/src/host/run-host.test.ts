import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codingMachine } from '../run/machines.fixture.ts';
import type { FeedEvent } from './port.ts';
import { settle, until, World } from './world.fixture.ts';

let world: World;
beforeEach(async () => {
  world = await World.open({ machine: codingMachine() });
});
afterEach(() => world.close());

const start = async (): Promise<{ runId: string; iid: string; turnId: string }> => {
  const { runId } = await world.host.start('test', { task: 'write it' });
  const submission = await until('the admission', () =>
    world.harness.submissions.find(({ iid }) => iid.startsWith(runId)),
  );
  return { runId, iid: submission.iid, turnId: submission.turnId };
};
const finish = { event: 'finish', input: { summary: 's' } };

describe('a whole run', () => {
  it('goes from its start to its end over real HTTP, each Submission once (TW-RUN-001, TW-RUN-006, TW-DLV-001, TW-DLV-012, TW-GAT-008)', async () => {
    const { runId, iid, turnId } = await start();
    expect(world.harness.admissions).toEqual([
      expect.objectContaining({ expectStore: 'store-1', authorization: 'Bearer harness-token' }),
    ]);
    const surface = await world.host.surface('local', iid);
    expect(surface).toMatchObject({ iid, turnId, runId, capabilities: { clientDeliveryIds: true } });
    const outstanding = await world.host.pick('local', iid, { turnId, deliveryId: 'd1', event: 'check', input: {} });
    expect(outstanding.status).toBe(202);
    const polled = await world.host.delivery('local', iid, 'd1', 5_000);
    expect(polled).toMatchObject({ status: 200, receipt: { answer: ['ok'], moved: true, turnComplete: false } });
    const done = await world.host.pick('local', iid, { turnId, ...finish });
    expect(done).toMatchObject({ status: 200, receipt: { turnComplete: true } });
    world.harness.settle(world.harness.submissions[0] as never);
    const view = await world.host.run(runId);
    expect(view).toMatchObject({ status: 'active', value: 'review', gates: [{ gate: 'merge' }] });
    expect(view?.executions).toEqual([expect.objectContaining({ agent: 'coder', status: 'succeeded' })]);
    expect(await world.host.answerGate(runId, 'merge', 'approve', {})).toEqual({ moved: true, replayed: false });
    expect(await world.host.run(runId)).toMatchObject({ status: 'done', value: 'done', gates: [] });
    expect(world.harness.submissions).toHaveLength(1);
    expect(world.harness.aborts).toEqual([]);
  });

  it('is told in its feed from the snapshot to its end, in the order of the commits (TW-FED-001, TW-FED-005)', async () => {
    const { runId, iid, turnId } = await start();
    const frames: FeedEvent[] = [];
    const reading = (async () => {
      for await (const frame of world.host.feed(runId, new AbortController().signal)) frames.push(frame);
    })();
    await until('the snapshot', () => frames.length > 0);
    await world.host.pick('local', iid, { turnId, deliveryId: 'd1', ...finish });
    await world.host.answerGate(runId, 'merge', 'approve', {});
    await reading;
    expect(frames[0]).toMatchObject({ type: 'snapshot', data: { runs: [{ runId, status: 'active' }] } });
    const types = frames.map(({ type }) => type);
    const told = types.filter((type) => !['snapshot', 'execution.dispatching', 'execution.running'].includes(type));
    expect(told).toEqual(['pick', 'execution.succeeded', 'gate.opened', 'gate.closed', 'run.status']);
    expect(frames.at(-1)).toMatchObject({ type: 'run.status', data: { status: 'done' } });
    const ids = frames.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  });
});

describe('requests', () => {
  it('pass their trace on with what is sent for their run, across a restart (TW-GEN-015)', async () => {
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    world.harness.fates = ['drain', 'drain', 'drain'];
    await world.host.start('test', { task: 't' }, undefined, trace);
    await until('the first copy', () => world.harness.admissions.length > 0);
    await world.restart();
    await until('the Submission', () => world.harness.submissions.length > 0);
    expect(new Set(world.harness.admissions.map(({ traceparent }) => traceparent))).toEqual(new Set([trace]));
  });

  it('the same key starts one run, however many ask at once, as long as there is that run (TW-GEN-018, TW-GEN-021, TW-GEN-022)', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => world.host.start('test', { task: 't' }, 'k')));
    expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
    expect(answers.map(({ replayed }) => replayed)).toEqual([false, true, true]);
    await expect(world.host.start('test', { task: 'other' }, 'k')).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    expect((await world.host.runs({})).items).toHaveLength(1);
    const [{ runId } = { runId: '' }] = answers;
    await world.host.cancel(runId);
    await world.restart();
    expect(await world.host.start('test', { task: 't' }, 'k')).toEqual({ runId, replayed: true });
  });

  it('refuses what it cannot start (TW-RUN-002, TW-RUN-003)', async () => {
    await expect(world.host.start('none', {})).rejects.toMatchObject({ code: 'unknown_workflow' });
    await expect(world.host.start('test', { task: 1 })).rejects.toMatchObject({
      code: 'invalid',
      members: { problems: [expect.anything()] },
    });
    expect((await world.host.runs({})).items).toEqual([]);
  });

  it('of two answers in one millisecond one wins, and the other finds the gate closed (TW-GAT-004)', async () => {
    const { runId, iid, turnId } = await start();
    await world.host.pick('local', iid, { turnId, ...finish });
    const answers = await Promise.allSettled([1, 2].map(() => world.host.answerGate(runId, 'merge', 'approve', {})));
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'gate_closed' } });
  });

  it('copies of one pick in one tick are one transition', async () => {
    const { iid, turnId } = await start();
    const copies = [1, 2, 3].map(() => world.host.pick('local', iid, { turnId, deliveryId: 'd1', ...finish }));
    const answers = await Promise.all(copies);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(world.host.counters().pick_transitions_total).toBe(1);
  });

  it('a receipt outlives its turn and its run (TW-DLV-006), under its own placement alone; its surface is over (TW-SUR-003)', async () => {
    const { runId, iid, turnId } = await start();
    const answer = await world.host.pick('local', iid, { turnId, deliveryId: 'd1', ...finish });
    world.harness.settle(world.harness.submissions[0] as never);
    await world.host.answerGate(runId, 'merge', 'approve', {});
    await until('the run to be let go', () => world.host.counters().runs_live === 0);
    expect(await world.host.delivery('local', iid, 'd1', 0)).toEqual(answer);
    expect(await world.host.pick('local', iid, { turnId, deliveryId: 'd1', ...finish })).toEqual(answer);
    await expect(world.host.delivery('other', iid, 'd1', 0)).rejects.toMatchObject({ code: 'wrong_placement' });
    await expect(world.host.delivery('local', iid, 'd2', 0)).rejects.toMatchObject({ code: 'turn_over' });
    await expect(world.host.surface('local', iid)).rejects.toMatchObject({ code: 'turn_over' });
    await expect(world.host.cancel(runId)).rejects.toMatchObject({ code: 'already_ended' });
    await expect(world.host.answerGate(runId, 'merge', 'approve', {})).rejects.toMatchObject({ code: 'gate_closed' });
  });

  it('a pick that was answered survives a SIGKILL at once (TW-PIC-012)', async () => {
    const { runId, iid, turnId } = await start();
    const answer = await world.host.pick('local', iid, { turnId, deliveryId: 'd1', ...finish });
    await world.restart();
    expect(await world.host.run(runId)).toMatchObject({ status: 'active', value: 'review' });
    expect(await world.host.pick('local', iid, { turnId, deliveryId: 'd1', ...finish })).toEqual(answer);
  });

  it('a delivery that was not taken is unknown while the turn lives, and nobody else’s (TW-DLV-002, TW-SUR-004)', async () => {
    const { iid } = await start();
    await expect(world.host.delivery('local', iid, 'd9', 0)).rejects.toMatchObject({ code: 'unknown_delivery' });
    await expect(world.host.delivery('other', iid, 'd9', 0)).rejects.toMatchObject({ code: 'wrong_placement' });
    await expect(world.host.surface('other', iid)).rejects.toMatchObject({ code: 'wrong_placement' });
  });

  it('pages runs newest first, and finds them by status (TW-RUN-004, TW-RUN-005, TW-GEN-014)', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await world.host.start('test', { task: `${n}` })).runId);
    await world.host.cancel(ids[0] as string, 'no more');
    const first = await world.host.runs({ limit: 3 });
    const second = await world.host.runs({ limit: 3, cursor: first.nextCursor as string });
    expect([...first.items, ...second.items].map(({ runId }) => runId).sort()).toEqual([...ids].sort());
    expect(second.nextCursor).toBeUndefined();
    await expect(world.host.runs({ cursor: 'garbage' })).rejects.toMatchObject({ code: 'bad_request' });
    expect((await world.host.runs({ status: 'cancelled' })).items).toEqual([
      expect.objectContaining({ runId: ids[0], reason: 'no more' }),
    ]);
  });
});

describe('ending turns', () => {
  it('a cancelled run aborts its turn at the Harness, once it is known (TW-RUN-014, TW-RUN-016)', async () => {
    const { runId, iid } = await start();
    await until(
      'the Admission to be saved',
      async () => (await world.host.run(runId))?.executions[0]?.status === 'running',
    );
    await world.host.cancel(runId);
    await until('the abort', () => world.harness.aborts.length > 0);
    expect(world.harness.aborts).toEqual([{ iid, submissionId: 'sub_1' }]);
    await until('its settlement', () => world.host.counters().runs_live === 0);
  });

  it('what settles without a pick is asked again, then faults (TW-RUN-009)', async () => {
    world.harness.onSubmission = (submission) => world.harness.settle(submission);
    const { runId } = await start();
    await until('the end', async () => (await world.host.run(runId))?.status === 'done');
    expect(world.harness.submissions.map(({ turnId }) => turnId)).toEqual(
      Array(3).fill(world.harness.submissions[0]?.turnId),
    );
    expect(new Set(world.harness.admissions.map(({ key }) => key)).size).toBe(3);
    expect((await world.host.run(runId))?.executions).toEqual([
      {
        executionId: expect.any(String),
        durationMs: expect.any(Number),
        agent: 'coder',
        status: 'failed',
        category: 'agent_error',
        reason: expect.stringContaining('without a pick'),
        startedAt: expect.any(String),
        endedAt: expect.any(String),
      },
    ]);
  });
});

describe('stopping', () => {
  it('a pick that came in time is committed and answered, one that did not is not taken (TW-DRN-008)', async () => {
    const { iid, turnId } = await start();
    const intime = world.host.pick('local', iid, { turnId, deliveryId: 'd1', event: 'note', input: {} });
    const stopped = world.host.stop();
    const late = world.host.pick('local', iid, { turnId, deliveryId: 'd2', ...finish });
    await expect(late).rejects.toMatchObject({ code: 'stopping' });
    await stopped;
    expect(await intime).toMatchObject({ status: 200, receipt: { moved: true } });
    expect(await world.store.delivery(iid, 'd1')).toMatchObject({ status: 'delivered' });
    expect(await world.store.delivery(iid, 'd2')).toBeUndefined();
  });

  it('answers parked polls, refuses what is new, and leaves the turns alive (TW-DRN-006, TW-DRN-009)', async () => {
    let release = (): void => {};
    await world.close();
    world = await World.open({
      machine: codingMachine({ checks: () => new Promise((resolve) => (release = () => resolve(['ok']))) }),
    });
    const { iid, turnId } = await start();
    await world.host.pick('local', iid, { turnId, deliveryId: 'd1', event: 'check', input: {} });
    const parked = world.host.delivery('local', iid, 'd1', 25_000);
    await until('the poll to park', () => world.host.counters().polls_parked === 1);
    const refused = expect(parked).rejects.toMatchObject({ code: 'stopping' });
    await world.host.stop();
    await refused;
    release();
    await settle();
    await expect(world.host.pick('local', iid, { turnId, ...finish })).rejects.toMatchObject({ code: 'stopping' });
    await expect(world.host.start('test', { task: 't' })).rejects.toMatchObject({ code: 'stopping' });
    expect(world.harness.aborts).toEqual([]);
    expect(world.harness.submissions[0]?.settled).toBeUndefined();
  });
});
