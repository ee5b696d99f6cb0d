/** A real SIGKILL under many runs, each with a turn in flight: all of them go on, none twice, and a poisoned one alone stands. */
import { deliver, getRun, listRuns, startRun } from '@turnwire/sdk';
import { afterEach, expect, it } from 'vitest';
import { until } from './host/world.fixture.ts';
import { MortalOrchestrator } from './mortal.fixture.ts';

let world: MortalOrchestrator | undefined;
afterEach(() => world?.close());

const RUNS = 500;

it('500 runs, one of them poisoned: 499 re-attach and end, none is admitted twice, one is named (TW-DUR-013, TW-DUR-016, TW-DUR-017)', async () => {
  world = await MortalOrchestrator.open();
  const { people, agents, harness } = world;
  await world.start();
  const lanes = Array.from({ length: 20 }, async () => {
    for (let n = 0; n < RUNS / 20; n += 1) await startRun(people, { workflow: 'flow', input: { task: 't' } });
  });
  await Promise.all(lanes);
  const attached = () => world?.rows('SELECT count(*) AS n FROM intents WHERE admission IS NOT NULL')[0]?.n === RUNS;
  await until('every Admission', attached, 30_000);
  await world.kill();
  const [poisoned] = world.rows('SELECT run_id FROM runs LIMIT 1 OFFSET 250').map((row) => String(row.run_id));
  world.write("UPDATE runs SET document = '{' WHERE run_id = ?", poisoned);
  const starting = world.start();
  // Requests for its runs meet the recovery: they wait at the door, and each is delivered once.
  const early = harness.submissions.filter(({ iid }) => !iid.startsWith(`${poisoned}.`)).slice(0, 10);
  const met = early.map(({ iid, turnId }) =>
    deliver(agents, { iid, turnId, event: 'note', input: {}, deliveryId: `early-${turnId}`, clientDeliveryIds: true }),
  );
  await starting;
  for (const delivered of await Promise.all(met)) expect(delivered).toMatchObject({ code: 'moved' });
  for (const submission of harness.submissions) harness.settle(submission, 'failed', 'engine_failed');
  await until('499 ends', () => world?.rows('SELECT run_id FROM runs WHERE live = 1').length === 1, 60_000);
  expect(harness.admissions).toHaveLength(RUNS);
  expect(new Set(harness.submissions.map(({ key }) => key)).size).toBe(RUNS);
  const { items } = await listRuns(people, { status: 'drifted' });
  expect(items).toMatchObject([{ runId: poisoned, status: 'drifted', fault: { reason: expect.any(String) } }]);
  for (const { iid } of early) {
    const view = await getRun(people, { runId: iid.split('.')[0] as string });
    expect(view).toMatchObject({ value: 'failed', context: { notes: 1 } });
  }
}, 120_000);
