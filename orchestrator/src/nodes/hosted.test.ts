/** Nodes of a whole host on a database file: what is sent where, and what a restart leaves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@turnwire/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeHarness } from '../host/harness.fixture.ts';
import { fixedPlacements, openHost } from '../host/index.ts';
import type { FeedEvent, RunHost } from '../host/port.ts';
import { until } from '../host/world.fixture.ts';
import { workflowOf } from '../machine/index.ts';
import type { Workflow } from '../machine/port.ts';
import { codingMachine } from '../run/machines.fixture.ts';
import { registration } from './nodes.fixture.ts';

let folder: string;
let harness: FakeHarness;
let host: RunHost;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnwire-nodes-'));
  harness = await new FakeHarness().start();
  host = await open();
});
afterEach(async () => {
  await host.stop();
  await harness.stop();
  rmSync(folder, { recursive: true });
});

const open = () =>
  openHost({
    databaseUrl: `file:${join(folder, 'runs.db')}`,
    waitMs: 5_000,
    loaded: {
      workflows: new Map([['test', workflowOf('test', 'test.ts', codingMachine()) as Workflow]]),
      refused: new Map(),
    },
    // Nobody listens there.
    placements: fixedPlacements({ local: { baseUrl: 'http://127.0.0.1:9', token: 'token of local' } }),
    harnessToken: (placement) => `token of ${placement}`,
    defaultPlacement: 'local',
    log: { info() {}, warn() {}, error() {} } as unknown as Logger,
  });

/** What readers of everything are told, from now on. */
function following() {
  const leave = new AbortController();
  const seen: FeedEvent[] = [];
  const over = (async () => {
    for await (const frame of host.feed(undefined, leave.signal)) seen.push(frame);
  })();
  return {
    seen,
    types: () => seen.map(({ type, data }) => `${type} ${String(data.health ?? '')}`.trim()),
    async end() {
      leave.abort();
      await over;
    },
  };
}

describe('nodes of a host', () => {
  it('TW-NOD-024, TW-TOK-008: work for a placement goes where its node is, with that placement’s token and its store', async () => {
    await host.nodes.register('local', registration({ baseUrl: harness.url, store: harness.store }));
    await host.start('test', { task: 't' });
    await until('the admission', () => harness.submissions.length === 1);
    expect(harness.admissions[0]).toMatchObject({
      authorization: 'Bearer token of local',
      expectStore: harness.store,
    });
  });

  it('what a node did not say of its store is asked when it registers', async () => {
    await host.nodes.register('local', registration({ baseUrl: harness.url }));
    await until('the question', async () => {
      await host.start('test', { task: 't' });
      await until('the admission', () => harness.admissions.length > 0);
      return harness.admissions.splice(0).some(({ expectStore }) => expectStore === harness.store);
    });
  });

  it('TW-NOD-025: the feed begins with the nodes, and tells what becomes of them', async () => {
    await host.nodes.register('local', registration());
    const feed = following();
    await until('the snapshot', () => feed.seen.length === 1);
    expect(feed.seen[0]?.data.nodes).toMatchObject([{ nodeId: 'local', health: 'unknown' }]);
    await host.nodes.heartbeat('local', 'inst_1', 'ready');
    await host.nodes.remove('local');
    await until('the end', () => feed.seen.length === 3);
    await feed.end();
    expect(feed.types()).toEqual(['snapshot', 'node.health healthy', 'node.removed healthy']);
    expect(feed.seen[1]?.data).toMatchObject({ nodeId: 'local', instanceId: 'inst_1', reason: 'a heartbeat' });
    expect(feed.seen.every(({ runId }) => runId === undefined)).toBe(true);
    expect(host.counters()['feed_events_total{type="node.health"}']).toBe(1);
  });

  it('TW-NOD-021: nodes are there after a restart as they were', async () => {
    const agents = [{ name: 'a', output: { type: 'string' } }];
    await host.nodes.register('local', registration({ agents, version: '1', store: 's' }));
    await host.nodes.heartbeat('local', 'inst_1', 'degraded');
    await host.nodes.register('cloud', registration({ deployment: 'serverless' }));
    await host.nodes.register('gone', registration());
    await host.nodes.remove('gone');
    const before = host.nodes.list();
    await host.stop();
    host = await open();
    expect(host.nodes.list()).toEqual(before);
    expect(host.nodes.get('local')).toMatchObject({ health: 'healthy', lifecycle: 'degraded', agents });
    await host.nodes.heartbeat('local', 'inst_1', 'ready');
  });
});
