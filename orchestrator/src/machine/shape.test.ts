import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEvent } from './define.ts';
import { setup } from './setup.ts';
import { coder, finish, hosting, note } from './under-test.ts';

interface Variant {
  events?: unknown[];
  target?: string;
  guard?: () => boolean;
  action?: () => void;
  extra?: object;
  key?: string;
  invokeId?: string;
  src?: string;
  on?: object;
  prompt?: string;
}

function shapeWith({
  events = [finish, note],
  target = 'done',
  guard = () => true,
  action = () => {},
  extra = {},
  key = 'working',
  invokeId = 'turn',
  src = 'coder',
  on = {},
  prompt = 'work',
}: Variant = {}): string {
  const machine = (
    setup({ events, agents: { coder, writer: coder } } as never).createMachine as (config: unknown) => unknown
  )({
    initial: key,
    states: {
      [key]: {
        invoke: { src, id: invokeId, input: { prompt } },
        on: { finish: { target, guard, actions: action }, 'agent.fault.*': 'done', ...on },
      },
      done: { type: 'final' },
      failed: { type: 'final' },
      ...extra,
    },
  });
  return hosting(machine).shape;
}

describe('the drift hash', () => {
  const base = shapeWith();

  it.each<[string, Variant]>([
    ['nothing', {}],
    ['a guard`s body', { guard: () => false }],
    ['an action`s body', { action: () => console.log('other') }],
    ['a prompt', { prompt: 'other' }],
    ['an input schema', { events: [defineEvent({ name: 'finish', input: z.object({}) }), note] }],
    [
      'an event that no Agent is offered',
      { events: [finish, note, defineEvent({ name: 'other', input: z.object({}) })] },
    ],
  ])('is the same after a change of %s', (_, variant) => {
    expect(shapeWith(variant)).toBe(base);
  });

  it.each<[string, Variant]>([
    ['a state', { extra: { more: {} } }],
    ['nesting', { extra: { failed: { initial: 'x', states: { x: {} } } } }],
    ['a state`s name', { key: 'coding' }],
    ['a target', { target: 'failed' }],
    ['an invoke`s id', { invokeId: 'other' }],
    ['an invoke`s source', { src: 'writer' }],
    ['an Agent`s events', { on: { note: 'done' } }],
    ['a delayed transition', { extra: { failed: { after: { 10: 'done' } } } }],
    ['an always', { extra: { failed: { always: 'done' } } }],
  ])('differs after a change of %s', (_, variant) => {
    expect(shapeWith(variant)).not.toBe(base);
  });
});
