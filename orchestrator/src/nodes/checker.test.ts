import { afterEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../host/world.fixture.ts';
import { HealthChecker } from './checker.ts';
import { keptNodes, registration } from './nodes.fixture.ts';
import type { NodeRecord } from './port.ts';

let checker: HealthChecker | undefined;
afterEach(() => checker?.stop());

function checked(probe: (node: NodeRecord, signal: AbortSignal) => Promise<boolean>) {
  const clock = new VirtualClock();
  const kept = keptNodes(clock.now);
  const probes: string[] = [];
  const start = clock.now();
  checker = new HealthChecker({
    nodes: kept.nodes,
    clock,
    random: () => 0.5,
    probe: (node, signal) => {
      probes.push(`${(clock.now() - start) / 1_000} ${node.nodeId} ${node.baseUrl}`);
      return probe(node, signal);
    },
    failed: (error) => {
      throw error;
    },
  });
  const beat = (nodeId: string) => kept.nodes.heartbeat(nodeId, 'inst_1', 'ready');
  return { clock, ...kept, probes, beat };
}

describe('the health checker', () => {
  it('TW-NOD-016: asks every 10 s, and a dead node is inactive after the third', async () => {
    const { clock, nodes, probes, beat } = checked(() => Promise.resolve(false));
    await nodes.register('n', registration());
    await beat('n');
    // The first came back before the heartbeat, which ends a series.
    await clock.advance(29_999);
    expect(nodes.get('n')?.health).toBe('healthy');
    await clock.advance(1);
    expect(nodes.get('n')?.health).toBe('inactive');
    const at = 'n http://127.0.0.1:8080';
    expect(probes).toEqual([`0 ${at}`, `10 ${at}`, `20 ${at}`, `30 ${at}`]);
  });

  it('TW-NOD-013: looks at the lease when it is over, however late the last heartbeat came', async () => {
    const { clock, nodes, beat } = checked(() => Promise.resolve(true));
    await nodes.register('n', registration());
    await clock.advance(50_000);
    await beat('n');
    await clock.advance(59_999);
    expect(nodes.get('n')?.health).toBe('healthy');
    await clock.advance(1);
    expect(nodes.get('n')?.health).toBe('inactive');
    await clock.advance(120_000);
    expect(nodes.get('n')?.health).toBe('inactive');
    await beat('n');
    expect(nodes.get('n')?.health).toBe('healthy');
    await clock.advance(59_000);
    expect(nodes.get('n')?.health).toBe('healthy');
    await clock.advance(15_000);
    expect(nodes.get('n')?.health).toBe('inactive');
  });

  it('TW-NOD-016: a node that does not answer holds up no other', async () => {
    const hang = () => new Promise<boolean>(() => {});
    const { clock, nodes, probes } = checked(({ nodeId }) => (nodeId === 'dead' ? hang() : Promise.resolve(true)));
    for (const nodeId of ['dead', 'one', 'two']) await nodes.register(nodeId, registration());
    await clock.advance(10_000);
    expect(probes.map((line) => line.split(' ')[1])).toEqual(['dead', 'one', 'two', 'one', 'two']);
    expect(nodes.get('one')?.health).toBe('healthy');
  });

  it('TW-NOD-014: a probe that comes back after a heartbeat is too late', async () => {
    const answers: ((isGood: boolean) => void)[] = [];
    const { clock, nodes, beat } = checked(() => new Promise((resolve) => answers.push(resolve)));
    await nodes.register('n', registration());
    for (let round = 0; round < 6; round += 1) {
      await clock.advance(5_000);
      await beat('n');
      for (const answer of answers.splice(0)) answer(false);
      await clock.advance(5_000);
    }
    expect(nodes.get('n')?.health).toBe('healthy');
  });

  it('TW-NOD-017: a serverless node is left alone', async () => {
    const { clock, nodes, probes } = checked(() => Promise.resolve(false));
    await nodes.register('n', registration({ deployment: 'serverless' }));
    await clock.advance(600_000);
    expect(probes).toEqual([]);
    expect(nodes.get('n')?.health).toBe('unknown');
  });

  it('asks a new process at its own address at once, and one that was removed no more', async () => {
    const { clock, nodes, probes } = checked(() => Promise.resolve(true));
    await nodes.register('n', registration());
    await clock.advance(3_000);
    await nodes.register('n', registration({ instanceId: 'inst_2', baseUrl: 'http://127.0.0.1:9090' }));
    await clock.advance(10_000);
    await nodes.remove('n');
    await clock.advance(60_000);
    const [old, young] = ['n http://127.0.0.1:8080', 'n http://127.0.0.1:9090'];
    expect(probes).toEqual([`0 ${old}`, `3 ${young}`, `13 ${young}`]);
  });

  it('TW-NOD-021: goes on after a start, spread over the interval', async () => {
    const { nodes, clock } = checked(() => Promise.resolve(true));
    await nodes.register('n', registration());
    checker?.stop();
    const again = keptNodes(clock.now, nodes.list());
    const probes: number[] = [];
    const start = clock.now();
    checker = new HealthChecker({
      nodes: again.nodes,
      clock,
      random: () => 0.5,
      probe: async () => probes.push(clock.now() - start) > 0,
      failed: () => {},
    });
    await clock.advance(16_000);
    expect(probes).toEqual([5_000, 15_000]);
  });

  it('TW-NOD-021: a machine that was suspended hears its nodes before it judges them', async () => {
    const clock = new VirtualClock();
    let asleepMs = 0;
    const now = () => clock.now() + asleepMs;
    const { nodes } = keptNodes(now);
    checker = new HealthChecker({
      nodes,
      clock: { now, sleep: clock.sleep },
      random: () => 0,
      probe: () => Promise.resolve(true),
      failed: () => {},
    });
    await nodes.register('n', registration());
    await nodes.heartbeat('n', 'inst_1', 'ready');
    await clock.advance(50_000);
    asleepMs = 8 * 3_600_000;
    await clock.advance(20_000);
    expect(nodes.get('n')?.health).toBe('healthy');
    await nodes.heartbeat('n', 'inst_1', 'ready');
    await clock.advance(59_000);
    expect(nodes.get('n')?.health).toBe('healthy');
    await clock.advance(20_000);
    expect(nodes.get('n')?.health).toBe('inactive');
  });

  it('TW-NOD-018: 5 minutes of heartbeats every 2 s and one failing probe in five: health never flaps', async () => {
    let asked = 0;
    const { clock, nodes, told, beat } = checked(() => Promise.resolve(++asked % 5 !== 0));
    await nodes.register('n', registration());
    for (let second = 0; second < 300; second += 2) {
      await beat('n');
      await clock.advance(2_000);
    }
    expect(asked).toBeGreaterThanOrEqual(30);
    expect(told()).toEqual(['node.registered unknown', 'node.health healthy']);
  });
});
