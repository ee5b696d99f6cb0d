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
import { takenOf, toldTexts, untold } from './told-text.ts';

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

let set: Stage | undefined;
let faults: Faults | undefined;
afterEach(async () => {
  set?.clear();
  await faults?.close();
});

describe.each(['node', 'envoy'] as const)('faults between the custodian on %s and the orchestrator', (engine) => {
  it('leave every run ended once, and no model told what is not so', { timeout: 150_000 }, async (context) => {
    if (engine === 'envoy' && envoyProgram() === undefined) return context.skip(noEnvoy);
    set = await stage(engine);
    const { cast, timeline, text } = set;
    const model = await scripted(cast, timeline, script);
    await cast.orchestrator({ REVIEW_CHECKS_TAKE_MS: '400' });
    faults = await startFaults({ upstream: cast.url('orchestrator'), script: { steps } });
    await cast.custodian({ TURNWIRE_ORCHESTRATOR_URL: faults.url });
    await cast.harness(model);
    const peer = { url: cast.url('orchestrator'), token: cast.instanceToken };
    const feed = set.feed(peer);
    const diff = readFileSync(diffs('backoff-jitter.diff'), 'utf8');
    const titles = Array.from({ length: runs }, (_, index) => `[change-${index}]`);
    const ids = await Promise.all(titles.map((title) => begin(peer, timeline, `run ${title}`, { title, diff })));
    await Promise.all(ids.map((id) => answerGate(peer, feed, byItself, id)));

    const done = new Set(faults.requests.filter(({ method }) => method === 'POST').map(({ fault }) => fault));
    expect([...new Set(toPicks.map(({ fault }) => fault))].filter((fault) => !done.has(fault))).toEqual([]);
    const facts = await audit(cast, ids, timeline.routability);
    expect(facts, text()).toMatchObject({ runsEnded: runs, lost: 0, runTwice: 0, untrue: 0, findings: [], faults: [] });
    const record = join(cast.folder, 'model.jsonl');
    const told = titles.map((title) => toldTexts(record, title));
    expect(told.flat().filter(({ outcome }) => outcome === 'no outcome of the spec')).toEqual([]);
    expect(
      ids.flatMap((id, index) => untold(told[index] ?? [], takenOf(cast.database, id))),
      text(),
    ).toEqual([]);
    // It did compare something: each run ran the checks, and its model was told of them.
    expect(told.every((texts) => texts.some(({ claim }) => claim === 'taken'))).toBe(true);
  });
});
