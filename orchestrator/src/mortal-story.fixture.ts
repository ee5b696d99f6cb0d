/** A recorded scenario on processes that die: an agent that works, asks and finishes, and a person at two gates. */
import { answerGate, type Delivered, deliver, getRun, startRun } from '@turnwire/sdk';
import { expect } from 'vitest';
import type { Submission } from './host/harness.fixture.ts';
import { until } from './host/world.fixture.ts';
import { MortalOrchestrator } from './mortal.fixture.ts';

const open = new Set<MortalOrchestrator>();

export async function closeAll(): Promise<void> {
  await Promise.all([...open].map((world) => world.close()));
  open.clear();
}

export interface Story {
  world: MortalOrchestrator;
  runId: string;
  /** Every receipt that an agent was given, by its delivery. */
  told: Map<string, Delivered>;
}

/** The agent of the story: notes twice, has checks made, asks a person, finishes, and settles some time after its last receipt. */
async function agent(world: MortalOrchestrator, submission: Submission, told: Story['told']): Promise<void> {
  const { iid, turnId } = submission;
  const picks = [
    ['note', {}],
    ['check', {}],
    ['note', {}],
    ['ask', {}],
    ['finish', { summary: 's' }],
  ] as const;
  for (const [index, [event, input]] of picks.entries()) {
    const deliveryId = `${turnId}-${index}`;
    const request = { iid, turnId, event, input, deliveryId, clientDeliveryIds: true };
    const delivered = await deliver(world.agents, request);
    told.set(deliveryId, delivered);
    if (delivered.turnComplete || delivered.kind === 'error') break;
  }
  world.harness.settle(submission);
}

export async function story(kill?: string, always = false): Promise<Story> {
  const world = await MortalOrchestrator.open();
  open.add(world);
  const told: Story['told'] = new Map();
  const agents: Promise<void>[] = [];
  world.harness.onSubmission = (submission) => void agents.push(agent(world, submission, told));
  await world.live(kill, always);
  const { runId } = await startRun(world.people, { workflow: 'flow', input: { task: 't' }, key: 'start' });
  const person = async (gate: string, event: string, input: Record<string, string>) => {
    const found = await until(
      gate,
      async () => (await getRun(world.people, { runId })).gates.find((one) => one.gate === gate),
      120_000,
    );
    await answerGate(world.people, { runId, gate: found.gateId, event, input, key: `answer-${gate}` });
  };
  await person('question', 'say', { text: 'yes' });
  await person('merge', 'approve', {});
  await Promise.all(agents);
  await world.quiet();
  return { world, runId, told };
}

/** The "must never happen" lines, against what the Harness and the agent saw. */
export async function held({ world, runId, told }: Story, where: string): Promise<void> {
  const { submissions, admissions } = world.harness;
  const say = (what: string) => `${what}, killed ${where}`;
  expect(submissions, say('one turn')).toHaveLength(1);
  expect(new Set(admissions.map(({ key, body }) => key + body)).size, say('one intent')).toBe(1); // TW-DUR-020
  expect(world.rows('SELECT run_id FROM runs'), say('one run')).toHaveLength(1);
  const deliveries = world.rows('SELECT * FROM deliveries');
  for (const [deliveryId, delivered] of told) {
    const row = deliveries.find((one) => one.delivery_id === deliveryId);
    expect(row?.transitions, say(`${deliveryId} one transition`)).toBe(1); // TW-PIC-013
    const answer = { event: delivered.receipt?.event, moved: delivered.receipt?.moved };
    expect(JSON.parse(String(row?.receipt)), say('the receipt that was told')).toMatchObject(answer); // TW-PIC-012
  }
  expect(deliveries, say('five picks')).toHaveLength(5);
  const view = await getRun(world.people, { runId });
  // Each of two notes once: an effect that was taken twice, or forgotten, would show here.
  expect(view, say('the end')).toMatchObject({ status: 'done', context: { notes: 2, said: 'yes', findings: ['ok'] } });
  const intents = world.rows('SELECT * FROM intents');
  expect(intents, say('one intent row')).toHaveLength(1);
  expect(intents[0]?.admission !== null && intents[0]?.fault === null, say('one Admission')).toBe(true); // TW-DUR-018
  expect(intents[0]?.settlement, say('one Settlement')).not.toBeNull(); // TW-DUR-019
  const count = (type: string) => world.rows(`SELECT 1 FROM feed WHERE type = '${type}'`).length;
  expect([count('execution.started'), count('execution.succeeded')], say('executions')).toEqual([1, 1]); // TW-FED-007
  expect([count('gate.opened'), count('gate.closed')], say('gates')).toEqual([2, 2]);
}
