import { describe, expect, it } from 'vitest';
import {
  assign,
  cancel,
  emit,
  enqueueActions,
  fromCallback,
  fromPromise,
  log,
  raise,
  sendTo,
  spawnChild,
  stopChild,
} from 'xstate';
import { z } from 'zod';
import { attemptKey } from '../index.ts';
import { defineEvent } from './define.ts';
import { machines } from './index.ts';
import type { ActionEffects, MachineAction, StepResult, Workflow } from './port.ts';
import { setup } from './setup.ts';
import { approve, coder, finish, hosting, invokeIdOf, note, reloaded } from './under-test.ts';

const tick = defineEvent({ name: 'tick', by: 'outside', input: z.object({}) });
const job = fromPromise(async () => 'done');
const sample = setup({
  types: {} as { context: { n: number; value?: unknown } },
  events: [finish, note, approve, tick],
  agents: { coder },
  actors: { job, bell: fromCallback(() => {}) },
});
const turn = { src: 'coder', input: { prompt: 'work' } } as const;

function kinds(step: StepResult): string[] {
  return step.actions.map((action) =>
    'id' in action && action.id !== undefined ? `${action.kind} ${action.id}` : action.kind,
  );
}

function run(workflow: Workflow, step: StepResult, ...events: string[]): StepResult {
  return events.reduce((last, type) => machines.advance(workflow, reloaded(workflow, last), { type, input: {} }), step);
}

