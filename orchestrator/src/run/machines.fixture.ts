/** Small Machines that the ledger's and the host's tests run. */
import { assign, fromPromise } from 'xstate';
import { z } from 'zod';
import { defineAgent, defineEvent, setup } from '../index.ts';

const nothing = z.object({});
const finish = defineEvent({ name: 'finish', input: z.object({ summary: z.string() }) });
const note = defineEvent({ name: 'note', input: nothing });
const never = defineEvent({ name: 'never', input: nothing });
const again = defineEvent({ name: 'again', input: nothing });
const ask = defineEvent({ name: 'ask', input: nothing, answer: ({ context }) => context.said ?? null });
const check = defineEvent({ name: 'check', input: nothing, answer: ({ context }) => context.findings });
const approve = defineEvent({ name: 'approve', by: 'outside', input: nothing });
const reject = defineEvent({ name: 'reject', by: 'outside', input: z.object({ reason: z.string() }) });
const say = defineEvent({ name: 'say', by: 'outside', input: z.object({ text: z.string() }) });

interface Context {
  task: string;
  summary?: string;
  findings: string[];
  said?: string;
  rounds: number;
}

export interface CodingOptions {
  rerunnable?: boolean;
  continues?: boolean;
  faultTaken?: boolean;
  /** What the checks do when they really run. */
  checks?: () => Promise<string[]>;
}

/** One Agent that may ask for checks, ask a human, finish; then a gate. */
export function codingMachine(options: CodingOptions = {}) {
  const { rerunnable = false, continues = false, checks = async () => ['ok'] } = options;
  return setup({
    input: z.object({ task: z.string() }),
    types: {} as { context: Context },
    events: [finish, note, never, again, ask, check, approve, reject, say],
    agents: {
      coder: defineAgent({ model: 'openai-compatible/any', instructions: 'You write code.', rerunnable }),
    },
    actors: { checks: fromPromise(checks) },
  }).createMachine({
    context: ({ input }) => ({ task: input.task, findings: [], rounds: 0 }),
    initial: 'coding',
    states: {
      coding: {
        entry: assign({ rounds: ({ context }) => context.rounds + 1 }),
        invoke: { src: 'coder', input: ({ context }) => ({ prompt: context.task, continue: continues }) },
        after: { 60000: 'late' },
        on: {
          finish: { target: 'review', actions: assign({ summary: ({ event }) => event.input.summary }) },
          note: { actions: () => {} },
          never: { guard: () => false, target: 'failed' },
          again: { target: 'coding', reenter: true },
          check: '.checking',
          ask: '.asking',
          ...(options.faultTaken === false
            ? { 'agent.fault.*': { guard: () => false, target: 'failed' } }
            : { 'agent.fault.*': 'failed' }),
        },
        initial: 'waiting',
        states: {
          waiting: {},
          checking: {
            invoke: {
              src: 'checks',
              onDone: [
                { guard: ({ event }) => event.output.includes('leave'), target: '#over' },
                { target: 'waiting', actions: assign({ findings: ({ event }) => event.output }) },
              ],
            },
          },
          asking: {
            invoke: { src: 'gate', input: { gate: 'question', meta: { who: 'anybody' } } },
            on: { say: { target: 'waiting', actions: assign({ said: ({ event }) => event.input.text }) } },
          },
        },
      },
      review: { invoke: { src: 'gate', input: { gate: 'merge' } }, on: { approve: 'done', reject: 'coding' } },
      done: { type: 'final' },
      late: { type: 'final' },
      failed: { type: 'final' },
      over: { id: 'over', type: 'final' },
    },
  });
}
