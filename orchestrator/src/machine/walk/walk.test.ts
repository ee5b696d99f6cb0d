import { describe, expect, it } from 'vitest';
import { assign, createMachine, fromPromise, spawnChild } from 'xstate';
import { z } from 'zod';
import { defineAgent, defineEvent } from '../define.ts';
import { gate, setup } from '../setup.ts';
import { approve, coder, findingsOf, finish, note } from '../under-test.ts';

const tester = defineAgent({ model: 'openai-compatible/any', instructions: 'You test.' });
const turn = { src: 'coder', input: { prompt: 'work' } };
const testing = { src: 'tester', input: { prompt: 'test' } };
const waiting = { invoke: { src: 'gate' }, on: { approve: 'done' } };
const done = { type: 'final' };

/** As an author without types would write it. */
function machineOf(
  config: object,
  more: { events?: unknown[]; agents?: object; actors?: object; input?: z.ZodType } = {},
): unknown {
  const prepared = setup({ events: [finish, note, approve], agents: { coder, tester }, ...more } as never);
  return (prepared.createMachine as (config: unknown) => unknown)(config);
}

function working(more: object = {}, on: object = { finish: 'done', 'agent.fault.*': 'done' }): object {
  return { initial: 'working', states: { working: { invoke: turn, on, ...more }, done } };
}

function parallel(left: object, right: object): object {
  return {
    initial: 'both',
    states: { both: { type: 'parallel', states: { left, right }, on: { 'agent.fault.*': 'done' } }, done },
  };
}

const child = setup({ events: [finish], agents: { coder } } as never) as unknown as {
  createMachine(config: unknown): unknown;
};
const childWithAgent = child.createMachine(working());
const childWithGate = setup({ events: [approve] }).createMachine({
  initial: 'a',
  states: { a: { invoke: { src: 'gate' }, on: { approve: {} } } },
});
const childAlone = createMachine({ initial: 'a', states: { a: { after: { 10: 'b' } }, b: { type: 'final' } } });

type Row = [title: string, code: string | undefined, state: string, machine: () => unknown];

const faults: Row[] = [
  ['no fault transition', 'agent_fault_unhandled', 'working', () => machineOf(working({}, { finish: 'done' }))],
  [
    'the fault of another Agent only',
    'agent_fault_unhandled',
    'working',
    () => machineOf(working({}, { finish: 'done', 'agent.fault.tester': 'done' })),
  ],
  [
    'a fault transition that only forbids',
    'agent_fault_unhandled',
    'working',
    () => machineOf(working({}, { finish: 'done', 'agent.fault.*': {} })),
  ],
  [
    'the fault by its name',
    undefined,
    '',
    () => machineOf(working({}, { finish: 'done', 'agent.fault.coder': 'done' })),
  ],
  ['the fault by agent.*', undefined, '', () => machineOf(working({}, { finish: 'done', 'agent.*': 'done' }))],
  [
    'the fault above',
    undefined,
    '',
    () => machineOf({ ...working({}, { finish: 'done' }), on: { 'agent.fault.*': '.done' } }),
  ],
  [
    'the fault below only',
    'agent_fault_unhandled',
    'working',
    () =>
      machineOf(
        working({ initial: 'in', states: { in: { on: { 'agent.fault.*': '#x' } } }, id: 'x' }, { finish: 'done' }),
      ),
  ],
];

const vocabulary: Row[] = [
  [
    'an event without a definition',
    'event_undefined',
    'working',
    () => machineOf(working({}, { finish: 'done', nothing: 'done', 'agent.fault.*': 'done' })),
  ],
  [
    'the fault of no Agent',
    'event_undefined',
    'working',
    () => machineOf(working({}, { finish: 'done', 'agent.fault.nobody': 'done', 'agent.fault.*': 'done' })),
  ],
  [
    'a name that no tool can have',
    'event_name_invalid',
    'working',
    () =>
      machineOf(working({}, { 'all done!': 'done', 'agent.fault.*': 'done' }), {
        events: [defineEvent({ name: 'all done!', input: z.object({}) })],
      }),
  ],
  [
    'a reserved name',
    'event_name_reserved',
    '(root)',
    () => machineOf({}, { events: [defineEvent({ name: 'agent.done', input: z.object({}) })] }),
  ],
  [
    'another reserved name',
    'event_name_reserved',
    '(root)',
    () => machineOf({}, { events: [defineEvent({ name: 'xstate.init', input: z.object({}) })] }),
  ],
  [
    'a wildcard name',
    'event_name_wildcard',
    '(root)',
    () => machineOf({}, { events: [defineEvent({ name: 'order.*', input: z.object({}) })] }),
  ],
  [
    'a state that takes anything',
    'event_name_wildcard',
    'working',
    () => machineOf(working({}, { finish: 'done', '*': 'done', 'agent.fault.*': 'done' })),
  ],
  [
    'an event defined twice',
    'event_defined_twice',
    'working',
    () => machineOf(working(), { events: [finish, finish] }),
  ],
  [
    'an input without JSON Schema',
    'event_schema',
    'working',
    () => machineOf(working(), { events: [defineEvent({ name: 'finish', input: z.object({ at: z.date() }) })] }),
  ],
  [
    'an agent input that is no object',
    'event_schema',
    'working',
    () => machineOf(working(), { events: [defineEvent({ name: 'finish', input: z.string() })] }),
  ],
  [
    'a run input without JSON Schema',
    'input_schema',
    '(root)',
    () => machineOf(working(), { input: z.map(z.string(), z.string()) }),
  ],
];

