import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEvent } from './define.ts';
import { machines } from './index.ts';
import { setup } from './setup.ts';
import { approve, coder, finish, hosting, note, reject } from './under-test.ts';

const plan = defineEvent({
  name: 'plan',
  description: 'Say what you are going to do.',
  input: z.object({ steps: z.array(z.string()).default([]), size: z.enum(['small', 'large']) }),
});
const unused = defineEvent({ name: 'unused', input: z.object({}) });
const turn = { src: 'coder', input: { prompt: 'work' } } as const;

/** `order` is how the author lists the events. */
function workflowListing(
  order: (typeof plan | typeof finish | typeof note | typeof approve | typeof reject | typeof unused)[],
) {
  const machine = setup({ events: order, agents: { coder, other: coder } }).createMachine({
    initial: 'planning',
    on: { note: { actions: () => {} }, reject: { actions: () => {} } },
    states: {
      planning: { invoke: turn, on: { plan: 'coding', 'agent.fault.*': 'done' } },
      coding: { invoke: turn, on: { finish: 'review', 'agent.fault.*': 'done' } },
      review: { invoke: { src: 'gate', input: { meta: { why: 'release' } } }, on: { approve: 'done' } },
      done: { type: 'final' },
    },
  } as never);
  return hosting(machine);
}

const listed = [finish, plan, note, approve, reject, unused];

describe('the Menu, TW-AUT-001, TW-AUT-002', () => {
  it('is the union over the Agent`s states and what is above them, in the vocabulary`s order, without outside events', () => {
    const workflow = workflowListing(listed);
    expect(machines.menu(workflow, 'coder').map(({ name }) => name)).toEqual(['finish', 'plan', 'note']);
    expect(machines.menu(workflow, 'other')).toEqual([]);
    expect(machines.menu(workflow, 'nobody')).toEqual([]);
  });

  it('is the same bytes at every load', () => {
    const bytes = JSON.stringify(machines.menu(workflowListing(listed), 'coder'));
    expect(JSON.stringify(machines.menu(workflowListing(listed), 'coder'))).toBe(bytes);
    expect(bytes).toBe(
      '[{"name":"finish","input":{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]}},' +
        '{"name":"plan","description":"Say what you are going to do.","input":{"type":"object","properties":{"steps":{"default":[],"type":"array","items":{"type":"string"}},' +
        '"size":{"type":"string","enum":["small","large"]}},"required":["size"]}},{"name":"note","input":{"type":"object","properties":{}}}]',
    );
  });

  it('narrows to the invoking state`s own set', () => {
    const workflow = workflowListing(listed);
    const planning = machines.begin(workflow, {});
    expect(machines.ownPicks(workflow, planning.snapshot, '0.(machine).planning')).toEqual(['plan', 'note']);
    const coding = machines.advance(workflow, planning.snapshot, { type: 'plan', input: {} });
    expect(machines.ownPicks(workflow, coding.snapshot, '0.(machine).coding')).toEqual(['finish', 'note']);
    expect(machines.ownPicks(workflow, coding.snapshot, '0.(machine).planning')).toEqual([]);
  });

  it('gives a gate the outside events of its state and what is above it, and the state`s path for a name', () => {
    const workflow = workflowListing(listed);
    let step = machines.begin(workflow, {});
    for (const type of ['plan', 'finish']) step = machines.advance(workflow, step.snapshot, { type, input: {} });
    expect(machines.gateAccepts(workflow, step.snapshot, '0.(machine).review')).toEqual([
      { name: 'approve', input: { type: 'object', properties: {} } },
      { name: 'reject', input: { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] } },
    ]);
    expect(machines.invocations(workflow, step.snapshot)).toMatchObject([{ gate: 'review', meta: { why: 'release' } }]);
    expect(machines.gateAccepts(workflow, step.snapshot, 'nobody')).toEqual([]);
  });
});
