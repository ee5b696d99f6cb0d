import { describe, expect, it } from 'vitest';
import { FENCE_KEEP_MS, MAX_WAITING } from '../limits.ts';
import type { PendingPick } from '../turn/port.ts';
import { evolveAll } from './evolve.ts';
import { type ConversationState, emptyConversation, isPublic, submissionsOf } from './state.ts';
import { type ConversationEffect, type ConversationEvent, judgeAdmission, step } from './step.ts';

const PROMPT = {
  agentName: 'coder',
  definition: { model: 'openai/x', instructions: 'Be brief.' },
  message: 'hello',
  notices: [],
};
const admit = (submissionId: string, more: { at?: number; turnId?: string; key?: string; digest?: string } = {}) => ({
  type: 'admit' as const,
  at: 1_000,
  submissionId,
  digest: `digest of ${submissionId}`,
  ...PROMPT,
  ...more,
});
const PICK: PendingPick = {
  deliveryId: 'd1',
  toolCallId: 'c1',
  turnId: 't1',
  event: 'finish',
  input: {},
  progress: {
    startedAt: 0,
    toolCalls: 1,
    tokens: 0,
    repeated: { key: '', count: 0 },
    told: [],
    listed: [],
    clientDeliveryIds: true,
  },
};

/** Plays events one after another and keeps everything that came out. */
function play(
  events: readonly ConversationEvent[],
  state: ConversationState = emptyConversation('i1', 'coder', 'inc'),
) {
  const effects: ConversationEffect[] = [];
  const types: string[] = [];
  let now = state;
  for (const event of events) {
    const next = step(now, event);
    effects.push(...next.effects);
    types.push(
      ...next.records.map((record) => (isPublic(record) ? `${record.type} ${record.submissionId}` : record.type)),
    );
    now = next.state;
  }
  return { state: now, effects, types };
}

const kinds = (effects: readonly ConversationEffect[]) =>
  effects.map(
    (effect) => `${effect.kind} ${effect.kind === 'settled' ? effect.submission.submissionId : effect.submissionId}`,
  );

const start = (submissionId: string): ConversationEvent => ({ type: 'start', at: 2_000, submissionId });
const end = (submissionId: string): ConversationEvent => ({
  type: 'end',
  at: 3_000,
  submissionId,
  records: [],
  outcome: 'completed',
});
const save = (
  submissionId: string,
  ...records: Extract<ConversationEvent, { type: 'save' }>['records']
): ConversationEvent => ({
  type: 'save',
  at: 2_500,
  submissionId,
  records,
});
const waiting = (submissionId: string) =>
  save(submissionId, { type: 'private.pick', pick: PICK }, { type: 'submission.waiting', deliveryId: 'd1' });
const abort = (fence: { submissionId?: string; turnId?: string } = {}, at = 2_600): ConversationEvent => ({
  type: 'abort',
  at,
  ...fence,
});

