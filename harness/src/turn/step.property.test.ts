import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../engine/port.ts';
import type { Message, PickResult, SurfaceRead, TurnInput } from './port.ts';
import { type Effect, initialState, type TurnEvent, type TurnState, unansweredCalls } from './state.ts';
import { step } from './step.ts';

const names = ['run_checks', 'approve', 'merge'];
const menu = names.slice(0, 2).map((name) => ({ name, input: {} }));
const input: TurnInput = {
  submissionId: 's',
  turnId: 't',
  agentName: 'a',
  iid: 'i',
  definition: { model: 'openai/x', instructions: '', limits: { maxToolCalls: 20, maxTotalTokens: 500 } },
  message: 'm',
  notices: [],
  history: [],
};

const read: fc.Arbitrary<SurfaceRead> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .subarray(names.slice(0, 2))
      .map((allowed): SurfaceRead => ({ status: 'ok', turnId: 't', menu, allowed, clientDeliveryIds: true })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<SurfaceRead>(
      { status: 'turn_over' },
      { status: 'unchanged' },
      { status: 'unreachable', message: '' },
    ),
  },
);
const call: fc.Arbitrary<ToolCall> = fc.record({
  id: fc.uuid(),
  name: fc.constantFrom(...names),
  input: fc.constantFrom<unknown>({}, { a: 1 }, '{'),
});
const result: fc.Arbitrary<PickResult> = fc.record({
  code: fc.constantFrom<PickResult['code']>(
    'moved',
    'not_moved',
    'refused',
    'never_reached',
    'unknown',
    'stopping',
    'turn_over',
  ),
  kind: fc.constantFrom<PickResult['kind']>('answer', 'error'),
  text: fc.constant('text'),
  turnComplete: fc.boolean().map((yes) => yes),
});
const said = { messageId: 'said', text: 'so far' };

const event: fc.Arbitrary<TurnEvent> = fc.oneof(
  { weight: 6, arbitrary: read.map((one): TurnEvent => ({ type: 'surface', read: one })) },
  {
    weight: 6,
    arbitrary: fc.array(call, { minLength: 0, maxLength: 3 }).map(
      (toolCalls): TurnEvent => ({
        type: 'answered',
        messageId: 'said',
        result: { parts: [], toolCalls, usage: { inputTokens: 5, outputTokens: 5 } },
      }),
    ),
  },
  { weight: 6, arbitrary: result.map((one): TurnEvent => ({ type: 'picked', ms: 1, result: one })) },
  { weight: 3, arbitrary: fc.constant<TurnEvent>({ type: 'outstanding', deliveryId: 'dlv' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<TurnEvent>(
      { type: 'aborted', ...said },
      { type: 'deadline', ...said },
      { type: 'engine_failed', ...said, message: '' },
      { type: 'suspend' },
    ),
  },
);

interface Played {
  state: TurnState;
  steps: (readonly Effect[])[];
}

function play(events: readonly TurnEvent[]): Played {
  let state = initialState(input, 0);
  let ids = 0;
  const steps = [{ type: 'begin' } as TurnEvent, ...events].map((one) => {
    const stepped = step(state, one, { now: 1, newId: (prefix) => `${prefix}_${++ids}` });
    state = stepped.state;
    return stepped.effects;
  });
  return { state, steps };
}

const recordsOf = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.type === 'save' || effect.type === 'end' ? effect.records : []));

/** Whatever arrives, in whatever order: late, twice, or never asked for. */
const holds = (check: (played: Played) => void) =>
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => check(play(events))),
    { numRuns: 500 },
  );

describe('a turn, whatever happens', () => {
  it('ends at most once, and does nothing after it', () => {
    holds(({ steps }) => {
      const all = steps.flat();
      const end = all.findIndex((effect) => effect.type === 'end');
      if (end >= 0) expect(end).toBe(all.length - 1);
    });
  });

  it('sends no pick that was not saved before, and none twice', () => {
    holds(({ steps }) => {
      const sent: string[] = [];
      for (const effects of steps) {
        const delivered = effects.findIndex((effect) => effect.type === 'deliver');
        if (delivered < 0) continue;
        const effect = effects[delivered];
        if (effect?.type !== 'deliver') continue;
        expect(recordsOf(effects.slice(0, delivered))).toContainEqual({ type: 'private.pick', pick: effect.pick });
        sent.push(effect.pick.deliveryId);
      }
      expect(new Set(sent).size).toBe(sent.length);
      expect(sent.length).toBeLessThanOrEqual(20);
    });
  });

  it('has one thing in flight at a time, and frees its slot exactly when it waits', () => {
    holds(({ steps }) => {
      for (const effects of steps) {
        const begun = effects.filter((effect) => ['read', 'ask', 'deliver'].includes(effect.type));
        expect(begun.length).toBeLessThanOrEqual(1);
      }
      const slots = steps.flat().flatMap((effect) => (effect.type === 'waiting' ? [effect.deliveryId] : []));
      for (const [index, slot] of slots.entries()) expect(slot === null).toBe(index % 2 === 1);
    });
  });

  it('has a history that is what was saved, with a result for every call once it is over', () => {
    holds(({ state, steps }) => {
      const saved = steps
        .flatMap(recordsOf)
        .flatMap((record): Message[] => (record.type === 'message.appended' ? [record.message] : []));
      expect(state.history).toEqual(saved);
      if (state.phase === 'ended') expect(unansweredCalls(state.history)).toEqual([]);
    });
  });
});
