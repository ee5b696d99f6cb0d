import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { fromPromise } from 'xstate';
import { z } from 'zod';
import { defineEvent, setup } from '../index.ts';
import { attemptKey } from '../machine/attempt.ts';
import { codingMachine } from '../run/machines.fixture.ts';
import { settle, until, VirtualClock, World } from './world.fixture.ts';

let world: World;
afterEach(() => world?.close());

const admitted = async (runId: string) =>
  until('the Admission', async () => (await world.host.run(runId))?.executions[0]?.status === 'running');

const write = (sql: string, ...values: unknown[]) => {
  const database = new Database(world.file.slice('file:'.length));
  database.prepare(sql).run(...values);
  database.close();
};

describe('time', () => {
  it('after 60 s with a restart at 50 s: fires at 60 s (TW-DUR-015)', async () => {
    const clock = new VirtualClock();
    world = await World.open({ machine: codingMachine(), clock });
    const { runId } = await world.host.start('test', { task: 't' });
    await admitted(runId);
    await clock.advance(50_000);
    await world.restart();
    await clock.advance(9_999);
    expect((await world.host.run(runId))?.status).toBe('active');
    await clock.advance(1);
    expect((await world.host.run(runId))?.value).toBe('late');
  });

  it('a deadline that passed while nobody lived fires at once', async () => {
    const clock = new VirtualClock();
    world = await World.open({ machine: codingMachine(), clock });
    const { runId } = await world.host.start('test', { task: 't' });
    world.kill();
    await clock.advance(3_600_000);
    await world.start();
    await settle();
    expect((await world.host.run(runId))?.value).toBe('late');
  });

  it('a gate stands open for 30 days across 50 restarts, and takes one answer', async () => {
    const clock = new VirtualClock();
    world = await World.open({ machine: codingMachine(), clock });
    const { runId } = await world.host.start('test', { task: 't' });
    await admitted(runId);
    const { iid, turnId } = world.harness.submissions[0] as { iid: string; turnId: string };
    await world.host.pick('local', iid, { turnId, event: 'finish', input: { summary: 's' } });
    world.harness.settle(world.harness.submissions[0] as never);
    const gateId = (await world.host.run(runId))?.gates[0]?.gateId;
    for (let restart = 0; restart < 50; restart += 1) {
      await clock.advance((30 * 24 * 3_600_000) / 50);
      await world.restart();
    }
    expect((await world.host.run(runId))?.gates[0]?.gateId).toBe(gateId);
    expect(await world.host.answerGate(runId, gateId as string, 'approve', {})).toMatchObject({ moved: true });
    expect((await world.host.run(runId))?.status).toBe('done');
    expect(world.harness.admissions).toHaveLength(1);
  }, 60_000);
});

