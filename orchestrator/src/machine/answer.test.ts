import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEvent } from './define.ts';
import { machines } from './index.ts';
import { setup } from './setup.ts';
import { coder, hosting } from './under-test.ts';

type Answer = (args: { context: { n: number; self?: unknown } }) => unknown;

function workflowAnswering(answer?: Answer) {
  const ask = defineEvent({
    name: 'ask',
    input: z.object({ items: z.array(z.object({ line: z.number().int() })).default([]) }),
    ...(answer && { answer }),
  });
  const picky = defineEvent({
    name: 'picky',
    input: z.object({}).refine(() => {
      throw new Error('refinement');
    }),
  });
  const machine = setup({
    input: z.object({ task: z.string() }),
    types: {} as { context: { n: number } },
    events: [ask, picky],
    agents: { coder },
  }).createMachine({
    context: { n: 7 },
    initial: 'a',
    states: {
      a: {
        invoke: { src: 'coder', input: { prompt: 'x' } },
        on: { ask: { actions: () => {} }, picky: { actions: () => {} }, 'agent.fault.*': { actions: () => {} } },
      },
    },
  });
  return hosting(machine);
}

describe('inputs', () => {
  const workflow = workflowAnswering();

  it('are what their schema parses them to', () => {
    expect(machines.checkInput(workflow, 'ask', { other: 1 })).toEqual({ ok: true, value: { items: [] } });
    expect(machines.checkRunInput(workflow, { task: 't' })).toEqual({ ok: true, value: { task: 't' } });
  });

  it('come back with every problem at its path', () => {
    expect(machines.checkInput(workflow, 'ask', { items: [{ line: 1 }, { line: 'x' }, {}] })).toMatchObject({
      ok: false,
      problems: [{ path: '/items/1/line' }, { path: '/items/2/line' }],
    });
    expect(machines.checkRunInput(workflow, 'text')).toMatchObject({ ok: false, problems: [{ path: '' }] });
    expect(machines.checkInput(workflow, 'nothing', {})).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining("no event 'nothing'") }],
    });
  });

  it('survive a schema that throws', () => {
    expect(machines.checkInput(workflow, 'picky', {})).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('refinement') }],
    });
  });
});

describe('answers', () => {
  const table: [string, Answer | undefined, unknown][] = [
    ['none declared', undefined, {}],
    ['a value of the context', ({ context }) => ({ n: context.n }), { answer: { n: 7 } }],
    ['null', () => null, { answer: null }],
    ['nothing', () => undefined, {}],
    [
      'one that throws',
      () => {
        throw new Error('no answer');
      },
      { answerError: 'no answer' },
    ],
    ['one that is not JSON', () => ({ at: new Date(0) }), { answerError: 'answer.at holds a Date, which is not JSON' }],
    ['one that is asynchronous', async () => 1, { answerError: 'answer holds a Promise, which is not JSON' }],
  ];

  it.each(table)('%s', (_, answer, expected) => {
    const workflow = workflowAnswering(answer);
    const { snapshot } = machines.begin(workflow, { task: 't' });
    expect(machines.answerOf(workflow, 'ask', snapshot, { type: 'ask', input: { items: [] } })).toEqual(expected);
  });
});
