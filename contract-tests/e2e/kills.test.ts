import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, ModelEnv } from '../demo/cast.ts';
import { byItself } from '../demo/gate.ts';
import { audit } from '../demo/ledger.ts';
import { answerGate, begin } from '../demo/runs.ts';
import { scripted } from '../demo/story.ts';
import { envoyProgram } from '../engines/envoy.ts';
import { diffs, type Stage, script, stage } from './stage.ts';

type Role = 'orchestrator' | 'harness' | 'custodian';
const RUNS = 3;
/** The runs are over after about this long when nothing is killed, in milliseconds: kills land anywhere in it. */
const SPAN_MS = 3_000;
const DEAD_MS = 300;

let set: Stage | undefined;
afterEach(() => set?.clear());

const start: Record<Role, (stage: Stage, model: ModelEnv) => Promise<unknown>> = {
  orchestrator: ({ cast }) => cast.orchestrator({ REVIEW_CHECKS_TAKE_MS: '500' }),
  custodian: ({ cast }) => cast.custodian(),
  harness: ({ cast }, model) => cast.harness(model),
};

/** Several runs at once, one role killed with SIGKILL at a moment of them and started again. */
async function killed(role: Role, engine: Engine, afterMs: number) {
  set = await stage(engine);
  const here = set;
  const { cast, timeline } = here;
  const model = await scripted(cast, timeline, script);
  for (const each of ['orchestrator', 'custodian', 'harness'] as const) await start[each](here, model);
  const peer = { url: cast.url('orchestrator'), token: cast.instanceToken };
  const feed = here.feed(peer);
  const diff = readFileSync(diffs('backoff-jitter.diff'), 'utf8');
  const kill = sleep(afterMs).then(async () => {
    await cast.running.get(role)?.stop('SIGKILL');
    timeline.say(role, 'killed (SIGKILL)');
    await sleep(DEAD_MS);
    await start[role](here, model);
    timeline.say(role, 'up again');
  });
  const runs = await Promise.all(
    Array.from({ length: RUNS }, (_, index) =>
      begin(peer, timeline, `run ${index}`, { title: `Change ${index}`, diff }),
    ),
  );
  await Promise.all([kill, ...runs.map((run) => answerGate(peer, feed, byItself, run))]);
  return audit(cast, runs, timeline.routability);
}

// The moments are drawn anew at each run of the tests, and named in its title: a failure can be played again.
const moments = Array.from({ length: 3 }, (_, index) => Math.round(((index + Math.random()) * SPAN_MS) / 3));

describe.each([
  ['orchestrator', 'node'],
  ['harness', 'node'],
  ['custodian', 'node'],
  ['custodian', 'envoy'],
] as const)('SIGKILL of the %s, the custodian on %s', (role, engine) => {
  it.skipIf(engine === 'envoy' && envoyProgram() === undefined).each(moments)(
    'after %i ms: every run ends, nothing is lost or run twice',
    { timeout: 90_000 },
    async (afterMs) => {
      const facts = await killed(role, engine, afterMs);
      const { text } = set as Stage;
      expect(facts, text()).toMatchObject({ runsEnded: RUNS, lost: 0, runTwice: 0, untrue: 0, findings: [] });
      expect(facts.picksTaken, text()).toBe(facts.transitions);
    },
  );
});