describe('many runs', () => {
  it('all re-attach, none is admitted twice, and a poisoned one stops nobody (TW-DUR-016, TW-DUR-017, TW-SUR-007, TW-PIC-010)', async () => {
    world = await World.open({ machine: codingMachine() });
    const count = 60;
    const started = await Promise.all(Array.from({ length: count }, () => world.host.start('test', { task: 't' })));
    for (const { runId } of started) await admitted(runId);
    world.kill();
    const poisoned = started[7]?.runId as string;
    write("UPDATE runs SET document = '{' WHERE run_id = ?", poisoned);
    const bent = started[8]?.runId as string;
    write('UPDATE runs SET document = replace(document, \'"coding"\', \'"nowhere"\') WHERE run_id = ?', bent);
    await world.start();
    const { items } = await world.host.runs({ status: 'drifted' });
    expect(items.map(({ runId }) => runId).sort()).toEqual([poisoned, bent].sort());
    expect(items.every(({ fault }) => fault?.reason)).toBe(true);
    const ofPoisoned = world.harness.submissions.find(({ iid }) => iid.startsWith(poisoned));
    const pick = { turnId: ofPoisoned?.turnId as string, event: 'finish', input: { summary: 's' } };
    await expect(world.host.pick('local', ofPoisoned?.iid as string, pick)).rejects.toMatchObject({
      code: 'run_unavailable',
    });
    await expect(world.host.surface('local', ofPoisoned?.iid as string)).rejects.toMatchObject({
      code: 'run_unavailable',
    });
    for (const submission of world.harness.submissions) {
      if (submission.iid.startsWith(poisoned) || submission.iid.startsWith(bent)) continue;
      const { iid, turnId } = submission;
      await world.host.pick('local', iid, { turnId, event: 'finish', input: { summary: 's' } });
      world.harness.settle(submission);
    }
    const gated = (await world.host.runs({ limit: 200 })).items.filter(({ gates }) => gates.length > 0);
    expect(gated).toHaveLength(count - 2);
    expect(world.harness.admissions).toHaveLength(count);
  }, 60_000);

  it('a run whose workflow has another shape is drifted, and can be cancelled', async () => {
    world = await World.open({ machine: codingMachine() });
    const { runId } = await world.host.start('test', { task: 't' });
    await admitted(runId);
    world.machine = otherMachine(async () => 'x');
    await world.restart();
    expect(await world.host.run(runId)).toMatchObject({ status: 'drifted', fault: { code: 'drifted' } });
    const { iid } = world.harness.submissions[0] as { iid: string };
    await expect(world.host.surface('local', iid)).rejects.toMatchObject({ code: 'run_unavailable' });
    await expect(world.host.answerGate(runId, 'merge', 'approve', {})).rejects.toMatchObject({
      code: 'run_unavailable',
    });
    await world.host.cancel(runId);
    expect(await world.host.run(runId)).toMatchObject({ status: 'cancelled' });
    await until('the abort', () => world.harness.aborts.length === 1);
  });
});

const go = defineEvent({ name: 'go', by: 'outside', input: z.object({}) });

/** No Agent: an author's actor, then a gate with an action. */
function otherMachine(work: () => Promise<unknown>, acted: () => void = () => {}) {
  return setup({
    input: z.object({ task: z.string() }),
    types: {} as { context: { made?: unknown } },
    events: [go],
    agents: {},
    actors: { work: fromPromise(work) },
  }).createMachine({
    context: {},
    initial: 'working',
    states: {
      working: { invoke: { src: 'work', onDone: 'open' } },
      open: { invoke: { src: 'gate', input: {} }, on: { go: { target: 'done', actions: acted } } },
      done: { type: 'final' },
    },
  });
}

describe('authors’ effects', () => {
  it('an actor that was cut off is run again under the same key', async () => {
    const keys: string[] = [];
    const work = () => {
      keys.push(attemptKey());
      return keys.length === 1 ? new Promise(() => {}) : Promise.resolve('made');
    };
    world = await World.open({ machine: otherMachine(work), learned: false });
    const { runId } = await world.host.start('test', { task: 't' });
    await until('the first attempt', () => keys.length === 1);
    await world.restart();
    await until('the gate', async () => ((await world.host.run(runId))?.gates.length ?? 0) > 0);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });

  it('an action runs after its commit, again when the process died before it was known to have run, and then never', async () => {
    let acted = 0;
    world = await World.open({
      machine: otherMachine(
        async () => 'x',
        () => (acted += 1),
      ),
      learned: false,
    });
    const { runId } = await world.host.start('test', { task: 't' });
    await until('the gate', async () => ((await world.host.run(runId))?.gates.length ?? 0) > 0);
    world.kill();
    await world.start(1);
    void world.host.answerGate(runId, 'open', 'go', {});
    await until('the death', () => world.store.dead);
    expect(acted).toBe(0);
    await world.start();
    await until('the action', () => acted === 1);
    await until('the run to be let go', () => world.host.counters().runs_live === 0);
    await world.restart();
    await settle();
    expect(acted).toBe(1);
  });
});
