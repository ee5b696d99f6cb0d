import { afterEach, describe, expect, it, vi } from 'vitest';
import { codingMachine } from '../run/machines.fixture.ts';
import { StoreError } from '../store/port.ts';
import { until, World } from './world.fixture.ts';

let world: World;
afterEach(() => world?.close());

const full = () => Promise.reject(new StoreError('unavailable', 'the database failed: SQLITE_FULL'));

describe('a disk that is full', () => {
  it('refuses what it cannot write, forgets it, and goes on when it can (TW-DUR-023, TW-SUR-008)', async () => {
    world = await World.open({ machine: codingMachine() });
    const { runId } = await world.host.start('test', { task: 't' });
    await until('the Admission', async () => (await world.host.run(runId))?.executions[0]?.status === 'running');
    const { iid, turnId } = world.harness.submissions[0] as { iid: string; turnId: string };
    const body = { turnId, deliveryId: 'd1', event: 'finish', input: { summary: 's' } };
    const commit = vi.spyOn(world.store, 'commit').mockImplementation(full);
    await expect(world.host.pick('local', iid, body)).rejects.toMatchObject({ code: 'store_unavailable' });
    await expect(world.host.start('test', { task: 't' })).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await world.host.surface('local', iid)).toMatchObject({ turnId });
    await expect(world.host.delivery('local', iid, 'd1', 0)).rejects.toMatchObject({ code: 'unknown_delivery' });
    // TW-DUR-021: nothing of what was not committed was done.
    expect(world.harness.admissions).toHaveLength(1);
    commit.mockRestore();
    expect(await world.host.pick('local', iid, body)).toMatchObject({ status: 200, receipt: { turnComplete: true } });
    expect((await world.host.runs({})).items).toHaveLength(1);
  });

  it('loses nothing that a Harness said meanwhile', async () => {
    world = await World.open({ machine: codingMachine(), learned: false });
    let refusals = 0;
    const real = world.store.commit;
    // The intent and its dispatch are written; the Admission is not, at first.
    let commits = 0;
    vi.spyOn(world.store, 'commit').mockImplementation((batch) => {
      commits += 1;
      if (commits !== 3) return real(batch);
      refusals += 1;
      return full();
    });
    const { runId } = await world.host.start('test', { task: 't' });
    await until('the Admission', async () => (await world.host.run(runId))?.executions[0]?.status === 'running');
    expect(refusals).toBe(1);
    expect(world.harness.admissions).toHaveLength(1);
  });
});

describe('a successor that has taken the database', () => {
  it('ends this process: nothing of it is written any more', async () => {
    world = await World.open({ machine: codingMachine() });
    const { runId } = await world.host.start('test', { task: 't' });
    vi.spyOn(world.store, 'commit').mockImplementation(() => Promise.reject(new StoreError('fenced', 'taken over')));
    await expect(world.host.cancel(runId)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(world.fenced).toBe(1);
    // Also where no run was there before.
    await expect(world.host.start('test', { task: 't' })).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(world.fenced).toBe(2);
  });
});
