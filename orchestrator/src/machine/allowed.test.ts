import { describe, expect, it } from 'vitest';
import { and, assign, not, or, stateIn } from 'xstate';
import { probeEvent } from './allowed.ts';
import { machines } from './index.ts';
import { setup } from './setup.ts';
import { coder, finish, hosting, note } from './under-test.ts';

type Event = { type: string; input: { summary: string } };
type Args = { context: { open: boolean }; event: Event };

/** What a guard says when the list is read, before anybody has picked anything. */
const table: [string, boolean, unknown][] = [
  ['says yes', true, () => true],
  ['says no by the context', false, ({ context }: Args) => context.open],
  ['says no after reading the type', false, ({ event }: Args) => event.type === 'other'],
  ['says no by the payload', true, ({ event }: Args) => event.input?.summary === 'x'],
  ['destructures the event', true, ({ event: { input } }: Args) => input !== undefined && false],
  [
    'destructures the payload',
    true,
    ({
      event: {
        input: { summary },
      },
    }: Args) => summary === 'x',
  ],
  ['asks `in`', true, ({ event }: Args) => 'input' in event && event.input.summary === 'x'],
  ['spreads', true, ({ event }: Args) => Object.keys({ ...event }).length > 5],
  ['writes JSON', true, ({ event }: Args) => JSON.stringify(event).includes('never')],
  ['lists keys', true, ({ event }: Args) => Object.keys(event).length > 5],
  ['asks for a property descriptor', true, ({ event }: Args) => Object.hasOwn(event, 'input') && false],
  [
    'throws',
    true,
    () => {
      throw new Error('guard');
    },
  ],
  [
    'swallows its own error and says no',
    true,
    ({ event }: Args) => {
      try {
        return event.input.summary === 'x';
      } catch {
        return false;
      }
    },
  ],
  ['is named', false, 'closed'],
  ['is named, with parameters', false, { type: 'atLeast', params: { n: 1 } }],
  [
    'has parameters from the payload',
    true,
    { type: 'atLeast', params: ({ event }: Args) => ({ n: event.input === undefined ? 1 : 0 }) },
  ],
  ['has no implementation', true, 'nowhere'],
  ['is not of yes', false, not(() => true)],
  ['is not of a look at the payload', true, not(({ event }) => (event as unknown as Event).input === undefined)],
  ['is and, context first', false, and([() => false, ({ event }) => (event as unknown as Event).input !== undefined])],
  ['is and, payload first', true, and([({ event }) => (event as unknown as Event).input !== undefined, () => false])],
  ['is or of two noes', false, or([() => false, () => false])],
  ['is stateIn elsewhere', false, stateIn({ working: 'two' })],
  ['is stateIn here', true, stateIn({ working: 'one' })],
];

function workflowWith(guard: unknown) {
  const machine = setup({
    types: {} as { context: { open: boolean } },
    events: [finish, note],
    agents: { coder },
    guards: { closed: ({ context }) => context.open, atLeast: (_, { n }: { n: number }) => n > 1 },
  }).createMachine({
    context: { open: false },
    initial: 'working',
    states: {
      working: {
        invoke: { src: 'coder', input: { prompt: 'work' } },
        on: {
          finish: { guard: guard as never, actions: assign({ open: true }) },
          note: { actions: () => {} },
          'agent.fault.*': { target: 'working' },
        },
        initial: 'one',
        states: { one: {}, two: {} },
      },
    },
  });
  // A guard without an implementation is refused by the walk; the probe must still be safe with one.
  const workflow =
    guard === 'nowhere' ? hosting(machine.provide({ guards: { nowhere: () => true } as never })) : hosting(machine);
  if (guard === 'nowhere') delete (workflow.machine.implementations.guards as Record<string, unknown>).nowhere;
  return workflow;
}

describe('Allowed picks, TW-AUT-014', () => {
  it.each(table)('a guard that %s: %s', (_, allowed, guard) => {
    const workflow = workflowWith(guard);
    const { snapshot } = machines.begin(workflow, {});
    const picks = machines.allowedPicks(workflow, snapshot, '0.(machine).working');
    expect(machines.ownPicks(workflow, snapshot, '0.(machine).working')).toEqual(['finish', 'note']);
    expect(picks).toEqual(allowed ? ['finish', 'note'] : ['note']);
  });

  it('asks every transition of the event, and stops where one only forbids', () => {
    const machine = setup({ events: [finish, note], agents: { coder } }).createMachine({
      initial: 'working',
      states: {
        working: {
          invoke: { src: 'coder', input: { prompt: 'work' } },
          on: {
            finish: [{ guard: () => false, target: 'done' }, { target: 'done' }],
            note: 'done',
            'agent.fault.*': 'done',
          },
          initial: 'quiet',
          states: { quiet: { on: { note: {} } } },
        },
        done: { type: 'final' },
      },
    });
    const workflow = hosting(machine);
    const { snapshot } = machines.begin(workflow, {});
    expect(machines.allowedPicks(workflow, snapshot, '0.(machine).working')).toEqual(['finish']);
    expect(machines.advance(workflow, snapshot, { type: 'note', input: {} }).moved).toBe(false);
  });

  it('says nothing for a state that was left', () => {
    const workflow = workflowWith(() => true);
    const { snapshot } = machines.begin(workflow, {});
    expect(machines.allowedPicks(workflow, snapshot, 'someone-else')).toEqual([]);
  });

  it('counts the type alone as not read', () => {
    const { event, wasRead } = probeEvent('finish');
    expect(event.type).toBe('finish');
    expect('type' in event).toBe(true);
    expect(wasRead()).toBe(false);
    expect((event as { input?: unknown }).input).toBeUndefined();
    expect(wasRead()).toBe(true);
  });
});
