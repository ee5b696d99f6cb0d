import { describe, expect, it } from 'vitest';
import { HARNESS, hostedWorkflow, Ledger } from './ledger.fixture.ts';
import { codingMachine } from './machines.fixture.ts';

const plain = hostedWorkflow(codingMachine());
const continuing = hostedWorkflow(codingMachine({ continues: true }));
const begin = (workflow = plain): Ledger => new Ledger(workflow, { task: 'write it' });
const admitted = (workflow = plain): Ledger => {
  const ledger = begin(workflow);
  ledger.admit();
  return ledger;
};

describe('intents and Admissions', () => {
  it('the intent is saved with the state that asks: key, exact body, address, known store (TW-DUR-012)', () => {
    const ledger = begin();
    const intent = ledger.intents.get('key_1');
    expect(intent).toMatchObject({ agent: 'coder', iid: 'run_1.coder.0', address: HARNESS });
    expect(ledger.body()).toEqual({
      message: 'write it',
      definition: { model: 'openai-compatible/any', instructions: 'You write code.' },
      turnId: 'turn_1',
    });
    expect(ledger.effects).toContainEqual(expect.objectContaining({ kind: 'admit', key: 'key_1', doubt: false }));
    expect(ledger.types()).toEqual(['run.status', 'execution.started']);
    expect(ledger.feed[0]?.data).toMatchObject({ status: 'active', value: { coding: 'waiting' } });
  });

  it('that a copy may leave is committed first, with its store; a restart then knows it (TW-DUR-014)', () => {
    const ledger = begin();
    expect(ledger.take({ type: 'dispatch', turnId: 'turn_1', key: 'key_1', store: 's' })).toBe(true);
    expect(ledger.intents.get('key_1')).toMatchObject({ sentAt: ledger.now, store: 's' });
    ledger.restart();
    expect(ledger.effect('admit').doubt).toBe(true);
    // The next copy to the same store changes nothing.
    expect(ledger.take({ type: 'dispatch', turnId: 'turn_1', key: 'key_1', store: 's' })).toBe(true);
    expect(ledger.last.writes).toBeUndefined();
  });

  it('that no copy was taken is committed too, and then nothing is in doubt (TW-DUR-025)', () => {
    const ledger = begin();
    const of = { turnId: 'turn_1', key: 'key_1' };
    ledger.take({ type: 'dispatch', ...of });
    ledger.take({ type: 'notTaken', ...of });
    ledger.restart();
    expect(ledger.effect('admit').doubt).toBe(false);
    ledger.take({ type: 'cancel' });
    expect(ledger.effects).toEqual([]);
    expect(ledger.intents.get('key_1')?.fault).toBe('unsent');
  });

  it('a dial that came to nothing is told once, and costs no more commits', () => {
    const ledger = begin();
    const of = { turnId: 'turn_1', key: 'key_1' };
    ledger.take({ type: 'notTaken', ...of });
    expect(ledger.types().at(-1)).toBe('execution.dispatching');
    ledger.take({ type: 'notTaken', ...of });
    expect(ledger.last.writes).toBeUndefined();
    expect(ledger.effect('admit').doubt).toBe(false);
  });

  it('left while a copy was out that was not taken after all: nothing is owed any more', () => {
    const ledger = begin();
    const of = { turnId: 'turn_1', key: 'key_1' };
    ledger.take({ type: 'dispatch', ...of });
    ledger.take({ type: 'cancel' });
    expect(ledger.kinds()).toEqual(['abort']);
    ledger.take({ type: 'notTaken', ...of });
    expect(ledger.effects).toEqual([]);
    expect(ledger.intents.get('key_1')?.fault).toBe('unsent');
  });

  it('one that was left by its own pick was taken, whatever is said of the last copy', () => {
    const ledger = begin();
    const of = { turnId: 'turn_1', key: 'key_1' };
    ledger.take({ type: 'dispatch', ...of });
    ledger.pick('finish', { summary: 's' });
    ledger.take({ type: 'notTaken', ...of });
    expect(ledger.last.writes).toBeUndefined();
    expect(ledger.kinds()).toContain('abort');
  });

  it('an Admission is waited for from its offset, across a restart (TW-DUR-013)', () => {
    const ledger = admitted();
    ledger.restart();
    expect(ledger.kinds()).not.toContain('admit');
    expect(ledger.effect('wait')).toMatchObject({
      path: '/stream/sub_key_1',
      offset: '0_0',
      submissionId: 'sub_key_1',
    });
    expect(ledger.types()).toEqual(expect.arrayContaining(['execution.dispatching', 'execution.running']));
  });

  it('a stream on another origin is the fault bad_response, and its work is ended (TW-RUN-013)', () => {
    const ledger = begin();
    ledger.take({ type: 'dispatch', turnId: 'turn_1', key: 'key_1' });
    const admission = { streamUrl: 'http://elsewhere.test/s', offset: '0', submissionId: 's' };
    ledger.take({ type: 'admitted', turnId: 'turn_1', key: 'key_1', admission });
    expect(ledger.intents.get('key_1')?.fault).toBe('bad_response');
    expect(ledger.state.value).toBe('failed');
    expect(ledger.effect('abort')).toMatchObject({ turnId: 'turn_1', at: ledger.now });
  });

  it.each([
    ['unreachable', 'never_delivered', false, 'agent_unreachable', []],
    ['admission_unknown', 'unknown', false, 'admission_unknown', ['abort']],
    ['unreachable', 'never_delivered', true, 'admission_unknown', ['abort']],
    ['invalid', 'answered', false, 'invalid', []],
    ['queue_full', 'answered', false, 'queue_full', []],
    ['something', 'answered', false, 'bad_response', []],
    ['target_not_found', 'answered', false, 'target_not_found', []],
  ])('an admission that ends %s / %s (in doubt: %s) is the fault %s', (code, certainty, inDoubt, fault, owed) => {
    const ledger = begin(hostedWorkflow(codingMachine({ faultTaken: false })));
    ledger.take({ type: 'dispatch', turnId: 'turn_1', key: 'key_1' });
    ledger.take({ type: 'admissionFailed', turnId: 'turn_1', key: 'key_1', code, certainty, inDoubt, reason: 'why' });
    expect(ledger.intents.get('key_1')).toMatchObject({ fault });
    expect(ledger.state.fault).toMatchObject({
      code: fault,
      event: 'agent.fault.coder',
      agent: 'coder',
      state: 'coding.waiting',
    });
    expect(ledger.state.fault?.reason).toContain('why');
    expect(ledger.kinds()).toEqual(owed);
  });
});