describe('the queue', () => {
  it('offers the first at once and the next when it is over (TW-ADM-014)', () => {
    const first = play([admit('a'), admit('b')]);
    expect(kinds(first.effects)).toEqual(['ready a']);
    const second = play([start('a'), end('a')], first.state);
    expect(kinds(second.effects)).toEqual(['run a', 'settled a', 'ready b']);
    expect(second.types).toEqual(['submission.started a', 'submission.settled a']);
  });

  it('does not start one that is not the first, twice, or after it settled', () => {
    const { state } = play([admit('a'), admit('b')]);
    expect(step(state, start('b')).records).toEqual([]);
    const started = play([start('a')], state).state;
    expect(step(started, start('a')).records).toEqual([]);
    const over = play([end('a')], started).state;
    expect(step(over, start('a')).effects).toEqual([]);
  });

  it('is full with 64 waiting, the running one not counted (TW-ADM-010)', () => {
    const ids = Array.from({ length: MAX_WAITING + 1 }, (_, index) => `s${index}`);
    const almost = play(ids.slice(0, -1).map((id) => admit(id))).state;
    expect(judgeAdmission(almost, undefined, 'd').verdict).toBe('new');
    const full = play([admit('last')], almost).state;
    expect(judgeAdmission(full, undefined, 'd').verdict).toBe('full');
    expect(judgeAdmission(play([start('s0'), end('s0')], full).state, undefined, 'd').verdict).toBe('new');
  });

  it('knows a key again by its body, when the queue is full and after the settlement too (TW-GEN-018, TW-GEN-019)', () => {
    const { state } = play([admit('a', { key: 'k', digest: 'x' }), start('a'), end('a')]);
    expect(judgeAdmission(state, 'k', 'x')).toEqual({ verdict: 'replayed', submissionId: 'a' });
    expect(judgeAdmission(state, 'k', 'y')).toEqual({ verdict: 'mismatch' });
    expect(judgeAdmission(state, 'other', 'x')).toEqual({ verdict: 'new' });
    const full = play(
      Array.from({ length: MAX_WAITING + 1 }, (_, index) => admit(`s${index}`)),
      state,
    ).state;
    expect(judgeAdmission(full, 'k', 'x').verdict).toBe('replayed');
  });

  it('keeps the messages and the menu of a turn, and stamps its records', () => {
    const message = { id: 'm1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'hi' }] };
    const menu = [{ name: 'finish', input: {} }];
    const { state } = play([admit('a', { turnId: 't1' }), start('a')]);
    const saved = step(state, save('a', { type: 'private.menu', menu }, { type: 'message.appended', message }));
    expect(saved.state.messages).toEqual([message]);
    expect(saved.state.menu).toEqual(menu);
    expect(saved.records[1]).toEqual({
      type: 'message.appended',
      submissionId: 'a',
      turnId: 't1',
      at: new Date(2_500).toISOString(),
      message,
    });
  });

  it('keeps the last words of a turn in the same step as its settlement, before it', () => {
    const { state } = play([admit('a'), start('a')]);
    const message = { id: 'm1', role: 'assistant' as const, parts: [] };
    const { records } = step(state, {
      ...end('a'),
      records: [{ type: 'message.appended', message }],
    } as ConversationEvent);
    expect(records.map(({ type }) => type)).toEqual(['message.appended', 'submission.settled']);
  });

  it('says why a failed or aborted one ended, whatever the turn said (TW-STR-036)', () => {
    const { state } = play([admit('a'), start('a')]);
    const { records } = step(state, { ...end('a'), outcome: 'aborted' } as ConversationEvent);
    expect(records[0]).toMatchObject({ outcome: 'aborted', error: { code: 'aborted' } });
  });
});

describe('aborts', () => {
  it('without a fence end the running one and everything queued, in the order of admission (TW-ABT-001, TW-ABT-009)', () => {
    const { state } = play([admit('a'), admit('b'), admit('c'), start('a')]);
    const asked = play([abort()], state);
    expect(kinds(asked.effects)).toEqual(['cancel a']);
    const over = play([{ ...end('a'), outcome: 'aborted' } as ConversationEvent], asked.state);
    expect(over.types).toEqual(['submission.settled a', 'submission.settled b', 'submission.settled c']);
    expect(over.state.settled.map(({ settlement }) => settlement?.outcome)).toEqual(['aborted', 'aborted', 'aborted']);
  });

  it('settle queued ones at once when nothing runs', () => {
    const { types, effects } = play([admit('a'), admit('b'), abort()]);
    expect(types.slice(4)).toEqual(['private.abort', 'submission.settled a', 'submission.settled b']);
    expect(kinds(effects)).toEqual(['ready a', 'settled a', 'settled b']);
  });

  it('with a fence end that one and those before it, never a later one (TW-ABT-002)', () => {
    const { state } = play([admit('a', { turnId: 't1' }), admit('b', { turnId: 't2' }), admit('c', { turnId: 't3' })]);
    for (const fence of [{ submissionId: 'b' }, { turnId: 't2' }]) {
      const { types, effects } = play([abort(fence)], state);
      expect(types).toEqual(['private.abort', 'submission.settled a', 'submission.settled b']);
      expect(kinds(effects).at(-1)).toBe('ready c');
    }
  });

  it('of an earlier turn leave the running one alone', () => {
    const { state } = play([
      admit('a', { turnId: 't1' }),
      start('a'),
      end('a'),
      admit('b', { turnId: 't2' }),
      start('b'),
    ]);
    for (const fence of [{ submissionId: 'a' }, { turnId: 't1' }, { submissionId: 'unknown' }]) {
      expect(step(state, abort(fence)).effects).toEqual([]);
    }
  });

  it('of a turn that was not admitted yet are remembered for ten minutes (TW-ABT-003)', () => {
    const { state } = play([abort({ turnId: 't9' }, 0)], play([admit('a'), start('a')]).state);
    const late = play([admit('z', { turnId: 't9', at: FENCE_KEEP_MS - 1 })], state);
    expect(late.types).toEqual(['private.admitted', 'submission.queued z', 'submission.settled z']);
    expect(late.state.live.map(({ submissionId }) => submissionId)).toEqual(['a']);
    const tooLate = play([admit('z', { turnId: 't9', at: FENCE_KEEP_MS })], state);
    expect(tooLate.state.live.map(({ submissionId }) => submissionId)).toEqual(['a', 'z']);
  });

  it('change nothing in an idle conversation', () => {
    const { state } = play([admit('a'), start('a'), end('a')]);
    expect(step(state, abort())).toEqual({ state, records: [], effects: [] });
  });

  it('let a turn that had completed stay completed: the first settlement wins', () => {
    const { state } = play([
      admit('a'),
      start('a'),
      abort(),
      end('a'),
      { ...end('a'), outcome: 'aborted' } as ConversationEvent,
    ]);
    expect(state.settled.map(({ settlement }) => settlement?.outcome)).toEqual(['completed']);
  });
});

describe('a restart', () => {
  const restart: ConversationEvent = { type: 'restart', at: 9_000 };

  it('runs what was queued (TW-DUR-003)', () => {
    expect(kinds(play([restart], play([admit('a'), admit('b')]).state).effects)).toEqual(['ready a']);
  });

  it('fails what was at work, and goes on with the next (TW-DUR-005)', () => {
    const inFlight = save('a', { type: 'private.pick', pick: PICK });
    for (const events of [
      [start('a')],
      [start('a'), inFlight],
      [start('a'), waiting('a'), save('a', { type: 'private.pick', pick: null })],
    ]) {
      const { state, effects } = play([restart], play([admit('a'), admit('b'), ...events]).state);
      expect(state.settled[0]?.settlement?.error?.code).toBe('harness_restarted');
      expect(kinds(effects)).toEqual(['settled a', 'ready b']);
    }
  });

  it('goes on waiting for a delivery that is outstanding (TW-DUR-004)', () => {
    const { state, effects, types } = play([restart], play([admit('a'), admit('b'), start('a'), waiting('a')]).state);
    expect(kinds(effects)).toEqual(['resume a']);
    expect(types).toEqual([]);
    expect(state.live[0]).toMatchObject({ state: 'waiting', pick: PICK });
  });

  it('settles aborted what was being aborted', () => {
    for (const events of [[start('a')], [start('a'), waiting('a')]]) {
      const { state } = play([restart], play([admit('a'), admit('b'), ...events, abort()]).state);
      expect(state.settled.map(({ settlement }) => settlement?.error?.code)).toEqual(['aborted', 'aborted']);
    }
  });
});

describe('the log', () => {
  it('is all that the state is made of', () => {
    const created = {
      type: 'private.created' as const,
      iid: 'i1',
      name: 'coder',
      incarnation: 'inc',
      at: '2026-01-01T00:00:00Z',
    };
    let state = evolveAll(emptyConversation('', '', ''), [created]);
    const records = [];
    for (const event of [
      admit('a', { key: 'k' }),
      start('a'),
      waiting('a'),
      abort({ turnId: 'later' }),
      end('a'),
      admit('b'),
    ]) {
      const next = step(state, event);
      records.push(...next.records);
      state = next.state;
    }
    const read = evolveAll(emptyConversation('', '', ''), JSON.parse(JSON.stringify([created, ...records])));
    expect(read).toEqual(state);
    expect(submissionsOf(read).map(({ submissionId }) => submissionId)).toEqual(['a', 'b']);
  });
});
