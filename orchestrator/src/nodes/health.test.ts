import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasMoved, leaseEnd, type NodeEvent, type NodeState, type NodeStep, restored, step } from './health.ts';
import { registration } from './nodes.fixture.ts';
import type { NodeSeen } from './port.ts';

/** One node, its clock in seconds, and every health that it had. */
class Story {
  now = 1_000_000;
  state: NodeState | undefined;
  readonly healths: string[] = [];
  readonly news: string[] = [];

  take(event: NodeEvent): NodeStep {
    const outcome = step(this.state, event, this.now);
    this.state = outcome.state;
    this.news.push(...outcome.news.map(({ type, record }) => `${type} ${record.health}`));
    const health = this.state?.record.health ?? 'none';
    if (this.healths.at(-1) !== health) this.healths.push(health);
    return outcome;
  }
  register = (more = {}) => this.take({ type: 'register', nodeId: 'n', registration: registration(more) });
  beat = (instanceId = 'inst_1', lifecycle: 'ready' | 'draining' = 'ready') =>
    this.take({ type: 'heartbeat', instanceId, lifecycle });
  probe = (isGood: boolean, seen = this.seen(), at = this.now) => this.take({ type: 'probed', isGood, seen, at });
  lease = () => this.take({ type: 'lease' });
  demote = (seen = this.seen()) => this.take({ type: 'demote', seen });
  pass = (seconds: number) => {
    this.now += seconds * 1_000;
  };
  seen(): NodeSeen {
    const { instanceId = '', moves = 0 } = this.state?.record ?? {};
    return { instanceId, moves };
  }
  get health() {
    return this.state?.record.health;
  }
}

const begun = (more = {}) => {
  const story = new Story();
  story.register(more);
  return story;
};

