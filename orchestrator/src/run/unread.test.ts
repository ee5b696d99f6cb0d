/** What an Agent is told of its picks: what moved, what did not, and nothing forgotten before a model had it. */
import { describe, expect, it } from 'vitest';
import { hostedWorkflow, Ledger } from './ledger.fixture.ts';
import { codingMachine } from './machines.fixture.ts';

const continuing = hostedWorkflow(codingMachine({ continues: true }));
const admitted = (workflow = continuing): Ledger => {
  const ledger = new Ledger(workflow, { task: 'write it' });
  ledger.admit();
  return ledger;
};

describe('a nudge', () => {
  it('says that a pick which every guard refused moved nothing (TW-RUN-022)', () => {
    const ledger = admitted();
    ledger.pick('never');
    ledger.settle('completed');
    const { message } = ledger.body();
    expect(message).toContain('received and that moved nothing: never.');
    expect(message).not.toContain('moved the workflow');
  });

  it('tells what moved apart from what did not, and how many picks it does not name', () => {
    const ledger = admitted();
    for (let picks = 0; picks < 21; picks += 1) ledger.pick('note');
    ledger.pick('never');
    ledger.settle('completed');
    const { message } = ledger.body();
    expect(message).toContain(`moved the workflow so far: ${Array(19).fill('note').join(', ')}.`);
    expect(message).toContain('moved nothing: never.');
    expect(message).toContain('2 before them are not');
  });
});

describe('an unread notice', () => {
  it('tells what moved apart from what did not (TW-RUN-022)', () => {
    const ledger = admitted();
    ledger.pick('never');
    ledger.pick('again');
    ledger.settle('failed', 'harness_restarted');
    expect(ledger.body().notices).toEqual([
      expect.stringMatching(/moved the workflow: again\..*moved nothing: never\./),
    ]);
  });

  it('counts a pick whose receipt came with the end of its turn', () => {
    const ledger = admitted();
    ledger.pick('check');
    ledger.done(['leave']);
    expect(ledger.state.conversations[0]?.unread).toEqual([
      { turnId: 'turn_1', taken: 1, picks: [{ event: 'check', moved: true }] },
    ]);
  });

  /** The second turn carries the notice of the first, and ends; the third begins. */
  function third(end: (ledger: Ledger) => void): string[] {
    const ledger = admitted();
    ledger.pick('again');
    ledger.settle('failed', 'harness_restarted');
    expect(ledger.body().notices).toEqual([expect.stringContaining('again')]);
    ledger.admit('second');
    end(ledger);
    return ledger.body().notices ?? [];
  }
  it('is said again when the turn that carried it was never put to a model (TW-RUN-023)', () => {
    const ledger = new Ledger(hostedWorkflow(codingMachine({ continues: true, lateAgain: true })), { task: 't' });
    ledger.admit();
    ledger.pick('again');
    ledger.settle('failed', 'harness_restarted');
    ledger.admit('second');
    ledger.fire();
    ledger.take({ type: 'aborted', turnId: 'turn_2', fence: 'second' });
    ledger.settle('aborted', 'aborted', 'second');
    const notices = ledger.body().notices ?? [];
    expect(notices).toHaveLength(2);
    expect(notices[0]).toContain('moved the workflow: again');
    expect(notices[1]).toContain('No pick of that turn was taken');
  });

  it('goes when that turn picked, and its own is told instead', () => {
    const notices = third((ledger) => {
      ledger.pick('note');
      ledger.pick('again');
      ledger.settle('failed', 'engine_failed', 'second');
    });
    expect(notices).toEqual([expect.stringMatching(/moved the workflow: note, again\./)]);
  });

  it('goes when that turn was completed', () => {
    const notices = third((ledger) => {
      ledger.settle('completed', undefined, 'second');
      ledger.admit('nudged');
      ledger.pick('again');
      ledger.settle('completed', undefined, 'nudged');
    });
    expect(notices).toEqual([]);
  });

  it('stays over a turn that is run again afresh', () => {
    const ledger = admitted(hostedWorkflow(codingMachine({ continues: true, rerunnable: true })));
    ledger.pick('again');
    ledger.settle('failed', 'harness_restarted');
    ledger.admit('second');
    ledger.settle('failed', 'harness_restarted', 'second');
    expect(ledger.turn).toMatchObject({ turnId: 'turn_2', iid: 'run_1.coder.1', reruns: 1 });
    const [fresh, unread] = ledger.body().notices ?? [];
    expect(fresh).toMatch(/This conversation is new.*harness_restarted/);
    expect(unread).toContain('moved the workflow: again');
  });

  it('names the last turns only, and says how many it does not', () => {
    const ledger = new Ledger(hostedWorkflow(codingMachine({ continues: true, lateAgain: true })), { task: 't' });
    for (let turns = 1; turns <= 10; turns += 1) {
      ledger.admit(`s${turns}`);
      ledger.fire();
      ledger.take({ type: 'aborted', turnId: `turn_${turns}`, fence: `s${turns}` });
      ledger.settle('aborted', 'aborted', `s${turns}`);
    }
    const notices = ledger.body().notices ?? [];
    expect(notices).toHaveLength(9);
    expect(notices[0]).toMatch(/not described here: 2\.$/);
  });
});