describe('a turn belongs to its state (TW-RUN-008)', () => {
  it('left by its own pick it may settle; the abort is due 5 s later (TW-RUN-015)', () => {
    const ledger = admitted();
    ledger.pick('finish', { summary: 's' });
    expect(ledger.effect('abort')).toMatchObject({ at: ledger.now + 5_000, submissionId: 'sub_key_1' });
    expect(ledger.kinds()).toContain('wait');
    ledger.settle('failed', 'engine_failed');
    expect(ledger.effects).toEqual([]);
    expect([...ledger.executions.values()][0]?.status).toBe('succeeded');
  });

  it.each([
    ['a delay', (ledger: Ledger) => ledger.fire(), 'timed_out'],
    ['a cancel', (ledger: Ledger) => ledger.take({ type: 'cancel', reason: 'r' }), 'cancelled'],
  ])('left by %s the abort is due at once (TW-RUN-016)', (_what, leave, status) => {
    const ledger = admitted();
    leave(ledger);
    expect(ledger.effect('abort').at).toBe(ledger.now);
    expect([...ledger.executions.values()][0]?.status).toBe(status);
    ledger.restart();
    ledger.take({ type: 'aborted', turnId: 'turn_1', fence: 'sub_key_1' });
    expect(ledger.kinds()).toEqual(['wait']);
    ledger.settle('aborted', 'aborted');
    expect(ledger.effects).toEqual([]);
  });

  it('left before it was sent, nothing is owed (TW-DUR-018)', () => {
    const ledger = begin();
    ledger.take({ type: 'cancel' });
    expect(ledger.effects).toEqual([]);
    expect(ledger.intents.get('key_1')?.fault).toBe('unsent');
    expect(ledger.take({ type: 'dispatch', turnId: 'turn_1', key: 'key_1' })).toBe(false);
  });

  it('left while its Admission is not known, the abort is fenced by its turnId until it is', () => {
    const ledger = begin();
    ledger.take({ type: 'dispatch', turnId: 'turn_1', key: 'key_1' });
    ledger.take({ type: 'cancel' });
    expect(ledger.kinds()).toEqual(['abort']);
    expect(ledger.effect('abort').submissionId).toBeUndefined();
    const admission = { streamUrl: `${HARNESS}/s`, offset: '0', submissionId: 's1' };
    ledger.take({ type: 'admitted', turnId: 'turn_1', key: 'key_1', admission });
    expect(ledger.effect('abort').submissionId).toBe('s1');
    expect(ledger.intents.get('key_1')?.admission?.submissionId).toBe('s1');
  });

  it('an abort acknowledged without an Admission ends the intent with a name', () => {
    const ledger = begin();
    ledger.take({ type: 'dispatch', turnId: 'turn_1', key: 'key_1' });
    ledger.take({ type: 'cancel' });
    ledger.take({ type: 'aborted', turnId: 'turn_1', fence: 'turn_1' });
    expect(ledger.effects).toEqual([]);
    expect(ledger.intents.get('key_1')?.fault).toBe('turn_over');
  });

  it('one that is entered again by its own pick is another turn', () => {
    const ledger = admitted();
    expect(ledger.pick('again')).toMatchObject({ receipt: { turnComplete: true } });
    expect(ledger.turn).toMatchObject({ turnId: 'turn_2', iid: 'run_1.coder.1' });
    expect(ledger.types().filter((type) => type === 'execution.started')).toHaveLength(2);
  });
});

