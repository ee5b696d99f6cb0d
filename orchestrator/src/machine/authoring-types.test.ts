/** What authors must not be able to write: the compiler is the test, `@ts-expect-error` fails where nothing is wrong. */

import { expect, it } from 'vitest';
import { assign, fromPromise } from 'xstate';
import { z } from 'zod';
import { defineAgent, defineEvent, setup } from '../index.ts';
import { vocabularyOf } from './vocabulary.ts';

const finish = defineEvent({ name: 'finish', input: z.object({ summary: z.string() }) });
const approve = defineEvent({ name: 'approve', by: 'outside', input: z.object({}) });
const prepared = setup({
  input: z.object({ task: z.string() }),
  types: {} as { context: { count: number; task: string } },
  events: [finish, approve],
  agents: { coder: defineAgent({ model: 'a/b', instructions: '' }) },
  actors: { checks: fromPromise(async () => ['ok']) },
  guards: { big: ({ context }) => context.count > 1 },
});
const context = { count: 0, task: '' };

/** Never called: only compiled. */
export const rejected = [
  // @ts-expect-error an actor that is neither an Agent nor among `actors`
  () => prepared.createMachine({ context, initial: 'a', states: { a: { invoke: { src: 'nobody' } } } }),
  // @ts-expect-error an event without a definition
  () => prepared.createMachine({ context, initial: 'a', states: { a: { on: { nothing: 'a' } } } }),
  // @ts-expect-error a guard on a field of the context that does not exist
  () => prepared.createMachine({ context, on: { finish: { guard: ({ context }) => context.missing } } }),
  // @ts-expect-error a guard on a field of the payload that does not exist
  () => prepared.createMachine({ context, on: { finish: { guard: ({ event }) => event.input.missing } } }),
  // @ts-expect-error a guard without an implementation
  () => prepared.createMachine({ context, on: { finish: { guard: 'small' } } }),
  () =>
    // @ts-expect-error a gate that accepts an agent's event
    prepared.createMachine({ context, initial: 'a', states: { a: { invoke: { src: 'gate' }, on: { finish: {} } } } }),
  () =>
    // @ts-expect-error the same, deeper and among others
    prepared.createMachine({
      context,
      initial: 'a',
      states: {
        a: {
          initial: 'b',
          states: { b: { invoke: [{ src: 'checks' }, { src: 'gate' }], on: { approve: {}, finish: {} } } },
        },
      },
    }),
  // @ts-expect-error an Agent without a prompt
  () => prepared.createMachine({ context, initial: 'a', states: { a: { invoke: { src: 'coder', input: {} } } } }),
  // @ts-expect-error an input that the schema does not have
  () => prepared.createMachine({ context: ({ input }) => ({ count: input.count, task: '' }) }),
  () =>
    prepared.createMachine({
      context,
      // @ts-expect-error an output of the wrong type in the context
      invoke: { src: 'checks', onDone: { actions: assign({ task: ({ event }) => event.output }) } },
    }),
  // @ts-expect-error an event of nobody
  () => defineEvent({ name: 'x', by: 'nobody', input: z.object({}) }),
  // @ts-expect-error an Agent without a model
  () => defineAgent({ instructions: '' }),
];

it('compiles what authors may write, and keeps the vocabulary through provide', () => {
  const machine = prepared.createMachine({
    context: ({ input }) => ({ count: 0, task: input.task }),
    initial: 'working',
    states: {
      working: {
        invoke: [{ src: 'coder', input: ({ context }) => ({ prompt: context.task, continue: true }) }, { src: 'gate' }],
        on: {
          finish: { guard: 'big', actions: assign({ task: ({ event }) => event.input.summary }) },
          approve: 'working',
          'agent.fault.coder': {
            actions: assign({ task: ({ event }) => `${event.input.code}: ${event.input.reason}` }),
          },
        },
      },
    },
  });
  expect(vocabularyOf(machine.provide({}))?.events.map(({ name, by }) => `${name} by ${by}`)).toEqual([
    'finish by agent',
    'approve by outside',
  ]);
  expect(rejected).toHaveLength(12);
});
