import type { FeedEvent } from '@turnwire/sdk';
import { describe, expect, it } from 'vitest';
import { answerLines, Progress, quoted } from './progress.ts';

const AT = '2026-01-02T03:04:05.000Z';
const CLOCK = new Date(AT).toTimeString().slice(0, 8);
const frame = (event: string, data: Record<string, unknown>): FeedEvent => ({
  event,
  data: { at: AT, ...data } as FeedEvent['data'],
});
const GATE = {
  gate: 'merge_decision',
  gateId: 'g1',
  accepts: [
    { name: 'merge', input: { type: 'object', properties: {} } },
    {
      name: 'decline',
      description: 'Not this time.',
      input: {
        type: 'object',
        required: ['reason', 'n', 'deep', 'list', 'sure'],
        properties: {
          reason: { type: 'string' },
          n: { type: 'integer' },
          deep: { type: 'object' },
          list: { type: 'array' },
          sure: { type: 'boolean' },
        },
      },
    },
  ],
  since: AT,
};
const RUN = {
  runId: 'r1',
  workflow: 'review',
  status: 'active',
  value: { reviewing: 'waiting' },
  context: {},
  executions: [{ executionId: 'e1', agent: 'reviewer', status: 'running' }],
  gates: [],
  startedAt: AT,
};

describe('progress that a person can follow', () => {
  const said = (...frames: FeedEvent[]) => {
    const progress = new Progress();
    return frames.flatMap((each) => progress.lines(each)).map((line) => line.replace(`${CLOCK}  `, '').trim());
  };

  it('begins each frame with its time', () =>
    expect(new Progress().lines(frame('snapshot', { runs: [RUN] }))[0]).toBe(
      `${CLOCK}  run r1 is active in reviewing.waiting`,
    ));

  it.each<[string, FeedEvent, string]>([
    [
      'a new agent',
      frame('execution.started', {
        executionId: 'e',
        execution: { executionId: 'e', agent: 'reviewer', status: 'queued' },
      }),
      'agent reviewer queued',
    ],
    [
      'an agent',
      frame('execution.awaiting_restart', { executionId: 'e', agent: 'reviewer', status: 'awaiting_restart' }),
      'agent reviewer awaiting restart',
    ],
    [
      'a failure',
      frame('execution.failed', { executionId: 'e', agent: 'reviewer', status: 'failed', category: 'runaway' }),
      'agent reviewer failed (runaway)',
    ],
    ['a pick', frame('pick', { event: 'approve', status: 'delivered', moved: true }), 'pick approve: taken'],
    [
      'an outstanding pick',
      frame('pick', { event: 'run_checks', status: 'outstanding' }),
      'pick run_checks: the workflow works on it',
    ],
    [
      'a last pick',
      frame('pick', { event: 'approve', status: 'delivered', moved: true, turnComplete: true }),
      'pick approve: taken, the turn is complete',
    ],
    [
      'a pick of a turn that ended',
      frame('pick', { event: 'approve', status: 'delivered', turnComplete: true, endedBy: 'cancelled' }),
      'pick approve: taken, the turn was ended by: cancelled',
    ],
    [
      'a pick that nothing takes',
      frame('pick', { event: 'approve', status: 'delivered', moved: false, turnComplete: false }),
      'pick approve: no transition takes it',
    ],
    [
      'a nudge',
      frame('run.retry', { agent: 'reviewer', reason: 'nudge', attempt: 1 }),
      'agent reviewer is prompted again',
    ],
    [
      'a second run',
      frame('run.retry', { agent: 'reviewer', reason: 'rerun', code: 'harness_restarted', attempt: 1 }),
      'agent reviewer is run once more after harness_restarted',
    ],
    ['an emitted event', frame('run.emit', { event: { type: 'x' } }), 'emitted {"type":"x"}'],
    [
      'a closed gate',
      frame('gate.closed', { gate: 'merge_decision', gateId: 'g1', event: 'merge' }),
      'gate merge_decision closed by merge',
    ],
    ['the end', frame('run.status', { runId: 'r1', status: 'done', value: 'merged' }), 'run is done in merged'],
    [
      'a fault',
      frame('run.status', {
        runId: 'r1',
        status: 'error',
        value: 'x',
        fault: { code: 'no_signal', state: 'reviewing', reason: 'why' },
      }),
      'run is error in x: no_signal in reviewing: why',
    ],
  ])('tells %s', (_name, event, line) => expect(said(event)).toEqual([line]));

  it('tells a gate with the exact command for each answer', () =>
    expect(said(frame('gate.opened', { runId: 'r1', gate: GATE }))).toEqual([
      'gate merge_decision waits; answer it with',
      'turnwire send r1 merge_decision merge',
      `turnwire send r1 merge_decision decline '{"reason":"…","n":0,"deep":{},"list":[],"sure":true}'   # Not this time.`,
    ]));

  it('says after a reconnection only what is new', () => {
    const before = frame('snapshot', { runs: [{ ...RUN, gates: [GATE] }] });
    const after = frame('snapshot', {
      runs: [{ ...RUN, executions: [{ executionId: 'e1', agent: 'reviewer', status: 'succeeded' }], gates: [GATE] }],
    });
    expect(said(before)).toHaveLength(5);
    expect(said(before, after).slice(5)).toEqual(['agent reviewer succeeded']);
  });

  it('passes over what it does not know (TW-FED-006)', () => {
    expect(said(frame('node.health', {}), frame('brand.new', {}), frame('snapshot', {}))).toEqual([]);
    expect(new Progress().lines({ event: 'pick', data: { at: 'never', event: 'x' } })[0]).toBe(
      '--:--:--  pick x: taken',
    );
  });
});

describe('a word for a shell', () => {
  it.each([
    ['merge', 'merge'],
    ['run_01.a:b', 'run_01.a:b'],
    ["it's", `'it'\\''s'`],
    ['two words', `'two words'`],
    ['$(x)', `'$(x)'`],
  ])('%s', (word, expected) => expect(quoted(word)).toBe(expected));

  it('quotes the name of a gate too', () =>
    expect(answerLines('r1', { gate: 'a b', accepts: [{ name: 'ok', input: {} }] })).toEqual([
      `turnwire send r1 'a b' ok`,
    ]));
});
