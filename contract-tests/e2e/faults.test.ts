import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { byItself } from '../demo/gate.ts';
import { audit } from '../demo/ledger.ts';
import { answerGate, begin } from '../demo/runs.ts';
import { scripted } from '../demo/story.ts';
import { envoyProgram, noEnvoy } from '../engines/envoy.ts';
import { type Faults, startFaults } from '../src/faults/proxy.ts';
import type { RequestStep } from '../src/faults/script.ts';
import { diffs, type Stage, script, stage } from './stage.ts';
import { type Told, takenOf, toldTexts, untold } from './told-text.ts';
import { WithoutIds } from './without-ids.ts';

/** Between the Custodian and the Orchestrator, each of them to one pick, one after the other. */
const toPicks: readonly Omit<RequestStep, 'on' | 'match' | 'nth'>[] = [
  { fault: 'reset_early' },
  { fault: 'reset_after_request', deliver: false },
  { fault: 'reset_after_request', deliver: true },
  { fault: 'close_after_request', deliver: false },
  { fault: 'close_after_request', deliver: true },
  { fault: 'garbage', deliver: false },
  { fault: 'garbage', deliver: true },
  { fault: 'cut_after_headers' },
  { fault: 'cut_body' },
  { fault: 'cut_body', end: 'rst' },
  { fault: 'broken_json' },
  { fault: 'dies_on_reuse' },
  { fault: 'closes_idle' },
  { fault: 'duplicate' },
  { fault: 'late_copy', ms: 700 },
  { fault: 'slow_read' },
  { fault: 'answer', deliver: true, answer: { status: 502, body: 'bad gateway' } },
  { fault: 'answer', deliver: false, answer: { status: 503, body: 'no healthy upstream' } },
  { fault: 'answer', deliver: false, answer: { status: 200, body: '<h1>an ingress</h1>' } },
  { fault: 'answer', deliver: true, answer: { status: 404, body: '<h1>an ingress</h1>' } },
  { fault: 'reset_after_request', deliver: true, downMs: 1_200 },
];
const toReads: readonly RequestStep[] = [
  { on: 'request', match: 'GET /agents/*/surface', nth: 2, fault: 'reset_after_request' },
  { on: 'request', match: 'GET /agents/*/surface', nth: [5, 6], fault: 'close_after_request' },
  { on: 'request', match: 'GET /agents/*/deliveries/*', nth: 1, fault: 'reset_after_request' },
  { on: 'request', match: 'GET /agents/*/deliveries/*', nth: 3, fault: 'cut_body' },
  { on: 'request', match: 'GET /agents/*/deliveries/*', nth: 5, fault: 'garbage' },
];
const picks = 'POST /agents/*/events';
const steps = [
  ...toPicks.map((step, index): RequestStep => ({ on: 'request', match: picks, nth: index + 1, ...step })),
  ...toReads,
];
const runs = 14;
const titles = Array.from({ length: runs }, (_, index) => `[change-${index}]`);

let set: Stage | undefined;
let faults: Faults | undefined;
let relay: WithoutIds | undefined;
afterEach(async () => {
  relay?.close();
  set?.clear();
  await faults?.close();
});

const engines = ['node', 'envoy'] as const;

describe.each(engines)('faults between the custodian on %s and the orchestrator', (engine) => {
  const missing = engine === 'envoy' && envoyProgram() === undefined;

  it('leave every run ended once, and no model told what is not so', { timeout: 150_000 }, async (context) => {
    if (missing) return context.skip(noEnvoy);
    const { ids, here } = await played(engine);
    const facts = await audit(here.cast, ids, here.timeline.routability);
    const held = { runsEnded: runs, lost: 0, runTwice: 0, untrue: 0, findings: [], faults: [] };
    expect(facts, here.text()).toMatchObject(held);
    const told = compared(here, ids);
    // It did compare something: each run ran the checks, and its model was told of them.
    expect(told.every((texts) => texts.some(({ claim }) => claim === 'taken'))).toBe(true);
  });

  it('tell no model that a pick did not reach that was taken, where none can be looked up', {
    timeout: 150_000,
  }, async (context) => {
    if (missing) return context.skip(noEnvoy);
    const { ids, here } = await played(engine, { withoutIds: true });
    const { lost, runTwice, untrue } = await audit(here.cast, ids, here.timeline.routability);
    expect({ lost, runTwice, untrue }, here.text()).toEqual({ lost: 0, runTwice: 0, untrue: 0 });
    // Of a pick in doubt the model is told so.
    expect(
      compared(here, ids)
        .flat()
        .map(({ claim }) => claim),
    ).toContain('unknown');
  });
});

/** The runs of a whole cast, with the faults between two of it; resolves when all have ended. */
async function played(engine: (typeof engines)[number], { withoutIds = false } = {}) {
  set = await stage(engine);
  const here = set;
  const { cast, timeline } = here;
  const model = await scripted(cast, timeline, script);
  await cast.orchestrator({ REVIEW_CHECKS_TAKE_MS: '400' });
  faults = await startFaults({ upstream: cast.url('orchestrator'), script: { steps } });
  const { url } = await cast.custodian({ TURNWIRE_ORCHESTRATOR_URL: faults.url });
  relay = withoutIds ? new WithoutIds(url) : undefined;
  await cast.harness(model, relay ? { TURNWIRE_CUSTODIAN_URL: await relay.listen() } : {});
  const peer = { url: cast.url('orchestrator'), token: cast.instanceToken };
  const feed = here.feed(peer);
  const diff = readFileSync(diffs('backoff-jitter.diff'), 'utf8');
  const ids = await Promise.all(titles.map((title) => begin(peer, timeline, `run ${title}`, { title, diff })));
  await Promise.all(ids.map((id) => answerGate(peer, feed, byItself, id)));
  const done = new Set(faults.requests.filter(({ method }) => method === 'POST').map(({ fault }) => fault));
  expect([...new Set(toPicks.map(({ fault }) => fault))].filter((fault) => !done.has(fault))).toEqual([]);
  return { ids, here };
}

/** What each run's model was told, after it was held against what was taken. */
function compared({ cast, text }: Stage, ids: readonly string[]): Told[][] {
  const told = titles.map((title) => toldTexts(join(cast.folder, 'model.jsonl'), title));
  expect(told.flat().filter(({ outcome }) => outcome === 'no outcome of the spec')).toEqual([]);
  expect(
    ids.flatMap((id, index) => untold(told[index] ?? [], takenOf(cast.database, id))),
    text(),
  ).toEqual([]);
  return told;
}
