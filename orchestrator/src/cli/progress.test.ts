import type { FeedEvent } from '@turnwire/sdk';
import { describe, expect, it } from 'vitest';
import { Progress } from './progress.ts';
import { answerLines } from './run-text.ts';
import { quoted } from './words.ts';

const AT = '2026-01-02T03:04:05.000Z';
const again = (...words: readonly string[]) => ['npx turnwire', ...words.map(quoted)].join(' ');
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
  executions: [{ executionId: 'e1', agent: 'reviewer', status: 'running', startedAt: AT }],
  gates: [],
  startedAt: AT,
};
const later = (seconds: number) => new Date(Date.parse(AT) + seconds * 1_000).toISOString();
const clock = (at: string) => new Date(at).toTimeString().slice(0, 8);

const META = {
  title: 'Retry the upload',
  passed: null,
  diff: 'x'.repeat(4_000),
  short: ['a', 'b'],
  remarks: Array.from({ length: 7 }, () => ({ file: 'a.ts', line: 1, body: 'y'.repeat(144) })),
};

describe('progress that a person can follow', () => {
  const said = (...frames: FeedEvent[]) => {
    const progress = new Progress(again);
    return frames.flatMap((each) => progress.lines(each)).map((line) => line.replace(`${CLOCK}  `, '').trim());
  };

  it('tells a snapshot with the times of its records, in their order, and how it stands with none', () => {
    const failed = { category: 'agent_error', reason: 'the key was refused', startedAt: AT, endedAt: later(4) };
    const run = {
      ...RUN,
      executions: [
        { executionId: 'e1', agent: 'reviewer', status: 'failed', ...failed },
        { executionId: 'e2', agent: 'coder', status: 'running', startedAt: later(2) },
        { executionId: 'e3', agent: 'old', status: 'running' },
      ],
      gates: [{ ...GATE, accepts: [], since: later(3) }],
    };
    const progress = new Progress(again);
    expect(progress.lines(frame('snapshot', { at: later(60), runs: [run] }))).toEqual([
      `${CLOCK}  agent reviewer began`,
      `${clock(later(2))}  agent coder began, now running`,
      `${clock(later(3))}  gate merge_decision waits`,
      '            answer it with',
      `${clock(later(4))}  agent reviewer failed (agent_error): the key was refused`,
      '          agent old running',
      '          r1 is active in reviewing.waiting',
    ]);
    // A frame may repeat what the snapshot has told, with an earlier state.
    expect(
      progress.lines(frame('execution.running', { executionId: 'e1', agent: 'reviewer', status: 'running' })),
    ).toEqual([]);
    const ended = { ...run, status: 'cancelled', reason: 'too late', endedAt: later(9), executions: [], gates: [] };
    expect(progress.lines(frame('snapshot', { at: later(60), runs: [ended] }))).toEqual([
      `${clock(later(9))}  r1 is cancelled in reviewing.waiting: too late`,
    ]);
  });

  it.each<[string, FeedEvent, string]>([
    [
      'a new agent',
      frame('execution.started', {
        executionId: 'e',
        agent: 'reviewer',
        status: 'queued',
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
      frame('execution.failed', {
        executionId: 'e',
        agent: 'reviewer',
        status: 'failed',
        category: 'runaway',
        reason: '50 steps without a pick',
      }),
      'agent reviewer failed (runaway): 50 steps without a pick',
    ],
    [
      'a cancelled turn, once',
      frame('execution.cancelled', { executionId: 'e', agent: 'reviewer', status: 'cancelled', category: 'cancelled' }),
      'agent reviewer cancelled',
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
    [
      'a cancel with its reason',
      frame('run.status', { runId: 'r1', status: 'cancelled', value: 'x', reason: 'too late' }),
      'run is cancelled in x: too late',
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
      'gate merge_decision waits',
      'answer it with',
      'npx turnwire send r1 merge_decision merge',
      `npx turnwire send r1 merge_decision decline '{"reason":"…","n":0,"deep":{},"list":[],"sure":true}'   # Not this time.`,
    ]));

  it('shows whoever decides what the gate is about', () =>
    expect(said(frame('gate.opened', { runId: 'r1', gate: { ...GATE, accepts: [], meta: META } }))).toEqual([
      'gate merge_decision waits',
      'title    Retry the upload',
      'passed   null',
      `diff     ${'x'.repeat(160)}… (4000 characters)`,
      'short    ["a","b"]',
      'remarks',
      `- {"file":"a.ts","line":1,"body":"${'y'.repeat(128)}… (178 characters)`,
      ...Array(4).fill(expect.stringMatching(/^- \{"file"/)),
      '… 2 more',
      'answer it with',
    ]));

  it('says after a reconnection only what is new', () => {
    const before = frame('snapshot', { runs: [{ ...RUN, gates: [GATE] }] });
    const after = frame('snapshot', {
      runs: [
        {
          ...RUN,
          executions: [{ executionId: 'e1', agent: 'reviewer', status: 'succeeded', startedAt: AT, endedAt: AT }],
          gates: [GATE],
        },
      ],
    });
    expect(said(before)).toHaveLength(6);
    expect(said(before, after).slice(6)).toEqual(['agent reviewer succeeded']);
  });

  it('passes over what it does not know (TW-FED-006)', () => {
    expect(said(frame('node.health', {}), frame('brand.new', {}), frame('snapshot', {}))).toEqual([]);
    expect(new Progress(again).lines({ event: 'pick', data: { at: 'never', event: 'x' } })[0]).toBe(
      '          pick x: taken',
    );
  });
});

describe('a command to paste', () => {
  it('quotes the name of a gate too', () =>
    expect(answerLines(again, 'r1', { gate: 'a b', accepts: [{ name: 'ok', input: {} }] })).toEqual([
      `npx turnwire send r1 'a b' ok`,
    ]));
});
