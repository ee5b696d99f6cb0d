import { describe, expect, it } from 'vitest';
import { hostedWorkflow, Ledger } from './ledger.fixture.ts';
import { brokenMachine, codingMachine, parallelMachine } from './machines.fixture.ts';

describe('what goes wrong in the author’s code', () => {
  const picked = (event: string): Ledger => {
    const ledger = new Ledger(hostedWorkflow(brokenMachine()), { task: 't' });
    ledger.admit();
    ledger.pick(event, {}, { deliveryId: 'd1' });
    return ledger;
  };

  it('a guard that throws ends its run, and the pick is answered', () => {
    const ledger = picked('explode');
    expect(ledger.state).toMatchObject({ status: 'error', fault: { code: 'machine_failed' } });
    expect(ledger.state.fault?.reason).toContain('guard went off');
    expect(ledger.deliveries.get('d1')).toMatchObject({
      transitions: 0,
      receipt: { moved: false, turnComplete: true, endedBy: 'run_ended' },
    });
    expect(ledger.kinds()).toEqual(['wait', 'abort']);
  });

  it('a context that cannot be saved ends its run, naming the path, and keeps the last state that could be', () => {
    const ledger = picked('spoil');
    expect(ledger.state).toMatchObject({ status: 'error', value: 'coding', fault: { code: 'not_serialisable' } });
    expect(ledger.state.fault?.path).toMatch(/made/);
    expect(ledger.state.machine).toMatchObject({ context: {} });
    expect(ledger.deliveries.get('d1')).toMatchObject({
      transitions: 0,
      receipt: { moved: false, endedBy: 'run_ended' },
    });
  });
});

describe('Agents side by side', () => {
  it('have a turn each, in their own placements, and end each for itself', () => {
    const ledger = new Ledger(hostedWorkflow(parallelMachine() as never), { task: 't' });
    const [one, two] = ledger.state.turns;
    expect([one?.placement, two?.placement]).toEqual(['local', 'elsewhere']);
    for (const turn of [one, two]) {
      const { turnId = '', intent } = turn ?? {};
      ledger.take({ type: 'dispatch', turnId, key: intent?.key ?? '' });
    }
    const from = (turn: typeof one, placement: string) => ({
      iid: turn?.iid ?? '',
      turnId: turn?.turnId ?? '',
      placement,
    });
    expect(() => ledger.pick('right', {}, from(two, 'local'))).toThrow(/wrong_placement/);
    expect(ledger.pick('left', {}, from(one, 'local'))).toMatchObject({ receipt: { turnComplete: true } });
    expect(ledger.state.turns.find(({ phase }) => phase === 'open')?.agent).toBe('two');
    ledger.pick('right', {}, from(two, 'elsewhere'));
    expect(ledger.state).toMatchObject({ status: 'done', value: 'done' });
    expect([...ledger.executions.values()].map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  });
});

describe('the ledger of a turn with many picks', () => {
  it('does not grow with them', () => {
    const ledger = new Ledger(hostedWorkflow(codingMachine()), { task: 't' });
    ledger.admit();
    const sizes: number[] = [];
    for (let n = 0; n < 300; n += 1) {
      ledger.pick('never', {}, { deliveryId: `d${n}` });
      sizes.push(ledger.last.writes?.run?.document.length ?? 0);
    }
    expect(sizes.at(-1)).toBe(sizes[100]);
    expect(ledger.deliveries.size).toBe(300);
  });
});