describe('a pure step', () => {
  it('moves on an action alone, and not when no transition or only a forbidding one is taken', () => {
    const workflow = hosting(
      sample.createMachine({
        context: { n: 0 },
        on: { note: { actions: () => {} }, approve: {}, tick: { guard: () => false, actions: () => {} } },
      }),
    );
    const begun = machines.begin(workflow, {});
    const noted = machines.advance(workflow, begun.snapshot, { type: 'note', input: {} });
    expect(noted).toMatchObject({ moved: true, value: begun.value, context: { n: 0 } });
    expect(noted.actions).toMatchObject([{ kind: 'custom' }]);
    for (const type of ['approve', 'tick', 'finish']) {
      expect(machines.advance(workflow, begun.snapshot, { type, input: {} })).toMatchObject({
        moved: false,
        actions: [],
        status: 'active',
      });
    }
  });

  it('runs nothing of the author by itself: neither actions nor actors, nor the context of another run', () => {
    const ran: string[] = [];
    const machine = sample.createMachine({
      context: ({ input }) => {
        ran.push(`context ${JSON.stringify(input)}`);
        return { n: 0 };
      },
      entry: () => ran.push('entry'),
      invoke: { src: 'job' },
      on: { note: { actions: () => ran.push('note') } },
    });
    const workflow = hosting(machine);
    const begun = machines.begin(workflow, { for: 'one' });
    const noted = run(workflow, begun, 'note');
    expect(ran).toEqual(['context {"for":"one"}']);
    const shell: ActionEffects = { key: 'k', send: () => {}, log: () => {} };
    for (const action of [...begun.actions, ...noted.actions]) if (action.kind === 'custom') action.run(shell);
    expect(ran).toEqual(['context {"for":"one"}', 'entry', 'note']);
  });

  it('gives custom actions their key, their log, and a way to send to the Machine', () => {
    const machine = sample.createMachine({
      context: { n: 0 },
      entry: [({ self }) => self.send({ type: 'note', input: { key: attemptKey() } } as never), log('said', 'label')],
      on: { note: { actions: () => {} } },
    });
    const workflow = hosting(machine);
    const said: unknown[] = [];
    const shell: ActionEffects = {
      key: 'run-1/3',
      send: (event) => said.push(event),
      log: (...parts) => said.push(parts),
    };
    for (const action of machines.begin(workflow, {}).actions)
      (action as Extract<MachineAction, { kind: 'custom' }>).run(shell);
    expect(said).toEqual([{ type: 'note', input: { key: 'run-1/3' } }, ['label', 'said']]);
    expect(() => attemptKey()).toThrow('outside');
  });

  it('follows raised events, always and sends to itself within the step', () => {
    const machine = sample.createMachine({
      context: { n: 0 },
      initial: 'a',
      states: {
        a: { on: { note: { target: 'b', actions: raise({ type: 'tick', input: {} }) } } },
        b: { on: { tick: 'c' } },
        c: { always: 'd' },
        d: { entry: sendTo(({ self }) => self, { type: 'approve', input: {} }), on: { approve: 'e' } },
        e: {},
      },
    });
    const workflow = hosting(machine);
    expect(run(workflow, machines.begin(workflow, {}), 'note')).toMatchObject({ value: 'e', moved: true, actions: [] });
  });

  it('hands out delays as data: after, delayed raise and delayed sends, and takes them back', () => {
    const machine = sample.createMachine({
      context: { n: 0 },
      initial: 'a',
      states: {
        a: {
          entry: [
            raise({ type: 'tick', input: {} }, { delay: 50, id: 'soon' }),
            raise({ type: 'note', input: {} }, { delay: 70 }),
          ],
          after: { 1000: 'late' },
          invoke: { src: 'bell', id: 'bell' },
          on: {
            tick: 'b',
            approve: { actions: [cancel('soon'), sendTo('bell', { type: 'ring' }, { delay: 5, id: 'r' })] },
          },
        },
        b: {},
        late: {},
      },
    });
    const workflow = hosting(machine);
    const begun = machines.begin(workflow, {});
    expect(begun.actions).toMatchObject([
      { kind: 'schedule', id: 'soon', delayMs: 50, event: { type: 'tick', input: {} } },
      { kind: 'schedule', delayMs: 70, event: { type: 'note', input: {} } },
      {
        kind: 'schedule',
        id: 'xstate.after.1000.(machine).a',
        delayMs: 1000,
        event: { type: 'xstate.after.1000.(machine).a' },
      },
      { kind: 'start', id: 'bell' },
    ]);
    const left = run(workflow, begun, 'tick');
    expect(kinds(left)).toEqual(['unschedule xstate.after.1000.(machine).a', 'stop bell']);
    expect(run(workflow, begun, 'approve').actions).toEqual([
      { kind: 'unschedule', id: 'soon' },
      { kind: 'schedule', id: 'r', delayMs: 5, event: { type: 'ring' }, target: 'bell' },
    ]);
    expect(run(workflow, begun, 'xstate.after.1000.(machine).a')).toMatchObject({ value: 'late', moved: true });
  });

  it('starts no actor that does not outlive the step, and stops the one that it replaces', () => {
    const machine = sample.createMachine({
      context: { n: 0 },
      initial: 'a',
      states: {
        a: { on: { note: 'b' } },
        b: { invoke: { src: 'job', id: 'short' }, always: 'c' },
        c: {
          invoke: { src: 'job', id: 'long' },
          entry: sendTo(({ self }) => self, { type: 'tick', input: {} }),
          on: { tick: 'd', approve: { target: 'c', reenter: true } },
        },
        d: { invoke: turn, on: { finish: 'd', 'agent.fault.*': 'a', approve: { target: 'd', reenter: true } } },
      },
    });
    const workflow = hosting(machine);
    const moved = run(workflow, machines.begin(workflow, {}), 'note');
    expect(kinds(moved)).toEqual(['start 0.(machine).d']);
    expect(kinds(run(workflow, moved, 'approve'))).toEqual(['stop 0.(machine).d', 'start 0.(machine).d']);
  });

  it('keeps nested and parallel states, spawned actors and emitted events through the database', () => {
    const machine = sample.createMachine({
      context: { n: 0 },
      type: 'parallel',
      states: {
        left: {
          initial: 'l1',
          states: {
            l1: { on: { note: { target: 'l2', actions: spawnChild('job', { id: 'extra', input: 7 }) } } },
            l2: { on: { note: { target: 'l1', actions: stopChild('extra') } } },
          },
        },
        right: {
          invoke: turn,
          on: { finish: { actions: emit({ type: 'said', what: 1 } as never) }, 'agent.fault.*': { actions: () => {} } },
        },
      },
    });
    const workflow = hosting(machine);
    const spawned = run(workflow, machines.begin(workflow, {}), 'note');
    expect(spawned.value).toEqual({ left: 'l2', right: {} });
    expect(spawned.actions).toMatchObject([
      { kind: 'start', id: 'extra', src: 'job', spawned: true, stateId: '(machine).left.l1', input: 7 },
    ]);
    const back = reloaded(workflow, spawned);
    expect(machines.invocations(workflow, back)).toEqual(machines.invocations(workflow, spawned.snapshot));
    expect(run(workflow, spawned, 'finish').actions).toEqual([{ kind: 'emit', event: { type: 'said', what: 1 } }]);
    expect(kinds(run(workflow, spawned, 'note'))).toEqual(['stop extra']);
  });

  it('ends an actor once: a second result, or one of an actor that was stopped, changes nothing', () => {
    const machine = sample.createMachine({
      context: { n: 0 },
      invoke: {
        src: 'job',
        id: 'job',
        onDone: { actions: assign({ n: ({ context }) => context.n + 1, value: ({ event }) => event.output }) },
      },
    });
    const workflow = hosting(machine);
    const begun = machines.begin(workflow, {});
    const ended = machines.advance(workflow, begun.snapshot, machines.doneEvent('job', 'first'));
    expect(ended).toMatchObject({ moved: true, context: { n: 1, value: 'first' } });
    expect(machines.invocations(workflow, reloaded(workflow, ended))).toMatchObject([
      { invokeId: 'job', active: false },
    ]);
    expect(machines.advance(workflow, reloaded(workflow, ended), machines.doneEvent('job', 'second'))).toMatchObject({
      moved: false,
      context: { n: 1 },
    });
    expect(machines.advance(workflow, begun.snapshot, machines.doneEvent('other', 1)).moved).toBe(false);
    // The snapshot before the step was not touched by it: a failed commit can start from it again.
    expect(machines.invocations(workflow, begun.snapshot)).toMatchObject([{ active: true }]);
  });

  it('keeps system ids and history through the database, and an entry again under the same system id', () => {
    const machine = sample.createMachine({
      context: { n: 0 },
      initial: 'on',
      states: {
        on: {
          invoke: { src: 'bell', id: 'bell', systemId: 'the-bell' },
          initial: 'first',
          on: {
            note: { target: 'on', reenter: true },
            tick: 'off',
            finish: {
              actions: sendTo(
                (({ system }: { system: { get(id: string): unknown } }) => system.get('the-bell')) as never,
                { type: 'ring' } as never,
              ),
            },
          },
          states: { first: { on: { approve: 'second' } }, second: {}, back: { type: 'history' } },
        },
        off: { on: { tick: 'on.back' } },
      },
    });
    const workflow = hosting(machine);
    const again = run(workflow, machines.begin(workflow, {}), 'note', 'note');
    expect(again.actions).toMatchObject([
      { kind: 'stop', id: 'bell' },
      { kind: 'start', id: 'bell', systemId: 'the-bell' },
    ]);
    expect(run(workflow, again, 'finish').actions).toEqual([{ kind: 'send', to: 'bell', event: { type: 'ring' } }]);
    expect(run(workflow, again, 'approve', 'tick', 'tick').value).toEqual({ on: 'second' });
  });

  it('sends to a running actor as data, and to an Agent not at all', () => {
    const machine = sample.createMachine({
      context: { n: 0 },
      invoke: [
        { src: 'bell', id: 'bell' },
        { ...turn, id: 'turn' },
      ],
      on: {
        note: { actions: sendTo('bell', { type: 'ring' }) },
        finish: { actions: sendTo('turn', { type: 'hello' }) },
        'agent.fault.*': { actions: () => {} },
      },
    });
    const workflow = hosting(machine);
    const begun = machines.begin(workflow, {});
    expect(run(workflow, begun, 'note').actions).toEqual([{ kind: 'send', to: 'bell', event: { type: 'ring' } }]);
    expect(run(workflow, begun, 'finish').error?.reason).toContain("sends 'hello' to 'turn'");
  });

  it('gives back the output of a Machine that ended, and takes nothing more', () => {
    const machine = sample.createMachine({
      context: { n: 3 },
      initial: 'a',
      states: { a: { after: { 9: 'b' }, on: { note: 'b' } }, b: { type: 'final' } },
      output: ({ context }) => context.n,
    });
    const workflow = hosting(machine);
    const done = run(workflow, machines.begin(workflow, {}), 'note');
    expect(done).toMatchObject({ status: 'done', output: 3 });
    expect(machines.advance(workflow, done.snapshot, { type: 'note', input: {} })).toMatchObject({
      moved: false,
      status: 'done',
      output: 3,
    });
  });
});

