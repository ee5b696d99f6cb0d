import { describe, expect, it } from 'vitest';
import { assign, createActor, fromPromise } from 'xstate';
import { z } from 'zod';
import { defineAgent, defineEvent, setup } from '../index.ts';
import { machines } from './index.ts';
import { hosting, invokeIdOf, reloaded } from './under-test.ts';

const finish = defineEvent({
  name: 'finish',
  description: 'The work is done.',
  input: z.object({ summary: z.string() }),
});
const runChecks = defineEvent({ name: 'run_checks', input: z.object({}), answer: ({ context }) => context.findings });
const approve = defineEvent({ name: 'approve', by: 'outside', input: z.object({}) });
const reject = defineEvent({ name: 'reject', by: 'outside', input: z.object({ reason: z.string() }) });

const machine = setup({
  input: z.object({ task: z.string() }),
  types: {} as { context: { task: string; summary?: string; findings: string[] } },
  events: [finish, runChecks, approve, reject],
  agents: { coder: defineAgent({ model: 'openai-compatible/any', instructions: 'You write code.' }) },
  actors: { checks: fromPromise(async () => ['ok']) },
}).createMachine({
  context: ({ input }) => ({ task: input.task, findings: [] }),
  initial: 'coding',
  states: {
    coding: {
      invoke: { src: 'coder', input: ({ context }) => ({ prompt: context.task }) },
      on: {
        finish: { target: 'review', actions: assign({ summary: ({ event }) => event.input.summary }) },
        run_checks: '.checking',
        'agent.fault.*': 'failed',
      },
      initial: 'waiting',
      states: {
        waiting: {},
        checking: {
          invoke: {
            src: 'checks',
            onDone: { target: 'waiting', actions: assign({ findings: ({ event }) => event.output }) },
          },
        },
      },
    },
    review: { invoke: { src: 'gate', input: { gate: 'merge' } }, on: { approve: 'done', reject: 'coding' } },
    done: { type: 'final' },
    failed: { type: 'final' },
  },
});

describe('a workflow written with the authoring layer', () => {
  const workflow = hosting(machine);

  it('runs from its input to its end, through the database at every step', () => {
    const begun = machines.begin(workflow, { task: 'write it' });
    expect(begun.actions).toEqual([
      {
        kind: 'start',
        actor: 'agent',
        id: '0.(machine).coding',
        src: 'coder',
        slot: 'coder',
        stateId: '(machine).coding',
        spawned: false,
        input: { prompt: 'write it' },
        syncSnapshot: false,
      },
    ]);
    const checking = machines.advance(workflow, reloaded(workflow, begun), { type: 'run_checks', input: {} });
    expect(checking).toMatchObject({ moved: true, value: { coding: 'checking' }, status: 'active' });
    expect(checking.actions).toMatchObject([{ kind: 'start', actor: 'actor', src: 'checks' }]);
    const checks = invokeIdOf(workflow, checking.snapshot, 'checks');
    const answered = machines.advance(workflow, reloaded(workflow, checking), machines.doneEvent(checks, ['fine']));
    expect(answered).toMatchObject({ value: { coding: 'waiting' }, context: { findings: ['fine'] }, actions: [] });
    expect(machines.answerOf(workflow, 'run_checks', answered.snapshot, { type: 'run_checks', input: {} })).toEqual({
      answer: ['fine'],
    });
    const review = machines.advance(workflow, reloaded(workflow, answered), {
      type: 'finish',
      input: { summary: 'S' },
    });
    expect(review.actions).toMatchObject([
      { kind: 'stop', actor: 'agent', id: '0.(machine).coding' },
      { kind: 'start', actor: 'gate', id: '0.(machine).review' },
    ]);
    expect(machines.invocations(workflow, review.snapshot)).toMatchObject([
      { actor: 'gate', gate: 'merge', active: true },
    ]);
    expect(machines.gateAccepts(workflow, review.snapshot, '0.(machine).review').map(({ name }) => name)).toEqual([
      'approve',
      'reject',
    ]);
    const done = machines.advance(workflow, reloaded(workflow, review), { type: 'approve', input: {} });
    expect(done).toMatchObject({
      status: 'done',
      value: 'done',
      moved: true,
      actions: [{ kind: 'stop', actor: 'gate' }],
    });
  });

  it('sends the Agent back to work in a second visit, as a new start', () => {
    const begun = machines.begin(workflow, { task: 'write it' });
    const review = machines.advance(workflow, begun.snapshot, { type: 'finish', input: { summary: 'S' } });
    const again = machines.advance(workflow, review.snapshot, { type: 'reject', input: { reason: 'no' } });
    expect(again.actions.map(({ kind }) => kind)).toEqual(['stop', 'start']);
    expect(machines.stateActive(workflow, again.snapshot, '0.(machine).coding')).toBe(true);
  });

  it('stays a Machine that XState itself can run', () => {
    const actor = createActor(machine, { input: { task: 'by hand' } }).start();
    expect(actor.getSnapshot().can({ type: 'run_checks', input: {} })).toBe(true);
    actor.send({ type: 'finish', input: { summary: 'S' } });
    expect(actor.getSnapshot().value).toBe('review');
    actor.stop();
  });
});
