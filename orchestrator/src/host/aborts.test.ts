import { afterEach, describe, expect, it } from 'vitest';
import { codingMachine } from '../run/machines.fixture.ts';
import { settle, until, VirtualClock, World } from './world.fixture.ts';

let world: World;
afterEach(() => world?.close());

async function admitted(options: Parameters<typeof codingMachine>[0] & { fencedAbort?: boolean } = {}) {
  const clock = new VirtualClock();
  world = await World.open({ machine: codingMachine(options), clock, fencedAbort: options.fencedAbort ?? true });
  const { runId } = await world.host.start('test', { task: 't' });
  await until('the Admission', async () => (await world.host.run(runId))?.executions[0]?.status === 'running');
  const [submission] = world.harness.submissions;
  if (!submission) throw new Error('no Submission');
  const pick = (event: string, input = {}) =>
    world.host.pick('local', submission.iid, { turnId: submission.turnId, event, input });
  return { clock, runId, submission, pick };
}

describe('owed aborts', () => {
  it('after its own pick a turn has 5 s to settle (TW-RUN-015)', async () => {
    const { clock, pick } = await admitted();
    await pick('finish', { summary: 's' });
    await clock.advance(4_999);
    await world.restart();
    await clock.advance(0);
    expect(world.harness.aborts).toEqual([]);
    await clock.advance(1);
    await until('the abort', () => world.harness.aborts.length === 1);
    await until('its end', () => world.host.counters().turns_open === 0);
  });

  it('one that settled in time is not aborted', async () => {
    const { clock, pick, submission } = await admitted();
    await pick('finish', { summary: 's' });
    world.harness.settle(submission);
    await until('its Settlement', () => world.host.counters().turns_open === 0);
    await clock.advance(60_000);
    expect(world.harness.aborts).toEqual([]);
  });

  it('are sent again until they are acknowledged, across a restart (TW-RUN-014)', async () => {
    const { clock, runId } = await admitted();
    world.harness.unacknowledged = 2;
    await world.host.cancel(runId);
    await until('the first abort', () => world.harness.aborts.length > 0);
    await world.restart();
    for (let n = 0; n < 50 && (world.host.counters().runs_live ?? 0) > 0; n += 1) {
      await clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(world.host.counters().runs_live).toBe(0);
    expect(world.harness.aborts.length).toBeGreaterThanOrEqual(3);
    expect(new Set(world.harness.aborts.map(({ submissionId }) => submissionId)).size).toBe(1);
  });

  it('hold up the next turn of their conversation for 30 s at most (TW-RUN-017)', async () => {
    const { clock, pick, submission } = await admitted({ continues: true });
    world.harness.unacknowledged = Number.POSITIVE_INFINITY;
    await pick('again');
    await clock.advance(29_999);
    expect(world.harness.submissions).toHaveLength(1);
    await clock.advance(1);
    const next = await until('the next turn', () => world.harness.submissions[1]);
    expect(next.iid).not.toBe(submission.iid);
    expect(next.notices).toHaveLength(2);
    world.harness.unacknowledged = 0;
  });

  it('let the next turn of their conversation go on as soon as the one before is done', async () => {
    const { pick, submission } = await admitted({ continues: true });
    await pick('again');
    await settle();
    expect(world.harness.submissions).toHaveLength(1);
    world.harness.settle(submission);
    const next = await until('the next turn', () => world.harness.submissions[1]);
    expect(next).toMatchObject({ iid: submission.iid, notices: [] });
  });
});

describe('where aborts have no fence', () => {
  it('the next turn of a conversation goes on when the one before ended by itself', async () => {
    const { clock, pick, submission } = await admitted({ continues: true, fencedAbort: false });
    await pick('again');
    await settle();
    world.harness.settle(submission);
    const next = await until('the next turn', () => world.harness.submissions[1]);
    expect(next).toMatchObject({ iid: submission.iid, notices: [] });
    await clock.advance(10_000);
    expect(world.harness.aborts).toEqual([]);
  });

  it('one that was aborted is followed by a fresh conversation, and its abort of unknown fate is not sent again', async () => {
    const { clock, pick, submission } = await admitted({ continues: true, fencedAbort: false });
    world.harness.unacknowledged = 1;
    await pick('again');
    await clock.advance(5_000);
    const next = await until('the next turn', () => world.harness.submissions[1]);
    expect(next.iid).not.toBe(submission.iid);
    expect(next.notices[0]).toContain('its last turn was aborted');
    await world.restart();
    await clock.advance(30_000);
    await settle();
    expect(world.harness.aborts).toHaveLength(1);
  });
});

describe('a store that changed', () => {
  it('sends a first prompt again to the new one', async () => {
    const { submission } = await admitted();
    world.harness.store = 'store-2';
    const { runId } = await world.host.start('test', { task: 'second' });
    const second = await until('the second', () => world.harness.submissions.find(({ iid }) => iid.startsWith(runId)));
    expect(second.submissionId).not.toBe(submission.submissionId);
    expect(world.harness.admissions.map(({ expectStore }) => expectStore)).toEqual(['store-1', 'store-1', 'store-2']);
  });

  it('begins a continued conversation afresh, with a notice', async () => {
    const { pick, submission } = await admitted({ continues: true });
    await pick('again');
    world.harness.store = 'store-2';
    world.harness.settle(submission);
    const next = await until('the next turn', () => world.harness.submissions[1]);
    expect(next.iid).not.toBe(submission.iid);
    expect(next.notices).toEqual([expect.stringContaining('another store')]);
    expect(next.turnId).not.toBe(submission.turnId);
  });
});
