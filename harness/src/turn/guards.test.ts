import { describe, expect, it } from 'vitest';
import type { StepResult, ToolCall } from '../engine/port.ts';
import { callForbidden, callKey, countRepeats, deadlineExceeded, stepExceeds } from './guards.ts';
import type { PickResult, TurnProgress } from './port.ts';

const progress = (more: Partial<TurnProgress> = {}): TurnProgress => ({
  startedAt: 0,
  toolCalls: 0,
  tokens: 0,
  repeated: { key: '', count: 0 },
  told: [],
  listed: [],
  clientDeliveryIds: true,
  ...more,
});

const call = (name: string, input: unknown = {}): ToolCall => ({ id: 'c', name, input });

/** Executes the calls with their outcomes; says at which (from 1) the runaway guard steps in. */
function tripsAt(calls: readonly [ToolCall, PickResult['code'] | undefined][]): number | undefined {
  let at = progress();
  for (const [index, [one, code]] of calls.entries()) {
    if (callForbidden(undefined, at, one) !== undefined) return index + 1;
    at = { ...at, toolCalls: at.toolCalls + 1, repeated: countRepeats(at.repeated, one, code) };
  }
  return undefined;
}

const times = (count: number, one: ToolCall, code?: PickResult['code']) =>
  Array.from({ length: count }, (): [ToolCall, PickResult['code'] | undefined] => [one, code]);

describe('runaway (TW-TRN-011, TW-TRN-012)', () => {
  const a = call('approve', { x: 1, y: [1, 2] });
  const b = call('approve', { x: 2 });

  it.each<[string, [ToolCall, PickResult['code'] | undefined][], number | undefined]>([
    ['the 4th identical call that moves nothing', times(4, a, 'not_moved'), 4],
    ['refused ones count too', [...times(2, a, 'refused'), ...times(2, a, 'not_moved')], 4],
    [
      'another order of members is the same JSON',
      [...times(3, a, 'not_moved'), [call('approve', { y: [1, 2], x: 1 }), 'not_moved']],
      4,
    ],
    [
      'another order of a list is not',
      [...times(3, a, 'not_moved'), [call('approve', { x: 1, y: [2, 1] }), 'not_moved']],
      undefined,
    ],
    ['another input between', [...times(3, a, 'not_moved'), [b, 'not_moved'], ...times(3, a, 'not_moved')], undefined],
    [
      'another call between that never got there',
      [...times(3, a, 'not_moved'), [b, 'never_reached'], ...times(3, a, 'not_moved')],
      undefined,
    ],
    ['calls that moved', times(10, a, 'moved'), undefined],
    [
      'a move begins anew',
      [...times(3, a, 'not_moved').slice(1), [a, 'moved'], ...times(3, a, 'not_moved')],
      undefined,
    ],
    ['never_reached', times(10, a, 'never_reached'), undefined],
    ['stopping', times(10, a, 'stopping'), undefined],
    ['outstanding_conflict', times(10, a, 'outstanding_conflict'), undefined],
    [
      'one that never got there between does not begin anew',
      [...times(2, a, 'not_moved'), [a, 'stopping'], [a, 'not_moved'], [a, 'not_moved']],
      5,
    ],
    ['malformed ones never reached the workflow', times(10, a), undefined],
  ])('%s', (_, calls, at) => expect(tripsAt(calls)).toBe(at));

  it('the 257th call of a turn', () => {
    const calls = Array.from({ length: 300 }, (_, n): [ToolCall, PickResult['code']] => [
      call('approve', { n }),
      'moved',
    ]);
    expect(tripsAt(calls)).toBe(257);
  });

  it('does not mix up names and inputs', () => {
    expect(callKey(call('a', 'b'))).not.toBe(callKey(call('a "b"', '')));
  });
});

describe('limits name the limit and the amount used (TW-TRN-013)', () => {
  const result = (outputTokens: number, truncated = false): StepResult => ({
    parts: [],
    toolCalls: [],
    usage: { inputTokens: 0, outputTokens },
    ...(truncated && { truncated }),
  });

  it.each<[string, ReturnType<typeof stepExceeds>, string | undefined]>([
    ['tool calls within', callForbidden({ maxToolCalls: 3 }, progress({ toolCalls: 2 }), call('a')), undefined],
    [
      'tool calls beyond',
      callForbidden({ maxToolCalls: 3 }, progress({ toolCalls: 3 }), call('a')),
      'maxToolCalls of 3 was exceeded: call 4',
    ],
    [
      'none at all',
      callForbidden({ maxToolCalls: 0 }, progress(), call('a')),
      'maxToolCalls of 0 was exceeded: call 1',
    ],
    ['output within', stepExceeds({ maxOutputTokens: 50 }, result(50), 0), undefined],
    [
      'output beyond',
      stepExceeds({ maxOutputTokens: 50 }, result(51), 0),
      'maxOutputTokens of 50 was exceeded: 51 used',
    ],
    [
      'output cut',
      stepExceeds({ maxOutputTokens: 50 }, result(50, true), 0),
      'maxOutputTokens of 50 was exceeded: 50 used in one step, and',
    ],
    ["output cut at the model's own limit", stepExceeds({}, result(50, true), 0), undefined],
    ['tokens within', stepExceeds({ maxTotalTokens: 100 }, result(1), 100), undefined],
    [
      'tokens beyond',
      stepExceeds({ maxTotalTokens: 100 }, result(1), 101),
      'maxTotalTokens of 100 was exceeded: 101 used',
    ],
    ['the deadline', deadlineExceeded({ deadlineSeconds: 2 }, 2345), 'deadlineSeconds of 2 was exceeded: 2.3 used'],
  ])('%s', (_, ending, message) => {
    if (message === undefined) expect(ending).toBeUndefined();
    else
      expect(ending).toMatchObject({
        outcome: 'failed',
        error: { code: 'limit_exceeded', message: expect.stringContaining(message) },
      });
  });
});