const agents: Row[] = [
  ['two Agents in one state', 'agent_two_in_state', 'working', () => machineOf(working({ invoke: [turn, testing] }))],
  [
    'nothing to pick',
    'agent_nothing_to_pick',
    'working',
    () => machineOf(working({}, { approve: 'done', 'agent.fault.*': 'done' })),
  ],
  [
    'a pick above',
    undefined,
    '',
    () => machineOf({ ...working({}, { 'agent.fault.*': 'done' }), on: { finish: '.done' } }),
  ],
  [
    'one Agent twice side by side',
    'agent_side_by_side',
    'both.left',
    () =>
      machineOf(
        parallel(
          { invoke: turn, on: { finish: {}, note: { actions: 'x' } } },
          { invoke: turn, on: { finish: { actions: 'x' } } },
        ),
      ),
  ],
  [
    'a model that is missing',
    'agent_definition',
    'working',
    () => machineOf(working(), { agents: { coder: { instructions: '' } } }),
  ],
  ['an Agent called gate', 'agent_name', '(root)', () => machineOf({}, { agents: { gate: coder } })],
  [
    'a gate that accepts nothing',
    'gate_without_event',
    'waiting',
    () =>
      machineOf({ initial: 'waiting', states: { waiting: { invoke: { src: 'gate' }, on: { finish: 'done' } }, done } }),
  ],
  [
    'an Agent with a gate below it',
    undefined,
    '',
    () =>
      machineOf(
        working({
          initial: 'in',
          states: { in: { on: { note: 'ask' } }, ask: { invoke: { src: 'gate' }, on: { approve: 'in' } } },
        }),
      ),
  ],
];

const together: Row[] = [
  [
    'one event in two regions',
    'event_taken_twice',
    'both.left',
    () =>
      machineOf(
        parallel(
          { invoke: turn, on: { finish: { actions: 'x' } } },
          { invoke: testing, on: { finish: { actions: 'x' } } },
        ),
      ),
  ],
  [
    'one outside event in two regions',
    'event_taken_twice',
    'both.left',
    () =>
      machineOf(
        parallel(
          { invoke: { src: 'gate' }, on: { approve: { actions: 'x' } } },
          { invoke: { src: 'gate' }, on: { approve: { actions: 'x' } } },
        ),
      ),
  ],
  [
    'one event in a state and above it',
    'event_taken_twice',
    '(root)',
    () => machineOf({ ...working(), on: { finish: '.done' } }),
  ],
  [
    'one event forbidden below',
    undefined,
    '',
    () => machineOf(working({ initial: 'in', states: { in: { on: { finish: {} } } } })),
  ],
  [
    'different Agents side by side',
    undefined,
    '',
    () =>
      machineOf(
        parallel(
          { invoke: turn, on: { finish: { actions: 'x' } } },
          { invoke: testing, on: { note: { actions: 'x' } } },
        ),
      ),
  ],
  [
    'one event in two states of one region',
    undefined,
    '',
    () => machineOf({ initial: 'one', states: { one: waiting, two: waiting, done } }),
  ],
];

