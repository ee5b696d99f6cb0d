import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { assign, emit, fromCallback, fromPromise } from 'xstate';
import { z } from 'zod';
import { machine as review } from '../examples/review.ts';
import { defineEvent, setup } from './index.ts';
import { approve, coder, finish, note } from './machine/under-test.ts';
import { type TrialReceipt, trial } from './testing.ts';

const diff = readFileSync(new URL('../examples/diffs/order-discounts.diff', import.meta.url), 'utf8');
const tick = defineEvent({ name: 'tick', by: 'outside', input: z.object({}) });

describe('a trial of a workflow', () => {
  it('plays the review: an outstanding pick, its answer, and the gate', async () => {
    const receipts: TrialReceipt[] = [];
    const run = trial(review, {
      input: { title: 'Discounts', diff },
      agents: {
        reviewer: async (turn) => {
          expect(turn.allowed()).toEqual(['approve', 'request_changes', 'run_checks']);
          receipts.push(await turn.pick('run_checks'));
          receipts.push(await turn.pick('run_checks'));
          receipts.push(
            await turn.pick('request_changes', { comments: [{ file: 'src/orders.ts', line: 7, body: 'Resolve it.' }] }),
          );
        },
      },
    });
    await run.until(() => run.gates().includes('merge_decision'));
    await expect.poll(() => receipts.length).toBe(3);
    expect(receipts).toMatchObject([
      {
        event: 'run_checks',
        moved: true,
        turnComplete: false,
        allowed: ['approve', 'request_changes'],
        answer: { passed: false },
      },
      { event: 'run_checks', moved: false, turnComplete: false },
      { event: 'request_changes', moved: true, turnComplete: true, allowed: [] },
    ]);
    expect(() => run.answer('other', 'merge')).toThrow('merge_decision');
    expect(() => run.answer('merge_decision', 'approve')).toThrow('merge, decline');
    expect(() => run.answer('merge_decision', 'decline', {})).toThrow('reason');
    expect(run.answer('merge_decision', 'decline', { reason: 'conflicts' })).toEqual({ moved: true });
    expect(run).toMatchObject({ status: 'done', value: 'declined', output: { decision: 'decline' } });
    expect(run.prompts).toMatchObject([{ slot: 'reviewer' }]);
  });

  it('refuses a machine that the walk refuses, and an input that the schema refuses', () => {
    expect(() => trial(setup({ events: [note] }).createMachine({ on: { nothing: {} } } as never))).toThrow(
      "takes the event 'nothing'",
    );
    expect(() => trial(review, { input: { title: 'T', diff: 'x' } })).toThrow('"path":"/diff"');
  });

  it('says no to picks as the Orchestrator would, and turns a script that fails into the fault', async () => {
    const refused: unknown[] = [];
    const run = trial(review, {
      input: { title: 'T', diff },
      agents: {
        reviewer: async (turn) => {
          await turn.pick('merge').catch((error: Error) => refused.push(error.message));
          await turn.pick('request_changes', { comments: [] }).catch((error: Error) => refused.push(error.message));
          const first = turn.pick('run_checks');
          await turn.pick('approve').catch((error: Error) => refused.push(error.message));
          await first;
          throw new Error('the model is gone');
        },
      },
    });
    await run.until(() => run.status === 'done');
    expect(refused).toMatchObject([
      expect.stringContaining('refused'),
      expect.stringContaining('comments'),
      expect.stringContaining('pick_outstanding'),
    ]);
    expect(run.output).toMatchObject({ fault: { code: 'engine_failed', reason: 'the model is gone' } });
  });

  it('ends a turn without a signal with its fault', async () => {
    const run = trial(review, { input: { title: 'T', diff }, agents: { reviewer: () => {} } });
    await run.until(() => run.value === 'failed');
    expect(run.context).toMatchObject({ fault: { code: 'no_signal' } });
  });

  it('has its own time, and actors that hear, speak and stop', async () => {
    const heard: string[] = [];
    const machine = setup({
      types: {} as { context: { n: number } },
      events: [finish, note, approve, tick],
      agents: { coder },
      actors: {
        bell: fromCallback(({ receive, sendBack }) => {
          receive((event) => heard.push(event.type));
          sendBack({ type: 'note', input: {} });
          return () => heard.push('stopped');
        }),
        job: fromPromise(async () => Promise.reject(new Error('no'))),
      },
    }).createMachine({
      context: { n: 0 },
      initial: 'waiting',
      states: {
        waiting: {
          invoke: { src: 'bell', id: 'bell' },
          after: { 60000: 'working' },
          on: {
            note: {
              actions: [
                assign({ n: ({ context }) => context.n + 1 }),
                emit({ type: 'noted' } as never),
                ({ self }) => self.send({ type: 'tick', input: {} }),
              ],
            },
            tick: { actions: ({ system: _ }) => heard.push('tick') },
          },
        },
        working: {
          invoke: [
            { src: 'coder', input: { prompt: 'x' } },
            { src: 'job', onError: 'failed' },
          ],
          on: { finish: 'done', 'agent.fault.*': 'failed' },
        },
        done: { type: 'final' },
        failed: { type: 'final' },
      },
    });
    const run = trial(machine);
    await run.until(() => heard.includes('tick'));
    await run.pass(59_999);
    expect(run).toMatchObject({ value: 'waiting', context: { n: 1 } });
    await run.pass(1);
    expect(heard).toContain('stopped');
    await run.until(() => run.status === 'done');
    expect(run.value).toBe('failed');
    expect(run.emitted).toEqual([{ type: 'noted' }]);
    await expect(trial(machine, { patienceMs: 5 }).until(() => false)).rejects.toThrow('still in "waiting"');
  });

  it('shows why a run ended', () => {
    const machine = setup({ events: [tick] }).createMachine({
      context: () => {
        throw new Error('no context');
      },
    });
    expect(trial(machine)).toMatchObject({ status: 'error', reason: expect.stringContaining('no context') });
  });
});
