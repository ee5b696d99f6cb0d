/** A process that dies at each commit of a run, and is started again on the same database: what must never happen does not. */
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { codingMachine } from '../run/machines.fixture.ts';
import type { DeliveryAnswer } from '../run/views.ts';
import { openStore } from '../store/open.ts';
import type { Submission } from './harness.fixture.ts';
import { until, World } from './world.fixture.ts';

let world: World;
afterEach(() => world?.close());

/** Asks whichever process lives, again and again, as a client of the wire does. */
async function asked<T>(ask: (host: World['host']) => Promise<T>): Promise<T> {
  for (;;) {
    const { store, host } = world;
    const died = until('an answer or a death', () => store.dead, 10_000).then(() => 'died' as const);
    const answer = store.dead ? 'died' : await Promise.race([ask(host), died]);
    if (answer !== 'died') return answer as T;
    await until('the next process', () => world.store !== store && !world.store.dead);
  }
}

/** Every 2xx that was sent for a delivery. */
let answered: Map<string, DeliveryAnswer>;

/** What an agent in a Harness does: asks for checks, waits for them, finishes. */
async function agent(submission: Submission): Promise<void> {
  const { iid, turnId } = submission;
  const pick = async (deliveryId: string, event: string, input: Record<string, string>) => {
    const body = { turnId, deliveryId: `${deliveryId}-${turnId}`, event, input };
    let answer = await asked((host) => host.pick('local', iid, body));
    answered.set(body.deliveryId, answer);
    while (answer.status === 202) answer = await asked((host) => host.delivery('local', iid, body.deliveryId, 500));
    answered.set(body.deliveryId, answer);
    return answer.receipt;
  };
  const checked = await pick('d1', 'check', {});
  expect(checked).toMatchObject({ moved: true, answer: ['ok'] });
  const finished = await pick('d2', 'finish', { summary: 's' });
  expect(finished).toMatchObject({ turnComplete: true });
  world.harness.settle(submission);
}

async function scenario(dieAfter: number | undefined, learned: boolean) {
  answered = new Map();
  world = await World.open({ machine: codingMachine(), learned });
  const agents: Promise<void>[] = [];
  world.harness.onSubmission = (submission) => {
    const working = agent(submission).catch((error: { code?: string }) => {
      if (error.code !== 'turn_over') throw error;
      world.harness.settle(submission, 'aborted', 'turn_over');
    });
    agents.push(working);
  };
  if (dieAfter !== undefined) {
    world.kill();
    await world.start(dieAfter);
    void until('the death', () => world.store.dead, 10_000).then(() => world.start());
  }
  const { runId } = await asked((host) => host.start('test', { task: 't' }, 'start-key'));
  const gated = await until(
    'the gate or the end',
    async () => {
      const view = await asked((host) => host.run(runId));
      return view && (view.gates.length > 0 || view.status !== 'active') ? view : undefined;
    },
    10_000,
  );
  if (gated.status === 'active') {
    const { gateId } = gated.gates[0] as { gateId: string };
    await asked((host) => host.answerGate(runId, gateId, 'approve', {}, 'gate-key'));
  }
  await Promise.all(agents);
  await until('nothing to be owed', () => !world.store.dead && world.host.counters().runs_live === 0, 10_000);
  return { runId, view: await asked((host) => host.run(runId)), commits: world.store.commits };
}

const rows = (sql: string): Record<string, string | number | null>[] => {
  const database = new Database(world.file.slice('file:'.length), { readonly: true });
  try {
    return database.prepare(sql).all() as Record<string, string | number | null>[];
  } finally {
    database.close();
  }
};

