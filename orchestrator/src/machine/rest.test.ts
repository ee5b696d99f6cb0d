import { describe, expect, it } from 'vitest';
import { assign, fromPromise, spawnChild } from 'xstate';
import { machines } from './index.ts';
import type { StepResult } from './port.ts';
import { setup } from './setup.ts';
import { approve, coder, finish, hosting, note, reject, reloaded } from './under-test.ts';

const job = fromPromise(async () => 'done');
const prepared = setup({ events: [finish, note, approve, reject], agents: { coder }, actors: { job } });
const WORKING = '0.(machine).working';

/** A state with the Agent's turn, whose `inside` is entered by `note`. */
function workflowWith(inside: object, more: object = {}, beside: object = {}) {
  const config = {
    initial: 'working',
    states: {
      working: {
        invoke: { src: 'coder', input: { prompt: 'work' } },
        on: { note: '.inside', finish: 'left', 'agent.fault.*': 'left' },
        initial: 'idle',
        states: { idle: {}, inside },
        ...more,
      },
      left: { invoke: { src: 'job', id: 'after' } },
    },
    ...beside,
  };
  return hosting(prepared.createMachine(config as never));
}

const gateInside = { invoke: { src: 'gate', id: 'ask' }, on: { approve: '#idle' } };
const jobInside = { invoke: { src: 'job', id: 'job', onDone: '#idle', onError: '#idle' } };
const idle = { initial: 'idle', states: { idle: { id: 'idle' } } };

type Row = [title: string, atRest: boolean, workflow: () => ReturnType<typeof workflowWith>, events: string[]];

const table: Row[] = [
  ['nothing but the turn', true, () => workflowWith({}), []],
  ['a plain state below', true, () => workflowWith({}), ['note']],
  [
    'an actor below',
    false,
    () => workflowWith(jobInside, { states: { idle: { id: 'idle' }, inside: jobInside } }),
    ['note'],
  ],
  [
    'the same actor, done',
    true,
    () => workflowWith(jobInside, { states: { idle: { id: 'idle' }, inside: jobInside } }),
    ['note', 'done job'],
  ],
  [
    'the same actor, failed and caught',
    true,
    () => workflowWith(jobInside, { states: { idle: { id: 'idle' }, inside: jobInside } }),
    ['note', 'error job'],
  ],
  [
    'a gate below',
    false,
    () => workflowWith(gateInside, { states: { idle: { id: 'idle' }, inside: gateInside } }),
    ['note'],
  ],
  [
    'a gate below, answered',
    true,
    () => workflowWith(gateInside, { states: { idle: { id: 'idle' }, inside: gateInside } }),
    ['note', 'approve'],
  ],
  [
    'an actor that ended without leaving its state',
    true,
    () => workflowWith({ invoke: { src: 'job', id: 'job' } }),
    ['note', 'done job'],
  ],
  [
    'a delay below',
    true,
    () => workflowWith({ after: { 1000: 'idle' } }, { states: { idle: {}, inside: { after: { 1000: 'idle' } } } }),
    ['note'],
  ],
  [
    'an actor of the state itself',
    false,
    () => workflowWith({}, { invoke: [{ src: 'coder', input: { prompt: 'work' } }, { src: 'job' }] }),
    [],
  ],
  ['an actor above the state', true, () => workflowWith({}, {}, { invoke: { src: 'job' } }), []],
  [
    'an actor spawned by a state below',
    false,
    () => workflowWith({ entry: spawnChild('job', { id: 'spawned' }) }),
    ['note'],
  ],
  [
    'one spawned by the state`s own transition',
    false,
    () =>
      workflowWith(
        {},
        { on: { note: { actions: spawnChild('job', { id: 'spawned' }) }, finish: 'left', 'agent.fault.*': 'left' } },
      ),
    ['note'],
  ],
  [
    'one spawned by an assign',
    false,
    () =>
      workflowWith({
        entry: assign(({ spawn }) => {
          (spawn as (src: string, options: object) => void)('job', { id: 'spawned' });
          return {};
        }),
      }),
    ['note'],
  ],
  [
    'one spawned below, done',
    true,
    () => workflowWith({ entry: spawnChild('job', { id: 'spawned' }) }),
    ['note', 'done spawned'],
  ],
  ['one spawned above', true, () => workflowWith({}, {}, { entry: spawnChild('job', { id: 'spawned' }) }), ['note']],
  ['a state tagged busy', false, () => workflowWith({ tags: ['busy'] }), ['note']],
  ['a state tagged rest, with an actor', true, () => workflowWith({ tags: 'rest', invoke: { src: 'job' } }), ['note']],
  [
    'the Agent`s state tagged rest',
    true,
    () => workflowWith(jobInside, { ...idle, states: { idle: { id: 'idle' }, inside: jobInside }, tags: ['rest'] }),
    ['note'],
  ],
  ['busy below rest', false, () => workflowWith({ tags: ['busy'] }, { tags: ['rest'] }), ['note']],
  ['the state was left', false, () => workflowWith({}), ['finish']],
];

function played(workflow: ReturnType<typeof workflowWith>, events: string[]): StepResult {
  return events.reduce(
    (step, name) => {
      const [how, id] = name.split(' ') as [string, string | undefined];
      const event =
        id === undefined
          ? { type: how, input: {} }
          : how === 'done'
            ? machines.doneEvent(id, 1)
            : machines.errorEvent(id, new Error('x'));
      const next = machines.advance(workflow, reloaded(workflow, step), event);
      if (!next.moved && id === undefined) throw new Error(`'${name}' moved nothing`);
      return next;
    },
    machines.begin(workflow, {}),
  );
}

describe('at Rest', () => {
  it.each(table)('%s: %s', (_, atRest, workflowOf, events) => {
    const workflow = workflowOf();
    const step = played(workflow, events);
    expect(machines.atRest(workflow, step.snapshot, WORKING)).toBe(atRest);
    // And the same after a restart.
    expect(machines.atRest(workflow, reloaded(workflow, step), WORKING)).toBe(atRest);
  });

  it('looks at one region of a parallel state, not at its siblings', () => {
    const machine = prepared.createMachine({
      type: 'parallel',
      states: {
        left: {
          invoke: { src: 'coder', id: 'turn', input: { prompt: 'work' } },
          on: { finish: { actions: () => {} }, 'agent.fault.*': { actions: () => {} } },
        },
        right: { invoke: { src: 'job', id: 'busy' } },
      },
    });
    const workflow = hosting(machine);
    const { snapshot } = machines.begin(workflow, {});
    expect(machines.atRest(workflow, snapshot, 'turn')).toBe(true);
    expect(machines.stateActive(workflow, snapshot, 'turn')).toBe(true);
    expect(machines.stateActive(workflow, snapshot, 'nobody')).toBe(false);
  });

  it('is over with the Machine', () => {
    const machine = prepared.createMachine({
      initial: 'working',
      states: {
        working: { invoke: { src: 'coder', input: { prompt: 'x' } }, on: { finish: 'end', 'agent.fault.*': 'end' } },
        end: { type: 'final' },
      },
    });
    const workflow = hosting(machine);
    const done = machines.advance(workflow, machines.begin(workflow, {}).snapshot, { type: 'finish', input: {} });
    expect(done.status).toBe('done');
    expect(machines.stateActive(workflow, done.snapshot, WORKING)).toBe(false);
    expect(machines.atRest(workflow, done.snapshot, WORKING)).toBe(false);
  });
});
