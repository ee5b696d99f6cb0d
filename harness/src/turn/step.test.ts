import { describe, expect, it } from 'vitest';
import type { StepResult } from '../engine/port.ts';
import type { Message, PendingPick, PickResult, SurfaceRead, TurnInput, TurnRecord } from './port.ts';
import { type Effect, initialState, type TurnEvent, type TurnState } from './state.ts';
import { step } from './step.ts';

const menu = [
  { name: 'run_checks', input: { type: 'object' } },
  { name: 'approve', input: { type: 'object' } },
];

const input: TurnInput = {
  submissionId: 'sub_1',
  turnId: 'turn_1',
  agentName: 'reviewer',
  iid: 'iid_1',
  definition: { model: 'openai-compatible/any', instructions: 'Review.' },
  message: 'Look at this.',
  notices: ['The workflow is in review.'],
  history: [],
};

const surface = (allowed: string[], more: Partial<Extract<SurfaceRead, { status: 'ok' }>> = {}): TurnEvent => ({
  type: 'surface',
  read: { status: 'ok', turnId: 'turn_1', menu, allowed, clientDeliveryIds: true, etag: '"1"', ...more },
});
const read = (status: 'turn_over' | 'unchanged'): TurnEvent => ({ type: 'surface', read: { status } });

const said = (text: string, ...calls: (string | [string, unknown])[]): TurnEvent => ({
  type: 'answered',
  messageId: 'msg_said',
  result: {
    parts: text === '' ? [] : [{ type: 'text', text }],
    toolCalls: calls.map((call, index) =>
      typeof call === 'string'
        ? { id: `c${index}`, name: call, input: {} }
        : { id: `c${index}`, name: call[0], input: call[1] },
    ),
    usage: { inputTokens: 10, outputTokens: 5 },
  },
});

const outcome = (code: PickResult['code'], more: Partial<PickResult> = {}): TurnEvent => ({
  type: 'picked',
  ms: 7,
  result: {
    code,
    kind: code === 'moved' || code === 'not_moved' ? 'answer' : 'error',
    text: `the outcome ${code}`,
    turnComplete: false,
    ...more,
  },
});

interface Played {
  state: TurnState;
  effects: Effect[];
  records: TurnRecord[];
}

/** Plays the events; effects and records are those of all of them, in order. */
function play(from: Partial<TurnInput>, ...events: TurnEvent[]): Played {
  let state = initialState({ ...input, ...from }, 0);
  let ids = 0;
  const effects: Effect[] = [];
  for (const event of [{ type: 'begin' } as const, ...events]) {
    const stepped = step(state, event, { now: 1000, newId: (prefix) => `${prefix}_${++ids}` });
    state = stepped.state;
    effects.push(...stepped.effects);
  }
  const records = effects.flatMap((effect) => (effect.type === 'save' || effect.type === 'end' ? effect.records : []));
  return { state, effects, records };
}

const types = (played: Played) => played.effects.map((effect) => effect.type);
const ending = (played: Played) =>
  played.effects.flatMap((effect) => (effect.type === 'end' ? [effect.ending] : []))[0];
const messages = (played: Played) =>
  played.records.flatMap((record) => (record.type === 'message.appended' ? [record.message] : []));
const texts = (message: Message | undefined) =>
  message?.parts.map((part) => (part.type === 'tool-call' ? part.name : part.text));