/** The ledger's invariants, against what the Harness saw arrive. */
function nothingLostOrDoubled(): void {
  const { submissions } = world.harness;
  expect(new Set(submissions.map(({ key }) => key)).size).toBe(submissions.length); // TW-DUR-020
  for (const intent of rows('SELECT * FROM intents')) {
    const ends = [intent.admission !== null, intent.admission === null && intent.fault !== null];
    expect(ends.filter(Boolean)).toHaveLength(1); // TW-DUR-018
    if (intent.admission !== null) expect([intent.settlement, intent.fault].some((end) => end !== null)).toBe(true); // TW-DUR-019
    if (intent.fault === 'unsent') expect(submissions.some(({ key }) => key === intent.key)).toBe(false);
  }
  const deliveries = rows('SELECT * FROM deliveries');
  expect(new Set(deliveries.map((row) => row.delivery_id)).size).toBe(deliveries.length);
  for (const [deliveryId, answer] of answered) {
    const row = deliveries.find((one) => one.delivery_id === deliveryId);
    expect(row).toMatchObject({ transitions: 1, status: 'delivered' }); // TW-PIC-012, TW-PIC-013
    if (answer.status === 200) expect(JSON.parse(String(row?.receipt))).toEqual(answer.receipt);
  }
  const started = rows("SELECT count(*) AS n FROM feed WHERE type = 'execution.started'");
  const ended = rows(
    "SELECT count(*) AS n FROM feed WHERE type IN ('execution.succeeded','execution.failed','execution.cancelled','execution.timed_out')",
  );
  expect(started[0]?.n).toBe(ended[0]?.n); // TW-FED-007
}

describe('death at every commit', () => {
  it('with the Harness known: the run ends as if nothing had happened (TW-DUR-013, TW-DUR-014)', async () => {
    const { commits } = await scenario(undefined, true);
    nothingLostOrDoubled();
    expect(commits).toBeGreaterThan(7);
    for (let at = 1; at < commits; at += 1) {
      await world.close();
      const { view } = await scenario(at, true);
      expect(view, `dead after commit ${at}`).toMatchObject({ status: 'done', value: 'done' });
      expect(world.harness.submissions, `dead after commit ${at}`).toHaveLength(1);
      expect(rows('SELECT run_id FROM runs')).toHaveLength(1);
      nothingLostOrDoubled();
    }
  }, 60_000);

  it('at first contact: one turn, or one named fault (TW-RET-003)', async () => {
    for (let at = 1; at <= 3; at += 1) {
      await world?.close();
      const { view } = await scenario(at, false);
      nothingLostOrDoubled();
      expect(world.harness.submissions.length).toBeLessThanOrEqual(1);
      expect(['done', 'failed']).toContain(view?.value);
      if (view?.value === 'failed') {
        expect(rows('SELECT fault FROM intents')).toEqual([{ fault: 'admission_unknown' }]);
      }
    }
  }, 30_000);
});

describe('an admission whose answer is lost', () => {
  it('to a known store is sent again under its key, and is one turn', async () => {
    world = await World.open({ machine: codingMachine() });
    world.harness.fates = ['lose', 'reset'];
    await world.host.start('test', { task: 't' });
    await until('the Admission', () => rows('SELECT admission FROM intents WHERE admission IS NOT NULL').length === 1);
    expect(world.harness.admissions).toHaveLength(3);
    expect(new Set(world.harness.admissions.map(({ key, body }) => key + body)).size).toBe(1);
    expect(world.harness.submissions).toHaveLength(1);
  });

  it('at first contact is the fault admission_unknown, and the turn is ended where it may run', async () => {
    world = await World.open({ machine: codingMachine(), learned: false });
    world.harness.fates = ['lose'];
    const { runId } = await world.host.start('test', { task: 't' });
    await until('the end', async () => (await world.host.run(runId))?.value === 'failed');
    expect(world.harness.admissions).toHaveLength(1);
    await until('the abort', () => world.harness.aborts.length === 1);
    expect(world.harness.aborts[0]?.turnId).toBe(world.harness.submissions[0]?.turnId);
  });

  it('that the Harness refuses while it drains is sent again', async () => {
    world = await World.open({ machine: codingMachine() });
    world.harness.fates = ['drain'];
    await world.host.start('test', { task: 't' });
    await until('the Submission', () => world.harness.submissions.length === 1);
    expect(world.harness.admissions).toHaveLength(2);
  });
});