describe('the health of a node', () => {
  it('TW-NOD-011, TW-NOD-012: is unknown after a registration, and healthy at its first heartbeat', () => {
    const story = begun();
    expect(story.state?.record).toMatchObject({ health: 'unknown', lifecycle: 'starting', registeredAt: 1_000_000 });
    story.pass(1);
    story.beat();
    expect(story.state?.record).toMatchObject({ health: 'healthy', lifecycle: 'ready', lastHeartbeatAt: 1_001_000 });
    expect(story.news).toEqual(['node.registered unknown', 'node.health healthy']);
  });

  it('TW-NOD-010: has nothing to do with the lifecycle', () => {
    const story = begun();
    story.beat('inst_1', 'draining');
    expect(story.state?.record).toMatchObject({ health: 'healthy', lifecycle: 'draining' });
    story.pass(60);
    story.lease();
    expect(story.state?.record).toMatchObject({ health: 'inactive', lifecycle: 'draining', inactiveSince: story.now });
  });

  it('TW-NOD-007, TW-NOD-008: a heartbeat of nobody and one of another instance are refused, and change nothing', () => {
    const story = new Story();
    expect(story.beat()).toEqual({ news: [], isChanged: false, refused: 'unknown_node' });
    story.register({ instanceId: 'inst_2' });
    const before = story.state;
    expect(story.beat('inst_1')).toMatchObject({ isChanged: false, refused: 'stale_instance' });
    expect(story.state).toBe(before);
  });

  it('TW-NOD-013: three failed probes in a row make it inactive, and a good one between them does not', () => {
    const story = begun();
    story.beat();
    for (const isGood of [false, false, true, false, false]) story.probe(isGood);
    expect(story.health).toBe('healthy');
    story.probe(false);
    expect(story.health).toBe('inactive');
    story.probe(false);
    expect(story.news).toEqual(['node.registered unknown', 'node.health healthy', 'node.health inactive']);
  });

  it('TW-NOD-013: a heartbeat ends a series of failed probes', () => {
    const story = begun();
    for (let round = 0; round < 5; round += 1) {
      for (const isGood of [false, false]) story.probe(isGood);
      story.beat();
    }
    expect(story.healths).toEqual(['unknown', 'healthy']);
  });

  it('TW-NOD-013: 60 s without a heartbeat make it inactive, and not a moment earlier', () => {
    const story = begun();
    story.beat();
    story.pass(59.999);
    story.lease();
    expect(story.health).toBe('healthy');
    story.pass(0.001);
    expect(story.lease().news[0]).toMatchObject({ type: 'node.health', reason: 'no heartbeat for 60 s' });
    expect(story.health).toBe('inactive');
    const never = begun();
    never.pass(60);
    never.lease();
    expect(never.healths).toEqual(['unknown', 'inactive']);
  });

  it('TW-NOD-014: what was decided before a heartbeat is dropped', () => {
    const story = begun();
    story.beat();
    const seen = story.seen();
    for (const isGood of [false, false]) story.probe(isGood);
    story.beat();
    story.probe(false, seen);
    story.demote(seen);
    expect(story.state).toMatchObject({ failedProbes: 0, record: { health: 'healthy' } });
  });

  it('TW-NOD-014: nor does what was seen of another instance count', () => {
    const story = begun();
    const seen = story.seen();
    story.register({ instanceId: 'inst_2' });
    for (let probe = 0; probe < 3; probe += 1) story.probe(false, seen);
    story.demote(seen);
    expect(story.health).toBe('unknown');
  });

  it('TW-NOD-015: good probes alone make it healthy after 5 s of them', () => {
    const story = begun();
    story.probe(true);
    story.pass(4.999);
    story.probe(true);
    expect(story.health).toBe('unknown');
    story.pass(0.001);
    story.probe(true);
    expect(story.health).toBe('healthy');
  });

  it('TW-NOD-015: a failed one between them begins anew, and so does what made it inactive', () => {
    const story = begun();
    story.probe(true);
    story.pass(4);
    story.probe(false);
    story.pass(2);
    story.probe(true);
    expect(story.health).toBe('unknown');
    story.demote();
    expect(story.health).toBe('inactive');
    story.pass(4);
    story.probe(true);
    story.pass(4.9);
    story.probe(true);
    expect(story.health).toBe('inactive');
    story.pass(0.1);
    story.probe(true);
    expect(story.healths).toEqual(['unknown', 'inactive', 'healthy']);
    expect(story.state?.record.inactiveSince).toBeUndefined();
  });

  it('TW-NOD-015: without its lease good probes do not bring it back, and a heartbeat does', () => {
    const story = begun();
    story.beat();
    story.pass(60);
    story.lease();
    for (let probe = 0; probe < 5; probe += 1) {
      story.probe(true);
      story.pass(10);
    }
    expect(story.health).toBe('inactive');
    story.beat();
    expect(story.healths).toEqual(['unknown', 'healthy', 'inactive', 'healthy']);
  });

  it('TW-NOD-017: a serverless node has no lease, and nothing makes it inactive', () => {
    const story = begun({ deployment: 'serverless' });
    expect(leaseEnd(story.state as NodeState)).toBe(Number.POSITIVE_INFINITY);
    story.pass(1e6);
    story.lease();
    for (let probe = 0; probe < 9; probe += 1) story.probe(false);
    story.demote();
    expect(story.healths).toEqual(['unknown']);
  });

  it('TW-EXE-016: a call that waited in vain makes it inactive', () => {
    const story = begun();
    story.beat();
    expect(story.demote()).toMatchObject({ isChanged: true, state: { record: { health: 'inactive' } } });
    expect(story.demote()).toMatchObject({ isChanged: false, news: [] });
  });

  it('TW-EXE-034: the same process may register again, and it counts from its first time; another one counts anew', () => {
    const story = begun();
    story.beat();
    story.pass(7);
    story.register({ baseUrl: 'http://127.0.0.1:9090' });
    expect(story.state?.record).toMatchObject({ registeredAt: 1_000_000, heardAt: 1_007_000, health: 'unknown' });
    expect(story.state?.record.lastHeartbeatAt).toBeUndefined();
    story.register({ instanceId: 'inst_2' });
    expect(story.state?.record).toMatchObject({ registeredAt: 1_007_000, lifecycle: 'starting' });
  });

  it('TW-EXE-011: has moved with each registration and each heartbeat, and never otherwise', () => {
    const story = begun();
    const seen = [story.seen()];
    const moves = (act: () => unknown, hasIt: boolean) => {
      act();
      expect(hasMoved(story.state as NodeState, seen.at(-1) as NodeSeen)).toBe(hasIt);
      seen.push(story.seen());
    };
    moves(() => story.beat(), true);
    moves(() => story.probe(false), false);
    moves(() => story.demote(), false);
    moves(() => story.register(), true);
    story.take({ type: 'remove' });
    story.pass(1);
    moves(() => story.register(), true);
    expect(new Set(seen.map((one) => one.moves)).size).toBe(4);
  });

  it('TW-NOD-021: after a start a lease that ran out meanwhile is not over before the node could be heard', () => {
    const story = begun();
    story.beat();
    story.pass(3_600);
    story.state = restored((story.state as NodeState).record, story.now + 15_000);
    story.lease();
    expect(story.health).toBe('healthy');
    story.pass(15);
    story.lease();
    expect(story.health).toBe('inactive');
  });
});