describe('a step that fails', () => {
  const failing = (config: object, event = 'note') => {
    const workflow = hosting(sample.createMachine({ context: { n: 0 }, ...config } as never));
    return run(workflow, machines.begin(workflow, {}), event);
  };
  const boom = () => {
    throw new Error('boom');
  };

  it.each([
    ['a guard', { on: { note: { guard: boom, actions: () => {} } } }, 'boom'],
    ['an assign', { on: { note: { actions: assign({ n: boom }) } } }, 'boom'],
    [
      'an input',
      { initial: 'a', states: { a: { on: { note: 'b' } }, b: { invoke: { src: 'job', input: boom } } } },
      'boom',
    ],
    [
      'a loop that the walk cannot see',
      {
        initial: 'a',
        states: {
          a: { on: { note: 'b' } },
          b: { always: { guard: () => true, target: 'c' } },
          c: { always: { guard: () => true, target: 'b' } },
        },
      },
      'Infinite loop',
    ],
    [
      'a Machine that talks to itself for ever',
      {
        on: {
          note: { actions: sendTo((({ self }: { self: unknown }) => self) as never, { type: 'note' } as never) },
        },
      },
      'without end',
    ],
    ['an inline actor', { on: { note: { actions: spawnChild(job, { id: 'x' }) } } }, 'inline actor'],
    [
      'an actor without an id',
      {
        on: {
          note: {
            actions: assign({
              n: ({ spawn }: { spawn(src: string): void }) => {
                spawn('job');
                return 1;
              },
            }),
          },
        },
      },
      'without an id',
    ],
    ['spawnChild without an id', { on: { note: { actions: spawnChild('job') } } }, 'without an id'],
    [
      'an Agent that is spawned',
      {
        on: {
          note: {
            actions: enqueueActions(({ enqueue }) =>
              enqueue.spawnChild('coder' as never, { id: 'c', input: { prompt: 'x' } } as never),
            ),
          },
        },
      },
      'by a state',
    ],
    [
      'an Agent without a prompt',
      {
        initial: 'a',
        states: {
          a: { on: { note: 'b' } },
          b: { invoke: { src: 'coder', input: {} }, on: { finish: 'a', 'agent.fault.*': 'a' } },
        },
      },
      'without a prompt',
    ],
  ])('%s ends the run, named', (_, config, reason) => {
    const step = failing(config);
    expect(step).toMatchObject({ status: 'error', persisted: { status: 'error' } });
    expect(step.error?.reason).toContain("workflow 'sample' in state");
    expect(step.error?.reason).toContain(reason);
    expect(JSON.parse(JSON.stringify(step.persisted))).toEqual(step.persisted);
  });

  it.each([
    ['a function', () => () => 1, 'context.value.deep[1]', 'a function'],
    ['a Map', () => new Map(), 'context.value.deep[1]', 'a Map'],
    ['a Date', () => new Date(0), 'context.value.deep[1]', 'a Date'],
    ['a bigint', () => 1n, 'context.value.deep[1]', 'a bigint'],
    ['NaN', () => Number.NaN, 'context.value.deep[1]', 'the number NaN'],
  ])('%s in the context ends the run, with its path', (_, make, path, what) => {
    const step = failing({ on: { note: { actions: assign({ value: () => ({ deep: [0, make()] }) } as never) } } });
    expect(step.error).toMatchObject({ path });
    expect(step.error?.reason).toContain(`${path} holds ${what}, which cannot be saved`);
  });

  it('finds a cycle, and leaves absent fields alone', () => {
    const cycle = failing({
      on: {
        note: {
          actions: assign({
            value: () => {
              const a: { a?: unknown } = {};
              a.a = a;
              return a;
            },
          } as never),
        },
      },
    });
    expect(cycle.error).toMatchObject({ path: 'context.value.a' });
    expect(
      failing({ on: { note: { actions: assign({ value: () => ({ absent: undefined }) } as never) } } }).status,
    ).toBe('active');
  });

  it('takes an output that cannot be saved as the failure of its actor', () => {
    expect(machines.doneEvent('job', { at: new Date(0) })).toEqual({
      type: 'xstate.error.actor.job',
      actorId: 'job',
      error: { name: 'TypeError', message: 'output.at holds a Date, which cannot be saved; return plain JSON data' },
    });
    expect(machines.doneEvent('job', undefined)).toEqual({
      type: 'xstate.done.actor.job',
      actorId: 'job',
      output: undefined,
    });
  });

  it('of an actor nobody catches stops what lives and says so', () => {
    const machine = sample.createMachine({
      context: { n: 0 },
      invoke: [
        { src: 'job', id: 'job' },
        { ...turn, id: 'turn' },
      ],
      on: { finish: { actions: () => {} }, 'agent.fault.*': { actions: () => {} } },
    });
    const workflow = hosting(machine);
    const step = machines.advance(
      workflow,
      machines.begin(workflow, {}).snapshot,
      machines.errorEvent('job', new Error('no disk')),
    );
    expect(step.error?.reason).toContain("the actor 'job' failed and no onError takes it: no disk");
    expect(step.actions).toEqual([
      { kind: 'stop', id: 'job', actor: 'actor' },
      { kind: 'stop', id: 'turn', actor: 'agent' },
    ]);
  });

  it('at the very beginning is the same', () => {
    const workflow = hosting(sample.createMachine({ context: boom as never }));
    expect(machines.begin(workflow, {})).toMatchObject({
      status: 'error',
      error: { reason: expect.stringContaining('boom') },
    });
  });

  it('refuses a saved state that names states which are gone', () => {
    const one = hosting(sample.createMachine({ context: { n: 0 }, initial: 'a', states: { a: {} } }));
    const other = hosting(sample.createMachine({ context: { n: 0 }, initial: 'b', states: { b: {} } }));
    expect(() => reloaded(other, machines.begin(one, {}))).toThrow("'a'");
  });
});

it('finds actors by source only when there is one', () => {
  const workflow = hosting(sample.createMachine({ context: { n: 0 }, invoke: { src: 'job', id: 'j' } }));
  const { snapshot } = machines.begin(workflow, {});
  expect(invokeIdOf(workflow, snapshot, 'job')).toBe('j');
  expect(() => invokeIdOf(workflow, snapshot, 'bell')).toThrow('0 live');
});
