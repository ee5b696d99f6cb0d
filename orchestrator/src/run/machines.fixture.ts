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
  /** A turn that takes too long is followed by another one. */
  lateAgain?: boolean;
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
        after: { 60000: options.lateAgain ? { target: 'coding', reenter: true } : 'late' },
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

/** An Agent whose picks go wrong in the author's own code. */
export function brokenMachine() {
  const explode = defineEvent({ name: 'explode', input: nothing });
  const spoil = defineEvent({ name: 'spoil', input: nothing });
  return setup({
    input: z.object({ task: z.string() }),
    types: {} as { context: { made?: unknown } },
    events: [explode, spoil],
    agents: { coder: defineAgent({ model: 'openai-compatible/any', instructions: 'x' }) },
  }).createMachine({
    context: {},
    initial: 'coding',
    states: {
      coding: {
        invoke: { src: 'coder', input: { prompt: 'go' } },
        on: {
          explode: {
            guard: () => {
              throw new Error('guard went off');
            },
            target: 'failed',
          },
          spoil: { target: 'failed', actions: assign({ made: () => () => 'a function' }) },
          'agent.fault.*': 'failed',
        },
      },
      failed: { type: 'final' },
    },
  });
}

/** Two Agents side by side. */
export function parallelMachine() {
  const left = defineEvent({ name: 'left', input: nothing });
  const right = defineEvent({ name: 'right', input: nothing });
  const region = (src: 'one' | 'two', event: 'left' | 'right') =>
    ({
      initial: 'asking',
      states: {
        asking: {
          invoke: { src, input: { prompt: src } },
          on: { [event]: 'answered', [`agent.fault.${src}`]: 'answered' },
        },
        answered: { type: 'final' },
      },
    }) as const;
  return setup({
    input: z.object({ task: z.string() }),
    types: {} as { context: Record<string, never> },
    events: [left, right],
    agents: {
      one: defineAgent({ model: 'openai-compatible/any', instructions: 'x' }),
      two: defineAgent({ model: 'openai-compatible/any', instructions: 'y', placement: 'elsewhere' }),
    },
  }).createMachine({
    context: {},
    initial: 'both',
    states: {
      both: { type: 'parallel', states: { l: region('one', 'left'), r: region('two', 'right') }, onDone: 'done' },
      done: { type: 'final' },
    },
  } as never);
}
