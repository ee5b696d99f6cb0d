import { describe, expect, it } from 'vitest';
import { keptNodes, registration } from './nodes.fixture.ts';
import type { NodeSeen } from './port.ts';

const AT = 1_000_000;
const begun = async (now = () => AT) => {
  const kept = keptNodes(now);
  await kept.nodes.register('n', registration());
  return kept;
};
const seenOf = ({ nodes }: { nodes: ReturnType<typeof keptNodes>['nodes'] }): NodeSeen => {
  const { instanceId = '', moves = 0 } = nodes.get('n') ?? {};
  return { instanceId, moves };
};

describe('the registry', () => {
  it('TW-NOD-001, TW-NOD-009, TW-NOD-025: each change is committed with its event before anybody sees it', async () => {
    const kept = keptNodes(() => AT);
    const seenAtCommit: unknown[] = [];
    kept.onCommit = () => void seenAtCommit.push(kept.nodes.get('n')?.health);
    const changes: string[] = [];
    kept.nodes.onChange((nodeId) => changes.push(`${nodeId} ${kept.nodes.get(nodeId)?.health}`));
    await kept.nodes.register('n', registration());
    await kept.nodes.heartbeat('n', 'inst_1', 'ready');
    await kept.nodes.remove('n');
    expect(seenAtCommit).toEqual([undefined, 'unknown', 'healthy']);
    expect(changes).toEqual(['n unknown', 'n healthy', 'n undefined']);
    expect(kept.told()).toEqual(['node.registered unknown', 'node.health healthy', 'node.removed healthy']);
    expect(kept.writes[2]).toMatchObject({ removedNodes: ['n'] });
  });

  it('a heartbeat does not write the agents again', async () => {
    const kept = await begun();
    await kept.nodes.heartbeat('n', 'inst_1', 'ready');
    expect(kept.writes.map(({ nodeAgents }) => nodeAgents?.length)).toEqual([1, undefined]);
    expect(kept.writes[1]?.nodes?.[0]).not.toHaveProperty('agents');
    expect(kept.nodes.get('n')?.agents).toEqual([{ name: 'reviewer' }]);
  });

  it('a change that cannot be written has not happened', async () => {
    const kept = await begun();
    kept.onCommit = () => {
      throw new Error('disk full');
    };
    await expect(kept.nodes.heartbeat('n', 'inst_1', 'ready')).rejects.toThrow('disk full');
    expect(kept.nodes.get('n')?.health).toBe('unknown');
    kept.onCommit = () => {};
    await kept.nodes.heartbeat('n', 'inst_1', 'ready');
    expect(kept.nodes.get('n')?.health).toBe('healthy');
  });

  it('TW-NOD-007, TW-NOD-008, TW-NOD-020: refuses what is not there, and who is not it', async () => {
    const kept = await begun();
    const { nodes } = kept;
    await expect(nodes.heartbeat('m', 'inst_1', 'ready')).rejects.toMatchObject({ code: 'unknown_node' });
    await expect(nodes.remove('m')).rejects.toMatchObject({ code: 'unknown_node' });
    await expect(nodes.heartbeat('n', 'inst_0', 'ready')).rejects.toMatchObject({ code: 'stale_instance' });
    expect(kept.writes).toHaveLength(1);
  });

  it('TW-NOD-014: a heartbeat that arrives while the demotion is being written: the node stays healthy', async () => {
    const kept = await begun();
    await kept.nodes.heartbeat('n', 'inst_1', 'ready');
    let written = () => {};
    let begunToWrite = () => {};
    const writing = new Promise<void>((resolve) => {
      begunToWrite = resolve;
    });
    kept.onCommit = () =>
      new Promise((resolve) => {
        written = resolve;
        begunToWrite();
      });
    const demoted = kept.nodes.demote('n', seenOf(kept));
    await writing;
    kept.onCommit = () => {};
    const beaten = kept.nodes.heartbeat('n', 'inst_1', 'ready');
    written();
    await Promise.all([demoted, beaten]);
    expect(kept.nodes.get('n')?.health).toBe('healthy');
  });

  it('TW-NOD-014, TW-EXE-016: a demotion behind a heartbeat is none', async () => {
    const kept = await begun();
    const seen = seenOf(kept);
    const [, demoted] = await Promise.all([kept.nodes.heartbeat('n', 'inst_1', 'ready'), kept.nodes.demote('n', seen)]);
    expect(demoted).toBe(false);
    expect(kept.told()).not.toContain('node.health inactive');
    expect(await kept.nodes.demote('n', seenOf(kept))).toBe(true);
    expect(await kept.nodes.demote('n', seenOf(kept))).toBe(true);
    expect(await kept.nodes.demote('m', seen)).toBe(false);
  });

  it('TW-NOD-021: comes back as it was saved', async () => {
    let now = AT;
    const kept = await begun(() => now);
    await kept.nodes.heartbeat('n', 'inst_1', 'degraded');
    const saved = kept.nodes.list();
    now += 3_600_000;
    const again = keptNodes(() => now, saved);
    expect(again.nodes.list()).toEqual(saved);
    expect(again.nodes.leaseEnd('n')).toBe(now + 15_000);
  });

  it('counts, and says nothing after it was stopped', async () => {
    const { nodes } = await begun();
    await nodes.probed('n', { isGood: false, seen: seenOf({ nodes }), at: AT });
    await nodes.probed('n', { isGood: true, seen: seenOf({ nodes }), at: AT });
    expect(nodes.counters()).toEqual({
      'nodes{health="unknown"}': 1,
      'nodes{health="healthy"}': 0,
      'nodes{health="inactive"}': 0,
      'node_probes_total{result="good"}': 1,
      'node_probes_total{result="failed"}': 1,
    });
    await nodes.stop();
    await expect(nodes.heartbeat('n', 'inst_1', 'ready')).rejects.toMatchObject({ code: 'stopping' });
  });
});
