/** An agent that notes, asks a person and finishes: the machine of the benchmark. */
import { defineAgent, defineEvent, setup } from '@turnwire/orchestrator';
import { assign } from 'xstate';
import { z } from 'zod';

const none = z.object({});
const note = defineEvent({ name: 'note', input: none });
const ask = defineEvent({ name: 'ask', input: none, answer: ({ context }) => context.said });
const finish = defineEvent({ name: 'finish', input: z.object({ summary: z.string() }) });
const say = defineEvent({ name: 'say', by: 'outside', input: z.object({ text: z.string() }) });

export const machine = setup({
  input: z.object({ task: z.string() }),
  types: {} as { context: { task: string; notes: number; said: string } },
  events: [note, ask, finish, say],
  agents: { coder: defineAgent({ model: 'openai-compatible/any', instructions: 'You write code.' }) },
}).createMachine({
  context: ({ input }) => ({ task: input.task, notes: 0, said: '' }),
  initial: 'coding',
  states: {
    coding: {
      invoke: { src: 'coder', input: ({ context }) => ({ prompt: context.task }) },
      on: {
        note: { actions: assign({ notes: ({ context }) => context.notes + 1 }) },
        ask: '.asking',
        finish: 'done',
        'agent.fault.*': 'done',
      },
      initial: 'waiting',
      states: {
        waiting: {},
        asking: {
          invoke: { src: 'gate', input: { gate: 'question' } },
          on: { say: { target: 'waiting', actions: assign({ said: ({ event }) => event.input.text }) } },
        },
      },
    },
    done: { type: 'final' },
  },
});