describe('a turn that decides nothing (TW-RUN-009)', () => {
  it('is asked again twice under new keys, then faults no_signal', () => {
    const ledger = admitted();
    ledger.pick('note');
    for (const key of ['key_2', 'key_3']) {
      ledger.settle('completed');
      expect(ledger.turn).toMatchObject({ turnId: 'turn_1', iid: 'run_1.coder.0' });
      expect(ledger.turn.intent.key).toBe(key);
      expect(ledger.body().message).toMatch(/coding\.waiting.*note.*finish/s);
      ledger.restart();
      ledger.admit();
    }
    ledger.settle('completed');
    expect(ledger.state.value).toBe('failed');
    expect([...ledger.executions.values()][0]).toMatchObject({ status: 'failed', category: 'agent_error' });
    expect(ledger.feed.filter(({ type }) => type === 'run.retry').map(({ data }) => data.attempt)).toEqual([1, 2]);
    expect(ledger.kinds()).toEqual(['act']);
  });

  it('is not asked while a pick is outstanding, and then it is', () => {
    const ledger = admitted();
    ledger.pick('check');
    ledger.settle('completed');
    expect(ledger.turn.nudges).toBe(0);
    ledger.done();
    expect(ledger.turn.nudges).toBe(1);
  });
});

describe('faults', () => {
  it('a settlement that failed reaches the machine as one event (TW-RUN-011)', () => {
    const ledger = admitted();
    ledger.settle('failed', 'engine_failed');
    expect(ledger.state.value).toBe('failed');
    expect(ledger.state.status).toBe('done');
    expect([...ledger.executions.values()][0]).toMatchObject({ status: 'failed', category: 'model_unavailable' });
    expect(ledger.effects).toEqual([]);
  });

  it('one with an outstanding pick waits for Rest, whose receipt says so', () => {
    const ledger = admitted();
    ledger.pick('check', {}, { deliveryId: 'd1' });
    ledger.settle('failed', 'engine_failed');
    expect(ledger.state.status).toBe('active');
    ledger.restart();
    ledger.done();
    expect(ledger.deliveries.get('d1')?.receipt).toMatchObject({ turnComplete: true, endedBy: 'fault', allowed: [] });
    expect(ledger.state.value).toBe('failed');
  });

  it('one that no transition takes ends the run, naming event, state and reason (TW-RUN-012)', () => {
    const ledger = admitted(hostedWorkflow(codingMachine({ faultTaken: false })));
    ledger.settle('failed', 'engine_failed');
    expect(ledger.state.status).toBe('error');
    expect(ledger.state.fault?.reason).toBe(
      'agent.fault.coder (engine_failed: because of engine_failed) was not taken in the state coding.waiting',
    );
    expect(ledger.feed.at(-1)).toMatchObject({ type: 'run.status', data: { status: 'error' } });
  });

  it.each(['harness_restarted', 'runaway'])('%s runs a rerunnable turn once more, afresh (TW-RUN-010)', (code) => {
    const ledger = admitted(hostedWorkflow(codingMachine({ rerunnable: true })));
    ledger.settle('failed', code);
    expect(ledger.turn).toMatchObject({ iid: 'run_1.coder.1', reruns: 1 });
    expect(ledger.body()).toMatchObject({ message: 'write it' });
    // What was said in the conversation that it replaces is not known there (TW-RUN-019).
    expect(ledger.body().notices).toEqual([expect.stringMatching(`This conversation is new.*${code}`)]);
    expect(ledger.turn.intent.key).toBe('key_2');
    ledger.admit();
    ledger.settle('failed', code);
    expect(ledger.state.value).toBe('failed');
  });

  it('not after a pick was taken, and not when the Agent did not allow it', () => {
    const picked = admitted(hostedWorkflow(codingMachine({ rerunnable: true })));
    picked.pick('note');
    picked.settle('failed', 'harness_restarted');
    expect(picked.state.value).toBe('failed');
    const plainAgent = admitted();
    plainAgent.settle('failed', 'harness_restarted');
    expect(plainAgent.state.value).toBe('failed');
  });

  it('a lost conversation is the fault conversation_lost, and no abort is owed', () => {
    const ledger = admitted();
    const of = { turnId: 'turn_1', submissionId: 'sub_key_1' };
    ledger.take({ type: 'streamFailed', ...of, code: 'conversation_lost', reason: 'gone' });
    expect(ledger.intents.get('key_1')?.fault).toBe('conversation_lost');
    expect(ledger.effects).toEqual([]);
  });

  it('a refused wait is a fault, and the abort is owed', () => {
    const ledger = admitted();
    const of = { turnId: 'turn_1', submissionId: 'sub_key_1' };
    ledger.take({ type: 'streamFailed', ...of, code: 'unauthorized', reason: 'no' });
    expect(ledger.kinds()).toEqual(['abort']);
    ledger.take({ type: 'aborted', turnId: 'turn_1', fence: 'sub_key_1' });
    expect(ledger.effects).toEqual([]);
  });
});

