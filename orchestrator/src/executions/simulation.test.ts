import { describe, expect, it } from 'vitest';
import type { SimulatedCall } from './simulated-call.fixture.ts';
import { GRACE_MS, Simulation } from './simulation.fixture.ts';

const SEEDS = Number(process.env.TURNWIRE_SEEDS ?? 1_000);

/** What must hold of every call, whatever happened. */
function hold(simulation: Simulation, why: string): void {
  const { calls } = simulation;
  for (const call of calls) {
    const ends = call.feed.filter((type) => /\.(succeeded|failed|cancelled|timed_out)$/.test(type));
    const told = `${why}: ${call.executionId} ${call.statuses.join(' ')} ${JSON.stringify(call.row.reason)}`;
    expect(call.hasEnded, told).toBe(true);
    expect(ends, told).toEqual([`execution.${call.row.status}`]);
    expect(
      call.feed.filter((type) => type === 'execution.started'),
      told,
    ).toHaveLength(1);
    expect(
      call.statuses.filter((status) => status === call.row.status),
      told,
    ).toHaveLength(1);
    expect(call.taken, told).toBeLessThanOrEqual(1);
    expect(call.isHeld, told).toBe(false);
    expect(call.run.state.turns, told).toEqual([]);
    if (call.row.status === 'succeeded') expect(call.row.result, told).toBe(1);
    else expect(call.row.category, told).toBeDefined();
  }
  const count = (status: string) => calls.filter(({ row }) => row.status === status).length;
  expect(count('succeeded') + count('failed') + count('cancelled') + count('timed_out')).toBe(calls.length);
}

const started = (call: SimulatedCall | string): SimulatedCall => {
  if (typeof call === 'string') throw new Error(`refused: ${call}`);
  return call;
};

/** Each story under several orders of what happens at the same moment. */
const told = (name: string, story: (simulation: Simulation) => void, seeds = 20) =>
  it(name, () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const simulation = new Simulation(seed);
      story(simulation);
      simulation.advance(5 * 60_000);
      hold(simulation, `seed ${seed}`);
    }
  });