describe('whatever the order', () => {
  it('TW-NOD-018: heartbeats every 2 s, one failing probe in five, 5 minutes: health never flaps', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4 }),
        fc.integer({ min: 0, max: 1_999 }),
        fc.nat(4_999),
        (bad, late, took) => {
          const story = begun();
          story.now += late;
          for (let ms = 0; ms < 300_000; ms += 1_000) {
            if (ms % 2_000 === 0) story.beat();
            if (ms % 10_000 === 0) {
              const { seen, at } = { seen: story.seen(), at: story.now };
              const isGood = (ms / 10_000) % 5 !== bad;
              // A slow one comes back after heartbeats that it did not see.
              for (let gone = 2_000; !isGood && gone <= took; gone += 2_000) story.beat();
              story.probe(isGood, seen, at);
            }
            story.lease();
            story.now += 1_000;
          }
          expect(story.healths).toEqual(['unknown', 'healthy']);
        },
      ),
    );
  });

  const seconds = fc.integer({ min: 0, max: 40 });
  const event = fc.oneof(
    { weight: 4, arbitrary: fc.constant('beat' as const) },
    { weight: 1, arbitrary: fc.constant('stale' as const) },
    { weight: 4, arbitrary: fc.constant('good' as const) },
    { weight: 4, arbitrary: fc.constant('bad' as const) },
    { weight: 2, arbitrary: fc.constant('late' as const) },
    { weight: 4, arbitrary: fc.constant('lease' as const) },
    { weight: 1, arbitrary: fc.constant('demote' as const) },
    { weight: 1, arbitrary: fc.constant('register' as const) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
    { weight: 1, arbitrary: fc.constant('orchestrator' as const) },
  );
  const script = fc.array(fc.tuple(event, seconds), { minLength: 20, maxLength: 120 });

  it('TW-NOD-014: 1,000 shuffled orders hold what health means', () => {
    fc.assert(
      fc.property(script, fc.boolean(), (events, isResident) => {
        const deployment = isResident ? 'resident' : 'serverless';
        const story = begun({ deployment });
        let [instance, seen] = [1, story.seen()];
        for (const [name, wait] of events) {
          story.pass(wait);
          const before = story.state as NodeState;
          const acts: Record<typeof name, () => unknown> = {
            beat: () => story.beat(`inst_${instance}`),
            stale: () => story.beat(`inst_${instance - 1}`),
            good: () => story.probe(true),
            bad: () => story.probe(false),
            late: () => story.probe(false, seen),
            lease: () => story.lease(),
            demote: () => story.demote(seen),
            register: () => story.register({ deployment, instanceId: `inst_${instance}` }),
            restart: () => story.register({ deployment, instanceId: `inst_${++instance}` }),
            orchestrator: () => {
              story.state = restored(before.record, story.now + 15_000);
            },
          };
          acts[name]();
          hold(name, before, story, seen);
          if (wait % 3 === 0) seen = story.seen();
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

function hold(name: string, before: NodeState, { state, now }: Story, seen: NodeSeen): void {
  const { record } = state as NodeState;
  if (name === 'beat') expect(record.health).toBe('healthy');
  if (name === 'register' || name === 'restart') expect(record.health).toBe('unknown');
  if (name === 'stale') expect(state).toBe(before);
  // A late checker never overrules a fresh heartbeat.
  if ((name === 'late' || name === 'demote') && hasMoved(before, seen)) expect(record).toBe(before.record);
  if (record.deployment === 'serverless') expect(record.health).not.toBe('inactive');
  if (name === 'lease' && record.deployment === 'resident' && now >= leaseEnd(state as NodeState))
    expect(record.health).toBe('inactive');
  if (record.health === 'healthy' && before.record.health !== 'healthy' && name !== 'beat') {
    expect(now - (state?.goodSince ?? now)).toBeGreaterThanOrEqual(5_000);
    expect(now).toBeLessThan(leaseEnd(state as NodeState));
  }
  if (record.health === 'inactive' && before.record.health !== 'inactive') {
    const isLate = now >= leaseEnd(state as NodeState);
    expect(name === 'demote' || isLate || (state?.failedProbes ?? 0) >= 3).toBe(true);
  }
  expect(record.inactiveSince !== undefined).toBe(record.health === 'inactive');
}
