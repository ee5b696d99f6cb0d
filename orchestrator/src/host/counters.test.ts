import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@turnwire/server';
import { afterEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../api/metrics.ts';
import type { Service } from '../api/service.ts';
import { hostedWorkflow } from '../run/ledger.fixture.ts';
import { codingMachine } from '../run/machines.fixture.ts';
import { StoreError } from '../store/port.ts';
import { FakeHarness } from './harness.fixture.ts';
import { fixedPlacements, openHost } from './index.ts';
import type { RunHost } from './port.ts';
import { until, World } from './world.fixture.ts';

let end: () => Promise<unknown> = async () => {};
afterEach(() => end());

async function begun() {
  const world = await World.open({ machine: codingMachine() });
  end = () => world.close();
  const { runId } = await world.host.start('test', { task: 't' });
  const submission = await until('the admission', () => world.harness.submissions[0]);
  const pick = (event: string, input = {}, deliveryId = event) =>
    world.host.pick('local', submission.iid, { turnId: submission.turnId, deliveryId, event, input });
  const count = (name: string) => world.host.counters()[name] ?? 0;
  return { world, runId, submission, pick, count };
}

describe('every counter moves', () => {
  it('with a run, its turn, its picks and its commits', async () => {
    const { world, runId, pick, count } = await begun();
    await until('the turn', () => count('feed_events_total{type="execution.running"}') === 1);
    expect([count('runs_live'), count('turns_open'), count('runs_drifted')]).toEqual([1, 1, 0]);
    const before = { commits: count('commits_total'), steps: count('steps_total') };
    await pick('note');
    await pick('never');
    expect(count('pick_transitions_total')).toBe(1);
    expect(count('commits_total')).toBeGreaterThan(before.commits);
    expect(count('steps_total')).toBeGreaterThan(before.steps);
    expect(count('feed_events_total{type="pick"}')).toBe(2);
    await pick('finish', { summary: 's' });
    await world.host.answerGate(runId, 'merge', 'approve', {});
    expect(count('runs_ended_total{status="done"}')).toBe(1);
    expect(count('feed_events_total{type="execution.started"}')).toBe(1);
    expect(count('feed_events_total{type="execution.succeeded"}')).toBe(1);
    expect(count('feed_events_total{type="gate.opened"}')).toBe(1);
    expect(count('feed_events_total{type="gate.closed"}')).toBe(1);
  });

  it('with a nudge', async () => {
    const { world, submission, count } = await begun();
    world.harness.settle(submission);
    await until('the nudge', () => count('turn_retries_total{reason="nudge"}') === 1);
  });

  it('with a poll and a reader of a feed, and back', async () => {
    const { world, submission, runId, pick, count } = await begun();
    await pick('ask');
    const reader = new AbortController();
    const reading = (async () => {
      for await (const _ of world.host.feed(runId, reader.signal));
    })();
    const polling = world.host.delivery('local', submission.iid, 'ask', 5_000, reader.signal);
    await until('both', () => count('polls_parked') === 1 && count('feeds_open') === 1);
    reader.abort();
    await Promise.all([reading, polling]);
    expect([count('polls_parked'), count('feeds_open')]).toEqual([0, 0]);
  });

  it('with an effect that comes to nothing because nothing can be written', async () => {
    const world = await World.open({ machine: codingMachine() });
    end = () => world.close();
    const { commit } = world.store;
    let commits = 0;
    // The run's start is written; that its prompt is about to be sent is not, at first.
    world.store.commit = (batch) => {
      commits += 1;
      return commits === 2 ? Promise.reject(new StoreError('unavailable', 'the disk is full')) : commit(batch);
    };
    await world.host.start('test', { task: 't' });
    await until('the admission', () => world.harness.submissions.length === 1);
    expect(world.host.counters().effect_failures_total).toBe(1);
  });

  it('with a run whose workflow has changed shape', async () => {
    const { world, count } = await begun();
    world.machine = codingMachine({ lateAgain: true });
    await world.restart();
    expect(count('runs_drifted')).toBe(1);
  });

  it('with a call that took more than one attempt (TW-RET-022), and all of them are told as metrics', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnwire-counters-'));
    const harness = await new FakeHarness().start();
    const host = await openHost({
      databaseUrl: `file:${join(folder, 'runs.db')}`,
      waitMs: 1_000,
      loaded: { workflows: new Map([['test', hostedWorkflow(codingMachine())]]), refused: new Map() },
      placements: fixedPlacements({ local: { baseUrl: harness.url, token: 't' } }),
      harnessToken: () => 't',
      defaultPlacement: 'local',
      log: { info() {}, warn() {}, error() {} } as unknown as Logger,
    });
    end = async () => {
      await host.stop();
      await harness.stop();
      rmSync(folder, { recursive: true });
    };
    harness.fates = ['drain', 'take'];
    await host.start('test', { task: 't' });
    await until('the admission', () => harness.submissions.length === 1);
    await until('its line', () => host.counters()['routability_total{seat="admission",ok="true"}'] === 1);
    const { text } = createMetrics({ peek: () => host as RunHost } as unknown as Service);
    await text();
    const { body } = await text();
    expect(body).toContain('# TYPE turnwire_routability_total counter');
    expect(body).toContain('turnwire_routability_total{seat="admission",ok="true"} 1');
    expect(body).toContain('# TYPE turnwire_runs_live gauge\nturnwire_runs_live 1');
    expect(body).toContain('turnwire_feed_events_total{type="execution.started"} 1');
  });
});