describe('in virtual time', () => {
  told('a call while the node is down, and it returns 4 s later on another port', (simulation) => {
    simulation.stop(simulation.start());
    const call = started(simulation.call());
    simulation.advance(4_000);
    expect(call.row.status).toBe('awaiting_restart');
    simulation.start();
    simulation.advance(2_000);
    expect(call.row).toMatchObject({ status: 'succeeded', attempts: 2 });
  });

  told('a call before any harness has started, and one to a node that is known down', (simulation) => {
    expect(simulation.call()).toBe('target_not_found');
    simulation.stop(simulation.start());
    simulation.advance(60_000);
    expect(simulation.call()).toBe('node_unavailable');
    expect(simulation.calls).toEqual([]);
  });

  told('the node stays down: one waits, the next fails fast, and after it is back the next succeeds', (simulation) => {
    simulation.stop(simulation.start());
    const call = started(simulation.call());
    simulation.advance(GRACE_MS - 1);
    expect(call.row.status).toBe('awaiting_restart');
    simulation.advance(100);
    expect(call.row).toMatchObject({ status: 'failed', category: 'agent_unreachable' });
    expect(simulation.call()).toBe('node_unavailable');
    simulation.start();
    const next = started(simulation.call());
    simulation.advance(2_000);
    expect(next.row.status).toBe('succeeded');
  });

  told('the node drains, exits and comes back within 4 s while calls arrive', (simulation) => {
    simulation.drain(simulation.start(), 2_000);
    simulation.at(4_000, () => simulation.start());
    for (let ms = 0; ms < 5_000; ms += 250) simulation.at(ms, () => void started(simulation.call()));
    simulation.advance(20_000);
    expect(simulation.calls.map(({ row }) => row.status)).toEqual(simulation.calls.map(() => 'succeeded'));
  });

  told('it registers again, but its port refuses for another 20 s: one admission is taken', (simulation) => {
    const first = simulation.start('http://node:1');
    simulation.stop(first);
    const call = started(simulation.call());
    simulation.at(2_000, () => simulation.start('http://node:1', 20_000));
    simulation.advance(30_000);
    expect(call.row.status).toBe('succeeded');
    expect(call.taken).toBe(1);
  });

  told('a serverless node refuses the connection', (simulation) => {
    simulation.deployment = 'serverless';
    simulation.stop(simulation.start());
    const call = started(simulation.call());
    simulation.advance(100);
    expect(call.row).toMatchObject({ status: 'failed', category: 'agent_unreachable' });
    expect(call.statuses).not.toContain('awaiting_restart');
    expect(typeof simulation.call()).not.toBe('string');
  });

  told('50 calls wait for one dead node, and all of them end alike', (simulation) => {
    simulation.stop(simulation.start());
    for (let index = 0; index < 50; index += 1) simulation.at(index * 20, () => void started(simulation.call()));
    simulation.advance(20_000);
    expect(new Set(simulation.calls.map(({ row }) => row.category))).toEqual(new Set(['agent_unreachable']));
    expect(simulation.node?.record.health).toBe('inactive');
  });

  told('it is heard just when the grace runs out: it stays healthy, or is again', (simulation) => {
    const process = simulation.start('http://node:1');
    simulation.stop(process);
    const call = started(simulation.call());
    // At the very moment of the demotion, before it or after it.
    simulation.at(GRACE_MS + 1, () => simulation.start('http://node:1'));
    simulation.advance(GRACE_MS + 10_000);
    expect(simulation.node?.record.health).toBe('healthy');
    expect(['succeeded', 'failed']).toContain(call.row.status);
  });

  told('a cancel during the wait, then the node returns', (simulation) => {
    simulation.stop(simulation.start());
    const call = started(simulation.call());
    simulation.advance(1_000);
    expect(call.cancel()).toBe('awaiting_restart');
    simulation.start();
    simulation.advance(30_000);
    expect([call.row.status, call.taken]).toEqual(['cancelled', 0]);
  });

  told('the Orchestrator is killed during the wait: what is left of the grace goes on', (simulation) => {
    simulation.stop(simulation.start());
    const call = started(simulation.call());
    simulation.advance(5_000);
    simulation.kill(2_000);
    simulation.advance(7_900);
    expect(call.row.status).toBe('awaiting_restart');
    simulation.advance(2_200);
    expect(call.row).toMatchObject({ status: 'failed', category: 'agent_unreachable' });
  });

  told('a rolling update: the turn ends at the old process', (simulation) => {
    simulation.workMs = 20_000;
    const old = simulation.start();
    const call = started(simulation.call());
    simulation.advance(1_000);
    old.isDraining = true;
    simulation.start();
    simulation.advance(30_000);
    expect(call.row).toMatchObject({ status: 'succeeded', instanceId: 'i1' });
  });

  told('one awaits the restart, one was running on the old process', (simulation) => {
    simulation.workMs = 20_000;
    const old = simulation.start();
    const running = started(simulation.call());
    simulation.advance(1_000);
    simulation.stop(old);
    const waiting = started(simulation.call());
    simulation.advance(2_000);
    simulation.start();
    simulation.advance(90_000);
    expect(running.row).toMatchObject({ status: 'failed', category: 'agent_restart_orphaned' });
    expect(waiting.row.status).toBe('succeeded');
  });

  told(
    'save and restart every 3 s for 2 minutes, with 5 calls a second: none fails that its caller did not',
    (simulation) => {
      let process = simulation.start('http://node:1');
      for (let at = 3_000; at < 120_000; at += 3_000)
        simulation.at(at, () => {
          // As the dev command does it: what runs is finished first.
          process.isDraining = true;
          const before = process;
          simulation.at(600, () => simulation.stop(before));
          simulation.at(1_000, () => {
            process = simulation.start('http://node:1');
          });
        });
      for (let at = 0; at < 120_000; at += 200) simulation.at(at, () => void started(simulation.call()));
      simulation.advance(240_000);
      const failed = simulation.calls.filter(({ row }) => row.status !== 'succeeded');
      expect(failed.map(({ row }) => row.reason)).toEqual([]);
    },
    2,
  );

  it(`holds its invariants under ${SEEDS} seeds of shuffled orders`, { timeout: 120_000 }, () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const simulation = new Simulation(seed);
      const { cancelledWaiting } = drawn(simulation);
      hold(simulation, `seed ${seed}`);
      for (const call of cancelledWaiting)
        expect([call.row.status, call.taken], `seed ${seed}`).toEqual(['cancelled', 0]);
      for (const { statuses, row } of simulation.calls) {
        for (const status of statuses) seen.add(status);
        if (row.category) seen.add(row.category);
      }
    }
    // The seeds went everywhere.
    const everywhere = ['awaiting_restart', 'cancelled', 'agent_unreachable', 'agent_restart_orphaned', 'succeeded'];
    expect([...seen]).toEqual(expect.arrayContaining(everywhere));
  });
});

/** Processes that come, drain, die and return; calls, cancels and a SIGKILL in between; on a grid, so that much coincides. */
function drawn(simulation: Simulation) {
  const { random } = simulation;
  const moment = () => Math.floor(random() * 160) * 250;
  const cancelledWaiting: SimulatedCall[] = [];
  simulation.lossy = random() < 0.3 ? 0.3 : 0;
  simulation.workMs = random() < 0.2 ? 8_000 : 500;
  let process = simulation.start('http://node:1');
  const replace = () => {
    const old = process;
    const gap = Math.floor(random() * 24) * 250;
    if (random() < 0.5) simulation.drain(old, Math.floor(random() * 8) * 250);
    else simulation.stop(old);
    const address = random() < 0.5 ? old.address : `http://node:${simulation.processes.length + 1}`;
    const listensAfterMs = random() < 0.2 ? 4_000 : 0;
    simulation.at(Math.max(gap, 2_000), () => {
      simulation.stop(old);
      process = simulation.start(address, listensAfterMs);
    });
  };
  for (let index = 0; index < 2; index += 1) simulation.at(moment(), replace);
  if (random() < 0.3) simulation.at(moment(), () => simulation.stop(process));
  if (random() < 0.3) simulation.at(moment(), () => simulation.kill(Math.floor(random() * 12) * 250));
  for (let index = 0; index < 5; index += 1)
    simulation.at(moment(), () => {
      const call = simulation.isUp ? simulation.call() : 'stopping';
      if (typeof call === 'string' || random() > 0.3) return;
      simulation.at(Math.floor(random() * 16) * 250, () => {
        if (call.cancel() === 'awaiting_restart') cancelledWaiting.push(call);
      });
    });
  simulation.advance(10 * 60_000);
  // A node that never came back: what is owed to it is owed until it does.
  if (!simulation.isAnswered()) simulation.start();
  simulation.advance(5 * 60_000);
  return { cancelledWaiting };
}