describe('the first surface read', () => {
  it('comes before the model, and the message, the notices and last the Allowed picks follow (TW-TRN-001, TW-TRN-004)', () => {
    expect(types(play({}))).toEqual(['read']);
    const opened = play({}, surface(['run_checks']));
    expect(types(opened)).toEqual(['read', 'save', 'ask']);
    const told = texts(messages(opened)[0]);
    expect(told?.slice(0, 2)).toEqual(['Look at this.', 'The workflow is in review.']);
    expect(told?.[2]).toContain('run_checks');
    expect(opened.state.history).toEqual(messages(opened));
  });

  it('stores the menu with the conversation once, and a later one changes nothing (TW-TRN-003)', () => {
    expect(play({}, surface([])).records[0]).toEqual({ type: 'private.menu', menu });
    const later = play({ menu: menu.slice(0, 1) }, surface([]));
    expect(later.records.filter((record) => record.type === 'private.menu')).toEqual([]);
    expect(later.state.menu).toEqual(menu.slice(0, 1));
  });

  it.each<[string, TurnEvent, string, string]>([
    ['turn_over', read('turn_over'), 'aborted', 'turn_over'],
    ['another turn', surface([], { turnId: 'turn_2' }), 'aborted', 'turn_over'],
    [
      'no answer',
      { type: 'surface', read: { status: 'unreachable', message: 'nobody there' } },
      'failed',
      'surface_unreachable',
    ],
    ['a refusal', { type: 'surface', read: { status: 'refused', message: '403' } }, 'failed', 'surface_refused'],
  ])('%s: the model is not asked and the history is untouched (TW-TRN-002, TW-TRN-015)', (_, event, how, code) => {
    const played = play({}, event);
    expect(types(played)).toEqual(['read', 'end']);
    expect(ending(played)).toMatchObject({ outcome: how, error: { code } });
    expect(played.records).toEqual([]);
    expect(played.state.history).toEqual([]);
  });

  it('without a turnId in the admission takes the one of the surface', () => {
    const { turnId: _, ...without } = input;
    const state = initialState(without, 0);
    const opened = step(state, surface([], { turnId: 'turn_9' }), { now: 0, newId: () => 'x' });
    expect(opened.state.turnId).toBe('turn_9');
  });

  it('answers calls that a dead process left open: the first is in doubt, the next was never made', () => {
    const parts = ['approve', 'run_checks'].map((name, index) => ({
      type: 'tool-call' as const,
      id: `c${index}`,
      name,
      input: {},
    }));
    const opened = play({ history: [{ id: 'm', role: 'assistant', parts }] }, surface([]));
    const [first, second, message] = messages(opened);
    expect([first?.role, second?.role, message?.role]).toEqual(['tool', 'tool', 'user']);
    expect(texts(first)?.[0]).toContain('not known whether');
    expect(texts(second)?.[0]).toContain('nothing was sent');
  });
});

describe('a step of the model', () => {
  it('without tool calls ends the turn, with its message and usage in the last write', () => {
    const played = play({}, surface([]), said('I think so.'));
    expect(ending(played)).toEqual({ outcome: 'completed' });
    expect(played.records.slice(-2)).toEqual([
      {
        type: 'message.appended',
        message: { id: 'msg_said', role: 'assistant', parts: [{ type: 'text', text: 'I think so.' }] },
      },
      { type: 'usage', inputTokens: 10, outputTokens: 5 },
    ]);
  });

  it('that says nothing at all leaves no message', () => {
    expect(messages(play({}, surface([]), said('')))).toHaveLength(1);
  });

  it('with a call saves the pick under its id before it is sent', () => {
    const played = play({}, surface(['approve']), said('', ['approve', { a: 1 }]));
    const [saved, sent] = played.effects.slice(-2);
    expect(sent).toMatchObject({ type: 'deliver', resume: false, clientDeliveryIds: true });
    const { pick } = sent as { pick: PendingPick };
    expect(pick).toMatchObject({ turnId: 'turn_1', event: 'approve', input: { a: 1 }, toolCallId: 'c0' });
    expect(saved?.type === 'save' && saved.records.slice(-2)).toEqual([
      { type: 'tool.called', name: 'approve' },
      { type: 'private.pick', pick },
    ]);
  });

  it('that failed for good fails the turn and keeps what was said (TW-TRN-014)', () => {
    const played = play({}, surface([]), { type: 'engine_failed', messageId: 'm', text: 'I beg', message: '401' });
    expect(ending(played)).toEqual({ outcome: 'failed', error: { code: 'engine_failed', message: '401' } });
    expect(texts(messages(played).at(-1))).toEqual(['I beg']);
  });
});

