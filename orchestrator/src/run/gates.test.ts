import { describe, expect, it } from 'vitest';
import { hostedWorkflow, Ledger } from './ledger.fixture.ts';
import { codingMachine } from './machines.fixture.ts';

const workflow = hostedWorkflow(codingMachine());
const atGate = (): Ledger => {
  const ledger = new Ledger(workflow, { task: 't' });
  ledger.admit();
  ledger.pick('finish', { summary: 's' });
  ledger.settle('completed');
  return ledger;
};

describe('gates', () => {
  it('open with the outside events of their state, and close when one is taken (TW-GAT-001)', () => {
    const ledger = atGate();
    const opened = ledger.feed.find(({ type }) => type === 'gate.opened');
    expect(opened?.data.gate).toMatchObject({ gate: 'merge', gateId: 'gate_1' });
    const { accepts } = (opened?.data.gate ?? {}) as unknown as { accepts: { name: string }[] };
    expect(accepts.map(({ name }) => name).sort()).toEqual(['approve', 'reject']);
    expect(ledger.gate('merge', 'approve')).toEqual({ moved: true, replayed: false });
    expect(ledger.state).toMatchObject({ status: 'done', value: 'done', gates: [] });
    expect(ledger.feed.find(({ type }) => type === 'gate.closed')?.data).toMatchObject({ event: 'approve' });
  });

  it('are answered once: the second answer finds them closed, and is told what is open (TW-GAT-003, TW-GAT-004)', () => {
    const ledger = atGate();
    ledger.gate('merge', 'reject', { reason: 'r' });
    ledger.admit();
    ledger.pick('ask');
    try {
      ledger.gate('merge', 'approve');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        code: 'gate_closed',
        members: { openGates: [{ gate: 'question', meta: { who: 'anybody' } }] },
      });
    }
  });

  it('take a stale gateId never in the next visit (TW-GAT-006)', () => {
    const ledger = atGate();
    ledger.gate('gate_1', 'reject', { reason: 'r' });
    ledger.admit();
    ledger.pick('finish', { summary: 's' });
    expect(ledger.state.gates.map(({ gateId }) => gateId)).toEqual(['gate_2']);
    expect(() => ledger.gate('gate_1', 'approve')).toThrow(/gate_closed/);
    expect(ledger.gate('gate_2', 'approve').moved).toBe(true);
  });

  it('say what they accept to a wrong answer (TW-GAT-005, TW-GAT-007)', () => {
    const ledger = atGate();
    for (const [event, path] of [
      ['finish', '/event'],
      ['reject', expect.stringMatching(/reason$/)],
    ] as const) {
      try {
        ledger.gate('merge', event, {});
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({ code: 'refused', members: { accepts: [expect.anything(), expect.anything()] } });
        expect((error as { members: { problems: { path: string }[] } }).members.problems[0]?.path).toEqual(path);
      }
    }
    expect(ledger.state.value).toBe('review');
  });

  it('answer the same key the same way, and another body not at all (TW-GEN-018, TW-GEN-019)', () => {
    const ledger = atGate();
    ledger.gate('merge', 'reject', { reason: 'r' }, 'k');
    expect(ledger.gate('merge', 'reject', { reason: 'r' }, 'k')).toEqual({ moved: true, replayed: true });
    expect(ledger.gate('gate_1', 'reject', { reason: 'r' }, 'k').replayed).toBe(true);
    expect(() => ledger.gate('merge', 'approve', {}, 'k')).toThrow(/idempotency_mismatch/);
    expect(ledger.last.writes).toBeUndefined();
  });

  it('keep the key to one visit (TW-GEN-020)', () => {
    const ledger = atGate();
    ledger.gate('merge', 'reject', { reason: 'r' }, 'k');
    ledger.admit();
    ledger.pick('finish', { summary: 's' });
    expect(ledger.gate('gate_2', 'reject', { reason: 'r' }, 'k')).toEqual({ moved: true, replayed: false });
  });

  it('by name, let no copy of an answer into the next visit (TW-GAT-009)', () => {
    const ledger = atGate();
    ledger.gate('merge', 'reject', { reason: 'r' }, 'k');
    ledger.admit();
    ledger.pick('finish', { summary: 's' });
    expect(ledger.state.gates.map(({ gateId }) => gateId)).toEqual(['gate_2']);
    expect(ledger.gate('merge', 'reject', { reason: 'r' }, 'k')).toEqual({ moved: true, replayed: true });
    expect(ledger.last.writes).toBeUndefined();
    expect(() => ledger.gate('merge', 'approve', {}, 'k')).toThrow(/idempotency_mismatch/);
    expect(ledger.state.value).toBe('review');
    expect(ledger.gate('merge', 'approve', {}, 'another')).toEqual({ moved: true, replayed: false });
  });
});

describe('deadlines', () => {
  it('are absolute, survive a restart and fire once (TW-DUR-015)', () => {
    const ledger = new Ledger(workflow, { task: 't' });
    const { at } = ledger.effect('timer');
    expect(at).toBe(ledger.now + 60_000);
    ledger.now += 50_000;
    ledger.restart();
    const timer = ledger.effect('timer');
    expect(timer.at).toBe(at);
    ledger.fire();
    expect(ledger.state.value).toBe('late');
    ledger.take({ type: 'timer', id: timer.deadline, at });
    expect(ledger.last.writes).toBeUndefined();
  });

  it('go with the state that set them, and are set anew when it is entered again', () => {
    const ledger = atGate();
    expect(ledger.kinds()).not.toContain('timer');
    ledger.now += 100;
    ledger.gate('merge', 'reject', { reason: 'r' });
    expect(ledger.effect('timer').at).toBe(ledger.now + 60_000);
  });
});

describe('authors’ actors and actions', () => {
  it('an actor of an earlier start has nothing more to say', () => {
    const ledger = new Ledger(workflow, { task: 't' });
    ledger.admit();
    ledger.pick('check');
    const [{ id, key } = { id: '', key: '' }] = ledger.state.actors;
    ledger.done(['first']);
    ledger.pick('check');
    ledger.take({ type: 'actor', id, key, event: { type: `xstate.done.actor.${id}`, output: ['late'] }, last: true });
    expect(ledger.last.writes).toBeUndefined();
    ledger.done(['second']);
    expect(ledger.state.machine).toMatchObject({ context: { findings: ['second'] } });
  });

  it('a failed actor that nothing takes ends the run', () => {
    const ledger = new Ledger(workflow, { task: 't' });
    ledger.admit();
    ledger.pick('check', {}, { deliveryId: 'd1' });
    const [{ id, key } = { id: '', key: '' }] = ledger.state.actors;
    ledger.take({ type: 'actor', id, key, event: { type: `xstate.error.actor.${id}`, error: 'boom' }, last: true });
    expect(ledger.state).toMatchObject({ status: 'error', fault: { code: 'machine_failed' } });
    expect(ledger.deliveries.get('d1')?.receipt).toMatchObject({ turnComplete: true, endedBy: 'run_ended' });
  });

  it('actions are owed until they have run', () => {
    const ledger = new Ledger(workflow, { task: 't' });
    ledger.admit();
    ledger.pick('note');
    const { act } = ledger.effect('act');
    expect([...ledger.last.actions.keys()]).toEqual([act]);
    expect(ledger.state.acts[0]).toMatchObject({ event: { type: 'note' }, before: expect.anything() });
    ledger.restart();
    expect(ledger.kinds()).toContain('act');
    ledger.take({ type: 'acted', act, sent: [] });
    expect(ledger.kinds()).not.toContain('act');
  });
});
