import { describe, expect, it } from 'vitest';
import { hostedWorkflow, Ledger } from './ledger.fixture.ts';
import { codingMachine } from './machines.fixture.ts';
import { HostRefusal } from './refusal.ts';

const workflow = hostedWorkflow(codingMachine());
const admitted = (): Ledger => {
  const ledger = new Ledger(workflow, { task: 'write it' });
  ledger.admit();
  return ledger;
};

function refusal(work: () => unknown): HostRefusal {
  try {
    work();
  } catch (error) {
    if (error instanceof HostRefusal) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('picks', () => {
  it('one that leaves the state is answered at once, its turn over (TW-PIC-001)', () => {
    const ledger = admitted();
    const answer = ledger.pick('finish', { summary: 's' }, { deliveryId: 'd1' });
    const receipt = {
      status: 'delivered',
      deliveryId: 'd1',
      event: 'finish',
      moved: true,
      turnComplete: true,
      allowed: [],
    };
    expect(answer).toEqual({ status: 200, receipt });
    expect(ledger.state.value).toBe('review');
    expect(ledger.deliveries.get('d1')).toMatchObject({ status: 'delivered', transitions: 1, receipt });
    expect([...ledger.executions.values()].map(({ status }) => status)).toEqual(['succeeded']);
  });

  it('an action-only transition has moved, and the turn goes on (TW-PIC-009)', () => {
    const answer = admitted().pick('note');
    expect(answer).toMatchObject({ status: 200, receipt: { moved: true, turnComplete: false } });
  });

  it('one that every guard refuses is delivered and has not moved (TW-PIC-008)', () => {
    const ledger = admitted();
    const answer = ledger.pick('never', {}, { deliveryId: 'd1' });
    expect(answer).toMatchObject({ status: 200, receipt: { moved: false, turnComplete: false } });
    expect(ledger.deliveries.get('d1')?.transitions).toBe(0);
    expect(answer.status === 200 && answer.receipt.allowed).not.toContain('never');
  });

  it('mints an id for one that has none (TW-PIC-015)', () => {
    const answer = admitted().pick('note');
    expect(answer).toMatchObject({ receipt: { deliveryId: 'delivery_1' } });
  });

  it('is outstanding while the state works, then answered at Rest with its answer (TW-PIC-002, TW-DLV-008, TW-DLV-009)', () => {
    const ledger = admitted();
    const answer = ledger.pick('check', {}, { deliveryId: 'd1' });
    expect(answer).toEqual({ status: 202, outstanding: { status: 'outstanding', deliveryId: 'd1', event: 'check' } });
    expect(ledger.kinds()).toContain('actor');
    ledger.restart();
    ledger.done(['a finding']);
    expect(ledger.deliveries.get('d1')?.receipt).toMatchObject({
      moved: true,
      turnComplete: false,
      answer: ['a finding'],
      allowed: expect.arrayContaining(['check', 'finish']),
    });
    expect(ledger.types().filter((type) => type === 'pick')).toHaveLength(2);
    expect(ledger.kinds()).not.toContain('actor');
  });

  it('an answer function that throws becomes answerError', () => {
    const ledger = admitted();
    ledger.pick('ask', {}, { deliveryId: 'd1' });
    ledger.gate('question', 'say', { text: 'yes' });
    expect(ledger.deliveries.get('d1')?.receipt).toMatchObject({ answer: 'yes', turnComplete: false });
  });

  it('an outstanding pick whose own work leaves the state completes the turn (TW-RUN-015)', () => {
    const ledger = admitted();
    ledger.pick('check', {}, { deliveryId: 'd1' });
    ledger.done(['leave']);
    const receipt = ledger.deliveries.get('d1')?.receipt;
    expect(receipt).toMatchObject({ moved: true, turnComplete: true, allowed: [] });
    expect(receipt?.endedBy).toBeUndefined();
    expect([...ledger.executions.values()][0]?.status).toBe('succeeded');
  });

  it.each([
    ['a delay', (ledger: Ledger) => ledger.fire(), 'timed_out'],
    ['a cancel', (ledger: Ledger) => ledger.take({ type: 'cancel' }), 'cancelled'],
  ])('an outstanding pick is answered when %s ends its turn (TW-DLV-005)', (_what, end, endedBy) => {
    const ledger = admitted();
    ledger.pick('check', {}, { deliveryId: 'd1' });
    end(ledger);
    expect(ledger.deliveries.get('d1')?.receipt).toMatchObject({
      moved: true,
      turnComplete: true,
      allowed: [],
      endedBy,
    });
  });

  it('the same id gets the answer that holds now, and is delivered once (TW-PIC-003, TW-PIC-013)', () => {
    const ledger = admitted();
    ledger.pick('check', {}, { deliveryId: 'd1' });
    expect(ledger.pick('check', {}, { deliveryId: 'd1' }).status).toBe(202);
    ledger.done();
    const { iid, turnId } = ledger.turn;
    expect(ledger.pick('check', {}, { deliveryId: 'd1' }).status).toBe(200);
    expect(ledger.last.writes).toBeUndefined();
    ledger.pick('finish', { summary: 's' });
    expect(ledger.pick('check', {}, { deliveryId: 'd1', iid, turnId }).status).toBe(200);
  });

  it('is refused in the order that the wire promises (TW-PIC-011; TW-PIC-004, TW-PIC-005, TW-PIC-006, TW-PIC-007, TW-PIC-016)', () => {
    const ledger = admitted();
    ledger.pick('check', {}, { deliveryId: 'd1' });
    const wrong = { placement: 'other', turnId: 'other', deliveryId: 'd1' };
    expect(refusal(() => ledger.pick('nope', {}, wrong)).code).toBe('wrong_placement');
    expect(refusal(() => ledger.pick('nope', {}, { turnId: 'other', deliveryId: 'd1' })).code).toBe(
      'delivery_mismatch',
    );
    expect(refusal(() => ledger.pick('nope', {}, { turnId: 'other' })).code).toBe('turn_over');
    const conflict = refusal(() => ledger.pick('nope'));
    expect(conflict).toMatchObject({ code: 'pick_outstanding', members: { deliveryId: 'd1', event: 'check' } });
    ledger.done();
    const unknown = refusal(() => ledger.pick('approve'));
    expect(unknown).toMatchObject({ code: 'refused', members: { problems: [{ path: '/event' }] } });
    const invalid = refusal(() => ledger.pick('finish', { summary: 1 }));
    expect(invalid).toMatchObject({ code: 'refused', members: { allowed: expect.arrayContaining(['finish']) } });
    expect(invalid.members.problems).toEqual([
      { path: expect.stringMatching(/summary$/), message: expect.any(String) },
    ]);
    expect(ledger.deliveries.size).toBe(1);
  });

  it('never lands in a later turn of the same conversation (TW-PIC-014)', () => {
    const ledger = new Ledger(hostedWorkflow(codingMachine({ continues: true })), { task: 't' });
    const submission = ledger.admit();
    const { turnId, iid } = ledger.turn;
    ledger.pick('again');
    ledger.settle('completed', undefined, submission);
    expect(ledger.turn.iid).toBe(iid);
    expect(refusal(() => ledger.pick('finish', { summary: 's' }, { turnId })).code).toBe('turn_over');
  });

  it('a surface shows the turn, its menu and what may be picked (TW-SUR-001, TW-SUR-006)', () => {
    const ledger = admitted();
    const surface = ledger.surface();
    expect(surface).toMatchObject({ iid: 'run_1.coder.0', turnId: 'turn_1', runId: 'run_1' });
    expect(surface.menu.map(({ name }) => name)).toContain('never');
    expect(surface.menu.map(({ name }) => name)).not.toContain('approve');
    expect(surface.allowed).not.toContain('never');
    ledger.pick('finish', { summary: 's' });
    expect(() => ledger.surface()).toThrow('no open turn');
  });
});