describe('a pick', () => {
  const picking = [surface(['run_checks']), said('', 'run_checks', 'approve')];

  it('is one after another: the second call is sent when the first has its result (TW-TRN-008)', () => {
    const first = play({}, ...picking);
    expect(first.effects.filter((effect) => effect.type === 'deliver')).toHaveLength(1);
    const second = play({}, ...picking, outcome('moved', { allowed: ['approve'] }));
    const sent = second.effects.flatMap((effect) => (effect.type === 'deliver' ? [effect.pick] : []));
    expect(sent.map((pick) => pick.event)).toEqual(['run_checks', 'approve']);
    expect(new Set(sent.map((pick) => pick.deliveryId)).size).toBe(2);
  });

  it('gives its text to the model and its name, outcome and time to readers (TW-TRN-010)', () => {
    const played = play({}, ...picking, outcome('stopping'));
    expect(played.records).toContainEqual({ type: 'tool.answered', name: 'run_checks', outcome: 'stopping', ms: 7 });
    expect(played.records).toContainEqual({ type: 'private.pick', pick: null });
    const part = { type: 'tool-result', id: 'c0', name: 'run_checks', text: 'the outcome stopping', isError: true };
    expect(messages(played).at(-1)).toMatchObject({ role: 'tool', parts: [part] });
  });

  it('that completes the turn ends it there; the remaining calls are not made and say so (TW-TRN-009)', () => {
    const played = play({}, ...picking, outcome('turn_complete', { turnComplete: true, allowed: [] }));
    expect(ending(played)).toEqual({ outcome: 'completed' });
    expect(played.effects.filter((effect) => effect.type === 'deliver')).toHaveLength(1);
    expect(texts(messages(played).at(-1))?.[0]).toContain('nothing was sent');
  });

  it('answered turn_over ends the turn aborted', () => {
    expect(ending(play({}, ...picking, outcome('turn_over')))).toMatchObject({
      outcome: 'aborted',
      error: { code: 'turn_over' },
    });
  });

  it('that is outstanding is recorded first, frees the slot, and takes one again before it goes on', () => {
    const dlv = play({}, ...picking).state.pick?.deliveryId ?? '';
    const waiting = play({}, ...picking, { type: 'outstanding', deliveryId: dlv });
    expect(waiting.effects.slice(-2)).toEqual([
      { type: 'save', records: [{ type: 'submission.waiting', deliveryId: dlv }] },
      { type: 'waiting', deliveryId: dlv },
    ]);
    const done = play({}, ...picking, { type: 'outstanding', deliveryId: dlv }, outcome('moved'));
    expect(types(done).slice(-4)).toEqual(['waiting', 'waiting', 'save', 'deliver']);
  });

  it('is kept under the id that the Orchestrator gave it, where ours is not taken', () => {
    const waiting = play({}, ...picking, { type: 'outstanding', deliveryId: 'theirs' });
    expect(waiting.state.pick?.deliveryId).toBe('theirs');
    expect(waiting.records.slice(-2)).toEqual([
      { type: 'private.pick', pick: waiting.state.pick },
      { type: 'submission.waiting', deliveryId: 'theirs' },
    ]);
  });

  it.each([
    ['an unknown name', ['merge', {}] as [string, unknown], 'There is no pick named'],
    ['an input that is no object', ['approve', 'yes'] as [string, unknown], 'could not be read'],
    ['an input that is a list', ['approve', []] as [string, unknown], 'could not be read'],
  ])('with %s is refused to the model without the wire', (_, call, text) => {
    const played = play({}, surface(['approve']), said('', call));
    expect(types(played)).toEqual(['read', 'save', 'ask', 'save', 'read']);
    expect(played.records).toContainEqual({ type: 'tool.answered', name: call[0], outcome: 'refused', ms: 0 });
    const result = messages(played).at(-1)?.parts[0];
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining(text) });
  });

  it('that no parser could read is refused too', () => {
    const result: StepResult = {
      parts: [],
      toolCalls: [{ id: 'c', name: 'approve', input: '{', malformed: 'not JSON' }],
      usage: { inputTokens: 0, outputTokens: 0 },
    };
    const played = play({}, surface([]), { type: 'answered', messageId: 'm', result });
    expect(types(played)).not.toContain('deliver');
    expect(texts(messages(played).at(-1))?.[0]).toContain('not JSON');
  });
});