describe('continued conversations', () => {
  it('wait for the turn before them to settle, and carry no notice when its receipt was read', () => {
    const ledger = admitted(continuing);
    ledger.pick('again');
    expect(ledger.turn.iid).toBe('run_1.coder.0');
    expect(ledger.kinds()).toContain('unblock');
    ledger.settle('completed');
    expect(ledger.body().notices).toBeUndefined();
    expect(ledger.effect('admit')).toMatchObject({ turnId: 'turn_2', continued: true });
  });

  it('carry a notice when it was not (TW-RUN-018)', () => {
    const ledger = admitted(continuing);
    ledger.pick('note');
    ledger.pick('again');
    ledger.settle('failed', 'harness_restarted');
    expect(ledger.body().notices).toEqual([expect.stringMatching(/coding.*note, again/s)]);
  });

  it('wait for an owed abort no longer than 30 s, then begin afresh (TW-RUN-017)', () => {
    const ledger = admitted(continuing);
    ledger.pick('again');
    ledger.now += 30_000;
    ledger.restart();
    ledger.take({ type: 'blockedTooLong', turnId: 'turn_2' });
    expect(ledger.turn.iid).toBe('run_1.coder.1');
    expect(ledger.body().notices?.[0]).toContain('new');
    expect(ledger.kinds()).toContain('admit');
  });

  describe('where aborts have no fence', () => {
    function left() {
      const ledger = admitted(continuing);
      ledger.known = { ...ledger.known, fencedAbort: false };
      ledger.pick('again');
      expect(ledger.turn).toMatchObject({ iid: 'run_1.coder.0', blockedUntil: expect.any(Number) });
      return ledger;
    }

    it('go on when the turn before them ended by itself', () => {
      const ledger = left();
      ledger.settle('completed');
      expect(ledger.turn.iid).toBe('run_1.coder.0');
      expect(ledger.body().notices).toBeUndefined();
      expect(ledger.take<boolean>({ type: 'aborting', turnId: 'turn_1', doubt: true })).toBe(false);
    });

    it('begin afresh once it was aborted, and say so, also when it settled all the same', () => {
      const ledger = left();
      ledger.now += 5_000;
      expect(ledger.take<boolean>({ type: 'aborting', turnId: 'turn_1', doubt: true })).toBe(true);
      expect(ledger.turn.iid).toBe('run_1.coder.1');
      expect(ledger.body().notices?.[0]).toContain('its last turn was aborted');
      ledger.restart();
      expect(ledger.effect('abort')).toMatchObject({ doubt: true });
      ledger.settle('completed');
      expect(ledger.turn.iid).toBe('run_1.coder.1');
    });

    it('an abort that is proved not to have arrived is in no doubt after a restart', () => {
      const ledger = left();
      ledger.now += 5_000;
      ledger.take({ type: 'aborting', turnId: 'turn_1', doubt: true });
      ledger.take({ type: 'aborting', turnId: 'turn_1', doubt: false });
      ledger.restart();
      expect(ledger.effect('abort')).toMatchObject({ doubt: false });
    });

    it('a turn that is left by something else is aborted before the next one of its conversation begins elsewhere', () => {
      const ledger = admitted(hostedWorkflow(codingMachine({ continues: true, lateAgain: true })));
      ledger.known = { ...ledger.known, fencedAbort: false };
      ledger.fire();
      expect(ledger.turn.blockedUntil).toBeDefined();
      ledger.take({ type: 'aborting', turnId: 'turn_1', doubt: true });
      expect(ledger.turn).toMatchObject({ iid: 'run_1.coder.1' });
      expect(ledger.turn.blockedUntil).toBeUndefined();
    });
  });

  it('begin afresh when the store has changed, known or told by a 412 (TW-RUN-019)', () => {
    const known = admitted(continuing);
    known.known = { ...known.known, store: 'store-2' };
    known.pick('again');
    expect(known.turn.iid).toBe('run_1.coder.1');
    const told = admitted(continuing);
    told.pick('again');
    told.settle('completed');
    const { turnId, intent } = told.turn;
    told.take({ type: 'dispatch', turnId, key: intent.key });
    const fault = { code: 'store_changed', certainty: 'answered', inDoubt: false, reason: 'another store' };
    told.take({ type: 'admissionFailed', turnId, key: intent.key, ...fault });
    expect(told.turn).toMatchObject({ turnId, iid: 'run_1.coder.1', continued: false });
    expect(told.body().notices).toHaveLength(1);
    expect(told.intents.get(intent.key)?.fault).toBe('store_changed');
  });

  it('keep the menu that they began with (TW-SUR-005)', () => {
    const ledger = admitted(continuing);
    const before = ledger.surface().menu;
    ledger.pick('again');
    ledger.settle('completed');
    expect(JSON.stringify(ledger.surface().menu)).toBe(JSON.stringify(before));
  });
});