describe('a Harness that comes late, at first contact', () => {
  const gone = async () => {
    const port = Number(new URL(world.harness.url).port);
    await world.harness.stop();
    return () => world.harness.start(port);
  };
  const begin = async (runs: number) => {
    for (let run = 0; run < runs; run += 1) await world.host.start('test', { task: `t${run}` });
  };
  const admitted = (runs: number) =>
    until('the Admissions', () => rows('SELECT 1 FROM intents WHERE admission IS NOT NULL').length === runs, 10_000);
  const open = async () => {
    world = await World.open({ machine: codingMachine(), learned: false });
    const comes = await gone();
    world.kill();
    await world.start();
    return comes;
  };

  it('loses no turn, however often and whenever the Orchestrator is killed meanwhile (TW-DUR-025)', async () => {
    const comes = await open();
    for (let deaths = 0; deaths < 6; deaths += 1) {
      await begin(3);
      // In the middle of dials, of their ladder, and of whatever is committed.
      await new Promise((resolve) => setTimeout(resolve, deaths * 7));
      await world.restart();
    }
    expect(rows('SELECT fault FROM intents WHERE fault IS NOT NULL OR sent_at IS NOT NULL')).toEqual([]);
    await comes();
    await admitted(18);
    expect(world.harness.submissions).toHaveLength(18);
    expect(rows('SELECT fault FROM intents WHERE fault IS NOT NULL')).toEqual([]);
  }, 20_000);

  it('nor when it is stopped as it should be', async () => {
    const comes = await open();
    await begin(1);
    await until('a dial', () => rows("SELECT 1 FROM executions WHERE status = 'dispatching'").length === 1);
    await world.host.stop();
    await world.harnesses.close();
    world.kill();
    await world.start();
    await comes();
    await admitted(1);
    expect(world.harness.submissions).toHaveLength(1);
  });

  it('nor when it said that it took no copy (TW-RET-020)', async () => {
    world = await World.open({ machine: codingMachine(), learned: false });
    world.harness.fates = ['drain'];
    await begin(1);
    await until('the first copy', () => world.harness.admissions.length === 1);
    await until(
      'that it was not taken',
      () => JSON.parse(String(rows('SELECT document FROM runs')[0]?.document)).turns[0].intent.doubt === false,
    );
    await world.restart();
    await admitted(1);
    expect(world.harness.submissions).toHaveLength(1);
  });

  it('a copy that left with the process that died is in doubt, and without a store a fault (TW-RET-003)', async () => {
    world = await World.open({ machine: codingMachine(), learned: false });
    world.harness.fates = ['hang'];
    await begin(1);
    await until('the copy', () => world.harness.admissions.length === 1);
    await world.restart();
    await until('the fault', () => rows("SELECT 1 FROM intents WHERE fault = 'admission_unknown'").length === 1);
    expect(world.harness.admissions).toHaveLength(1);
  });
});

describe('a Harness of which only the store is known', () => {
  it('is asked what it can before a turn in doubt is a fault', async () => {
    world = await World.open({ machine: codingMachine(), learned: false });
    world.kill();
    const store = await openStore(world.file, { waitMs: 1_000 });
    await store.commit([{ placements: [{ placement: 'local', store: world.harness.store, at: 1 }] }]);
    store.close();
    await world.start();
    world.harness.fates = ['lose'];
    await world.host.start('test', { task: 't' });
    await until('the Admission', () => rows('SELECT 1 FROM intents WHERE admission IS NOT NULL').length === 1);
    expect(world.harness.admissions).toHaveLength(2);
    expect(world.harness.submissions).toHaveLength(1);
  });
});