describe('a step boundary', () => {
  const boundary = [
    surface(['run_checks', 'approve']),
    said('', 'run_checks'),
    outcome('moved', { allowed: ['approve'] }),
  ];

  it('reads the surface again, with the ETag (TW-TRN-005)', () => {
    expect(play({}, ...boundary).effects.at(-1)).toEqual({ type: 'read', step: true, etag: '"1"' });
  });

  it.each<[string, TurnEvent, string[] | undefined]>([
    ['what the receipt told is not told again', surface(['approve']), undefined],
    ['another order is no change', surface(['approve'], { etag: '"2"' }), undefined],
    ['a changed list is told', surface(['run_checks']), ['run_checks']],
    ['an unchanged surface that is not what the receipt told is told', read('unchanged'), ['run_checks', 'approve']],
    ['a failed read keeps the last list', { type: 'surface', read: { status: 'unreachable', message: '' } }, undefined],
    ['a refused read keeps the last list', { type: 'surface', read: { status: 'refused', message: '' } }, undefined],
  ])('%s (TW-TRN-006)', (_, event, told) => {
    const before = messages(play({}, ...boundary)).length;
    const after = play({}, ...boundary, event);
    expect(after.effects.at(-1)?.type).toBe('ask');
    const more = messages(after).slice(before);
    expect(more).toHaveLength(told === undefined ? 0 : 1);
    for (const name of told ?? []) expect(texts(more[0])?.[0]).toContain(name);
  });

  it.each([
    ['404 turn_over', read('turn_over')],
    ['another turn', surface([], { turnId: 'turn_2' })],
  ])('%s ends the turn', (_, event) => {
    expect(ending(play({}, ...boundary, event))).toMatchObject({ outcome: 'aborted', error: { code: 'turn_over' } });
  });
});

describe('an abort', () => {
  const abort: TurnEvent = { type: 'aborted', messageId: 'msg_now', text: 'I was about to' };

  it('before anything was read leaves the history untouched', () => {
    const played = play({}, abort);
    expect(types(played)).toEqual(['read', 'cancel', 'end']);
    expect(played.records).toEqual([]);
  });

  it('while the model speaks keeps what it said, and its answer comes too late (TW-ABT-008)', () => {
    const played = play({}, surface([]), abort, said('late', 'approve'));
    expect(types(played).slice(-2)).toEqual(['cancel', 'end']);
    expect(messages(played).at(-1)).toEqual({
      id: 'msg_now',
      role: 'assistant',
      parts: [{ type: 'text', text: 'I was about to' }],
    });
    expect(ending(played)).toMatchObject({ outcome: 'aborted', error: { code: 'aborted' } });
  });

  it('with a pick in flight waits for its lookup, keeps the result and makes no further call (TW-ABT-007)', () => {
    const picking = [surface([]), said('', 'run_checks', 'approve'), abort];
    expect(types(play({}, ...picking)).at(-1)).toBe('cancel');
    const played = play({}, ...picking, outcome('taken_turn_ended', { kind: 'answer' }));
    expect(messages(played).slice(-2).map(texts)).toEqual([
      ['the outcome taken_turn_ended'],
      [expect.stringContaining('nothing was sent')],
    ]);
    expect(ending(played)).toMatchObject({ outcome: 'aborted', error: { code: 'aborted' } });
  });

  it('after the end is nothing', () => {
    const played = play({}, surface([]), said('done'), abort);
    expect(types(played).filter((type) => type === 'end')).toHaveLength(1);
  });
});

describe('a turn that was resumed after a restart', () => {
  const calls = ['run_checks', 'approve'].map((name, index) => ({
    type: 'tool-call' as const,
    id: `c${index}`,
    name,
    input: {},
  }));
  const history: Message[] = [{ id: 'a', role: 'assistant', parts: calls }];
  const before = play({}, surface(['run_checks']), said('', 'run_checks', 'approve'));
  const { pick } = before.state;

  it('polls its pick, sends nothing, and goes on from its history', () => {
    if (pick === undefined) throw new Error('no pick');
    const resumed = play({ history, menu, resume: pick });
    expect(resumed.effects).toEqual([
      { type: 'waiting', deliveryId: pick.deliveryId },
      { type: 'deliver', pick, clientDeliveryIds: true, resume: true },
    ]);
    const again = play(
      { history, menu, resume: pick },
      { type: 'outstanding', deliveryId: pick.deliveryId },
      outcome('moved'),
    );
    expect(again.records.filter((record) => record.type === 'submission.waiting')).toEqual([]);
    const sent = again.effects.flatMap((effect) =>
      effect.type === 'deliver' ? [[effect.pick.event, effect.resume]] : [],
    );
    expect(sent).toEqual([
      ['run_checks', true],
      ['approve', false],
    ]);
    expect(again.state.progress.toolCalls).toBe(1);
  });
});