const unsupported: Row[] = [
  [
    'a child machine with an Agent',
    'child_holds_agent',
    'child',
    () =>
      machineOf(
        { initial: 'child', states: { child: { invoke: { src: 'kid' } } } },
        { actors: { kid: childWithAgent } },
      ),
  ],
  [
    'a child machine with a gate, inline',
    'child_holds_agent',
    'child',
    () => machineOf({ initial: 'child', states: { child: { invoke: { src: childWithGate } } } }),
  ],
  [
    'a child machine with an Agent that is only spawned',
    'child_holds_agent',
    '(root)',
    () => machineOf({}, { actors: { kid: childWithAgent } }),
  ],
  [
    'a child of a child',
    'child_holds_agent',
    'child',
    () =>
      machineOf({
        initial: 'child',
        states: { child: { invoke: { src: createMachine({ invoke: { src: childWithGate } }) } } },
      }),
  ],
  [
    'a child machine without either',
    undefined,
    '',
    () =>
      machineOf(
        { initial: 'child', states: { child: { invoke: { src: 'kid', onDone: 'done' } }, done } },
        { actors: { kid: childAlone } },
      ),
  ],
  [
    'a history state into an Agent',
    'history_into_agent',
    'outer.back',
    () =>
      machineOf({
        initial: 'outer',
        states: {
          outer: {
            ...working(),
            states: {
              working: { invoke: turn, on: { finish: '#end', 'agent.fault.*': '#end' } },
              back: { type: 'history' },
            },
          },
          done: { ...done, id: 'end' },
        },
      }),
  ],
  [
    'a deep history state into a gate',
    'history_into_agent',
    'outer.back',
    () =>
      machineOf({
        initial: 'outer',
        states: {
          outer: {
            initial: 'a',
            states: {
              a: {
                initial: 'idle',
                states: { idle: { after: { 5: 'deep' } }, deep: { invoke: { src: 'gate' }, on: { approve: '#end' } } },
              },
              back: { type: 'history', history: 'deep' },
            },
          },
          done: { ...done, id: 'end' },
        },
      }),
  ],
  [
    'a history state among plain states',
    undefined,
    '',
    () =>
      machineOf({
        initial: 'outer',
        states: { outer: { initial: 'a', states: { a: {}, b: {}, back: { type: 'history' } } } },
      }),
  ],
  ['an Agent that is spawned', 'agent_spawned', '(root)', () => machineOf({ entry: spawnChild('coder', { id: 'c' }) })],
  [
    'a gate that is spawned',
    'agent_spawned',
    '(root)',
    () => machineOf({ entry: spawnChild(gate as never, { id: 'c' }) }),
  ],
];

const broken: Row[] = [
  [
    'an actor that does not exist',
    'actor_missing',
    'a',
    () => machineOf({ initial: 'a', states: { a: { invoke: { src: 'nobody' } } } }),
  ],
  [
    'a guard that does not exist',
    'guard_missing',
    'working',
    () => machineOf(working({}, { finish: { guard: 'nobody', target: 'done' }, 'agent.fault.*': 'done' })),
  ],
  [
    'a delay that does not exist',
    'delay_missing',
    'a',
    () => machineOf({ initial: 'a', states: { a: { after: { soon: 'b' } }, b: {} } }),
  ],
  [
    'an always that leads back',
    'always_loops',
    'a',
    () => machineOf({ initial: 'a', states: { a: { always: 'b' }, b: { always: 'a' } } }),
  ],
  [
    'an always into its own children',
    'always_loops',
    'a',
    () => machineOf({ initial: 'a', states: { a: { always: '.x', initial: 'x', states: { x: {} } } } }),
  ],
  [
    'an always that only assigns',
    'always_loops',
    'a',
    () => machineOf({ initial: 'a', context: { n: 0 }, states: { a: { always: { actions: assign({ n: 1 }) } } } }),
  ],
  [
    'an always with a guard',
    undefined,
    '',
    () =>
      machineOf({ initial: 'a', states: { a: { always: { guard: () => false, target: 'b' } }, b: { always: 'a' } } }),
  ],
  [
    'an always that ends',
    undefined,
    '',
    () => machineOf({ initial: 'a', states: { a: { always: 'b' }, b: { always: 'done' }, done } }),
  ],
  [
    'a promise actor inline',
    undefined,
    '',
    () =>
      machineOf({ initial: 'a', states: { a: { invoke: { src: fromPromise(async () => 1), onDone: 'b' } }, b: {} } }),
  ],
];

function check([, code, state, machine]: Row): void {
  const findings = findingsOf(machine());
  if (code === undefined) {
    expect(findings).toEqual([]);
    return;
  }
  const found = findings.filter((finding) => finding.code === code);
  expect(found, JSON.stringify(findings)).not.toEqual([]);
  expect(found[0]?.state).toBe(state);
  // TW-AUT-011: the workflow, the state, and what to do.
  expect(found[0]?.message).toMatch(
    new RegExp(`^workflow 'sample', state '${state.replace(/[()]/g, '\\$&')}': .+\\. [A-Z].+\\.$`),
  );
}

describe('the walk', () => {
  it.each(faults)('faults, TW-AUT-003: %s', (...row) => check(row));
  it.each(vocabulary)('events, TW-AUT-004, TW-AUT-005, TW-AUT-006: %s', (...row) => check(row));
  it.each(agents)('Agents and gates, TW-AUT-007, TW-AUT-008: %s', (...row) => check(row));
  it.each(together)('active together, TW-AUT-009: %s', (...row) => check(row));
  it.each(unsupported)('not supported, TW-AUT-010: %s', (...row) => check(row));
  it.each(broken)('broken: %s', (...row) => check(row));

  it('reports everything that is wrong at once', () => {
    const findings = findingsOf(machineOf(working({ invoke: [turn, testing] }, { nothing: 'done' })));
    expect(findings.map(({ code }) => code)).toEqual([
      'event_undefined',
      'agent_two_in_state',
      'agent_fault_unhandled',
      'agent_fault_unhandled',
      'agent_nothing_to_pick',
    ]);
  });
});
