import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trial } from '../../testing.ts';
import { machines } from '../index.ts';
import { loadWorkflows } from '../load.ts';
import { machineOf } from './chart.ts';

const published = new URL('../../../../contract-tests/statecharts/', import.meta.url).pathname;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwire-charts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const small = (more: object = {}) => ({
  statechart: 1,
  input: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
  context: { task: { $: 'input.task' }, notes: 1 },
  events: {
    note: { input: { type: 'object', properties: { by: { type: 'integer' } }, required: ['by'] } },
    finish: { description: 'Done.', input: { type: 'object', properties: {} }, answer: { $: 'context.notes' } },
  },
  agents: { coder: { model: 'openai-compatible/any', instructions: 'x' } },
  machine: {
    initial: 'coding',
    states: {
      coding: {
        invoke: { src: 'coder', input: { prompt: { $: 'context.task' } } },
        on: {
          note: {
            guard: { less: [{ $: 'event.input.by' }, 10] },
            actions: [{ assign: { notes: { $add: [{ $: 'context.notes' }, { $: 'event.input.by' }] } } }],
          },
          finish: 'done',
          'agent.fault.*': 'done',
        },
      },
      done: { type: 'final', output: { $: 'context.notes' } },
    },
  },
  ...more,
});

describe('a statechart in JSON', () => {
  it('is a Machine like one that an author writes: values, guards on the payload, answers', async () => {
    const run = trial(machineOf(small()) as never, {
      input: { task: 'go' },
      agents: {
        coder: async (turn) => {
          expect(turn.allowed()).toEqual(['note', 'finish']);
          expect(await turn.pick('note', { by: 4 })).toMatchObject({ moved: true });
          expect(await turn.pick('note', { by: 40 })).toMatchObject({ moved: false });
          await turn.pick('finish', {});
        },
      },
    });
    await run.until(() => run.value === 'done');
    expect(run.context).toMatchObject({ task: 'go', notes: 5 });
  });

  it('is loaded from NAME.statechart.json, beside other JSON that is none', async () => {
    writeFileSync(join(folder, 'small.statechart.json'), JSON.stringify(small()));
    writeFileSync(join(folder, 'package.json'), '{}');
    const { workflows, refused } = await loadWorkflows(folder);
    expect([...workflows.keys()]).toEqual(['small']);
    expect([...refused.keys()]).toEqual([]);
    expect(workflows.get('small')?.menus.coder?.map(({ name }) => name)).toEqual(['note', 'finish']);
  });

  it.each([
    ['no JSON at all', '{', /could not be loaded/],
    ['a member that is not known', JSON.stringify(small({ machine: { states: {}, activities: [] } })), /activities/],
    ['another version', JSON.stringify(small({ statechart: 2 })), /statechart/],
    ['a schema that is none', JSON.stringify(small({ input: { type: 'odd' } })), /odd/],
    [
      'a target that is not there',
      JSON.stringify(small({ machine: { initial: 'a', states: {} } })),
      /Initial state node "a" not found/,
    ],
  ])('%s is refused with the place, and nobody else is', async (_, text, why) => {
    writeFileSync(join(folder, 'bad.statechart.json'), text);
    writeFileSync(join(folder, 'good.statechart.json'), JSON.stringify(small()));
    const { workflows, refused } = await loadWorkflows(folder);
    expect([...workflows.keys()]).toEqual(['good']);
    expect(refused.get('bad')?.findings[0]?.message).toMatch(why);
  });

  it('has the same name as a module: both are refused', async () => {
    writeFileSync(join(folder, 'twice.statechart.json'), JSON.stringify(small()));
    writeFileSync(join(folder, 'twice.mjs'), 'export {};');
    expect((await loadWorkflows(folder)).refused.get('twice')?.findings[0]?.code).toBe('workflow_name_twice');
  });

  it('of the contract tests are all loaded, but those that are to be refused', async () => {
    const { workflows, refused } = await machines.load(published);
    expect([...refused.keys()].filter((name) => !/^refused(-|$)/.test(name))).toEqual([]);
    expect(refused.get('refused')?.findings.map(({ code }) => code)).toEqual(['agent_fault_unhandled']);
    const files = readdirSync(published).filter((name) => name.endsWith('.statechart.json'));
    expect(workflows.size).toBe(files.length - refused.size);
  });
});
