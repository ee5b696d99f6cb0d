/** What happens within one macrostep: Rest that is left again, a human's no that ends the turn, a loop without end. */
import { describe, expect, it } from 'vitest';
import { fromPromise } from 'xstate';
import { z } from 'zod';
import { defineAgent, defineEvent, setup } from '../index.ts';
import { hostedWorkflow, Ledger } from './ledger.fixture.ts';

const nothing = z.object({});
const check = defineEvent({ name: 'check', input: nothing, answer: () => 'at Rest' });
const ask = defineEvent({ name: 'ask', input: nothing });
const spin = defineEvent({ name: 'spin', input: nothing });
const allow = defineEvent({ name: 'allow', by: 'outside', input: nothing });
const deny = defineEvent({ name: 'deny', by: 'outside', input: nothing });
const agents = { coder: defineAgent({ model: 'openai-compatible/any', instructions: 'x' }) };

function machine() {
  return setup({
    input: z.object({ task: z.string() }),
    types: {} as { context: { turns: number } },
    events: [check, ask, spin, allow, deny],
    agents,
    actors: { job: fromPromise(async () => 1) },
    guards: { yes: () => true },
  }).createMachine({
    context: { turns: 0 },
    initial: 'coding',
    states: {
      coding: {
        invoke: { src: 'coder', input: { prompt: 'go' } },
        on: { check: '.checking', ask: '.asking', spin: '.round', 'agent.fault.*': 'failed' },
        initial: 'waiting',
        states: {
          waiting: {},
          checking: { invoke: { src: 'job', onDone: 'rested' } },
          // At Rest, were it not for what follows in the same macrostep.
          rested: { always: { guard: 'yes', target: '#review' } },
          asking: {
            invoke: { src: 'gate', input: { gate: 'permission' } },
            on: { allow: 'waiting', deny: '#review' },
          },
          round: { always: { guard: 'yes', target: 'about' } },
          about: { always: { guard: 'yes', target: 'round' } },
        },
      },
      review: {
        id: 'review',
        invoke: { src: 'gate', input: { gate: 'merge' } },
        on: { allow: 'done', deny: 'coding' },
      },
      done: { type: 'final' },
      failed: { type: 'final' },
    },
  });
}

function admitted(): Ledger {
  const ledger = new Ledger(hostedWorkflow(machine()), { task: 't' });
  ledger.admit();
  return ledger;
}

describe('within one macrostep', () => {
  it('Rest that is left again at once completes the turn: its receipt says that it is over, and has no answer', () => {
    const ledger = admitted();
    expect(ledger.pick('check', {}, { deliveryId: 'd1' }).status).toBe(202);
    ledger.done();
    expect(ledger.state.value).toBe('review');
    const { receipt } = ledger.deliveries.get('d1') ?? {};
    expect(receipt).toMatchObject({ moved: true, turnComplete: true, allowed: [] });
    expect(receipt).not.toHaveProperty('answer');
    expect([...ledger.executions.values()]).toMatchObject([{ status: 'succeeded' }]);
  });

  it('a turn that a human`s `deny` ended: a late `allow` for that gate is refused, and nothing runs again', () => {
    const ledger = admitted();
    ledger.pick('ask', {}, { deliveryId: 'd1' });
    const [gate] = ledger.state.gates;
    ledger.gate('permission', 'deny');
    ledger.settle('completed');
    expect(ledger.deliveries.get('d1')?.receipt).toMatchObject({ turnComplete: true });
    const before = JSON.stringify(ledger.state);
    for (const name of ['permission', gate?.gateId ?? ''])
      expect(() => ledger.gate(name, 'allow')).toThrow(/gate_closed/);
    expect(JSON.stringify(ledger.state)).toBe(before);
    expect(ledger.intents.size).toBe(1);
    expect(ledger.state.gates).toMatchObject([{ gate: 'merge' }]);
  });

  it('a loop that no walk can see ends its run, and the process lives', () => {
    const ledger = admitted();
    ledger.pick('spin', {}, { deliveryId: 'd1' });
    expect(ledger.state).toMatchObject({ status: 'error', fault: { code: 'machine_failed' } });
    expect(ledger.state.fault?.reason).toMatch(/loop|iteration|10,?000/i);
    expect(ledger.deliveries.get('d1')).toMatchObject({ transitions: 0, receipt: { moved: false } });
  });
});
