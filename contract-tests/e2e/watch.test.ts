import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { byItself } from '../demo/gate.ts';
import { audit } from '../demo/ledger.ts';
import { answerGate, begin } from '../demo/runs.ts';
import { scripted } from '../demo/story.ts';
import { PrismWatch } from './prism.ts';
import { Recorder } from './recorder.ts';
import { diffs, type Stage, script, stage } from './stage.ts';

const documents = ['orchestrator', 'harness', 'custodian'] as const;

let set: Stage | undefined;
const recorders = {} as Record<(typeof documents)[number], Recorder>;

afterEach(async () => {
  for (const recorder of Object.values(recorders)) await recorder.close();
  set?.clear();
});

/** How each role is started, and started again: everybody meets everybody through a relay. */
type Starts = Readonly<Record<(typeof documents)[number], () => Promise<unknown>>>;

/** A run of `review` from start to end, every hop of it through a relay that records. */
async function watchedRun(meanwhile: (starts: Starts) => Promise<void> = async () => undefined): Promise<string> {
  set = await stage();
  const { cast, timeline } = set;
  for (const role of documents) recorders[role] = new Recorder(cast.url(role));
  const at = {
    orchestrator: await recorders.orchestrator.listen(),
    harness: await recorders.harness.listen(),
    custodian: await recorders.custodian.listen(),
  };
  const model = await scripted(cast, timeline, script);
  const starts: Starts = {
    orchestrator: () => cast.orchestrator({ TURNWIRE_HARNESS_URL: at.harness, REVIEW_CHECKS_TAKE_MS: '400' }),
    custodian: () => cast.custodian({ TURNWIRE_ORCHESTRATOR_URL: at.orchestrator }),
    harness: () => cast.harness(model, { TURNWIRE_CUSTODIAN_URL: at.custodian }),
  };
  for (const role of documents) if (role !== 'harness') await starts[role]();
  await starts.harness();
  const peer = { url: at.orchestrator, token: cast.instanceToken };
  const feed = set.feed(peer);
  const run = await begin(peer, timeline, 'run 1', {
    title: 'A change',
    diff: readFileSync(diffs('backoff-jitter.diff'), 'utf8'),
  });
  await Promise.all([answerGate(peer, feed, byItself, run), meanwhile(starts)]);
  for (const path of [
    '/runs',
    `/runs/${run}`,
    '/workflows',
    '/workflows/review',
    '/.well-known/turnwire',
    '/runs/none',
    '/metrics',
  ]) {
    await (await fetch(peer.url + path, { headers: { authorization: `Bearer ${peer.token}` } })).text();
  }
  return run;
}

it('a run without faults: no exchange of any role violates the spec', { timeout: 120_000 }, async () => {
  const run = await watchedRun();
  const { cast, timeline, text } = set as Stage;
  const facts = await audit(cast, [run], timeline.routability);
  await cast.stop();
  expect(facts, text()).toMatchObject({ runsEnded: 1, admissionsTaken: 1, lost: 0, runTwice: 0, findings: [] });
  for (const document of documents) {
    const watch = await PrismWatch.of(document);
    const { exchanges } = recorders[document];
    const violations = (await Promise.all(exchanges.map((exchange) => watch.check(exchange)))).flat();
    expect(violations, document).toEqual([]);
  }
  const seen = (document: (typeof documents)[number]) =>
    recorders[document].exchanges.map(
      ({ method, url, status }) => `${method} ${url.replace(/\?.*/, '').replace(/[^/]*_[^/]*/g, '*')} ${status}`,
    );
  expect(seen('custodian')).toEqual(
    expect.arrayContaining(['POST /agents/*/events 202', 'POST /agents/*/events 200', 'GET /agents/*/surface 200']),
  );
  expect(seen('harness').filter((line) => line.startsWith('POST'))).toHaveLength(1);
});

/** How long a role stays away, in milliseconds. */
const DEAD_MS = 300;

it('a run in which every role dies and comes back: no exchange of any role violates the spec', {
  timeout: 120_000,
}, async () => {
  const run = await watchedRun(async (starts) => {
    for (const role of ['orchestrator', 'custodian', 'harness'] as const) {
      // At work on something that goes through the relays, and not at a moment of the clock alone.
      const before = recorders.custodian.exchanges.length;
      const deadline = performance.now() + 5_000;
      while (recorders.custodian.exchanges.length === before && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 10));
      // A Harness that is killed has a turn in flight to lose, and says so; one that drains loses none.
      await (set as Stage).cast.running.get(role)?.stop(role === 'harness' ? 'SIGTERM' : 'SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, DEAD_MS));
      await starts[role]();
    }
  });
  const { cast, timeline, text } = set as Stage;
  const facts = await audit(cast, [run], timeline.routability);
  await cast.stop();
  expect(facts, text()).toMatchObject({ runsEnded: 1, lost: 0, runTwice: 0, findings: [] });
  for (const document of documents) {
    const watch = await PrismWatch.of(document);
    const { exchanges } = recorders[document];
    expect(exchanges.length, document).toBeGreaterThan(0);
    const violations = (await Promise.all(exchanges.map((exchange) => watch.check(exchange)))).flat();
    expect(violations, document).toEqual([]);
  }
});
