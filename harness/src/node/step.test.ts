import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyNode, type NodeEffect, type NodeEvent, type NodeState, step } from './step.ts';

/** Feeds events in, and returns what was done after each. */
function play(events: readonly NodeEvent[], heartbeats = true): { state: NodeState; done: string[] } {
  let state = emptyNode(heartbeats);
  const done: string[] = [];
  for (const event of events) {
    const next = step(state, event);
    state = next.state;
    done.push(next.effects.map(text).join(', '));
  }
  return { state, done };
}

function text(effect: NodeEffect): string {
  if (effect.kind === 'heartbeat') return `beat ${effect.lifecycle}`;
  if (effect.kind === 'wait') return `wait ${effect.ms}`;
  return effect.kind === 'say' ? effect.level : effect.kind;
}

const begin: NodeEvent = { type: 'begin' };
const ready: NodeEvent = { type: 'lifecycle', lifecycle: 'ready' };
const draining: NodeEvent = { type: 'lifecycle', lifecycle: 'draining' };
const registered: NodeEvent = { type: 'registered', heartbeatSeconds: 5 };
const taken: NodeEvent = { type: 'taken' };
const unknown: NodeEvent = { type: 'unknown_node' };
const stale: NodeEvent = { type: 'stale_instance', currentIsDown: false };
const free: NodeEvent = { type: 'stale_instance', currentIsDown: true };
const refused: NodeEvent = { type: 'refused', reason: 'no' };
const due: NodeEvent = { type: 'due' };
const up = [begin, registered, taken, ready, taken];
const UP = ['register', 'info, beat starting', 'wait 5000', 'beat ready', 'wait 5000'];

describe('a node', () => {
  it.each<[string, NodeEvent[], string[]]>([
    ['registers, says what it is, and heartbeats (TW-NOD-022)', [due, taken], ['beat ready', 'wait 5000']],
    [
      'says at once that it drains, until its end (TW-NOD-023)',
      [draining, taken, due],
      ['beat draining', 'wait 5000', 'beat draining'],
    ],
    [
      'says what has changed after what is under way',
      [due, draining, taken, taken],
      ['beat ready', '', 'beat draining', 'wait 5000'],
    ],
    [
      'registers again when it is not known (TW-NOD-007)',
      [due, unknown, registered],
      ['beat ready', 'warn, register', 'info, beat ready'],
    ],
    [
      'that is not known right after it registered waits',
      [due, unknown, registered, unknown, due],
      ['beat ready', 'warn, register', 'info, beat ready', 'wait 5000', 'register'],
    ],
    ['that drains is not known again', [draining, unknown, due], ['beat draining', 'wait 5000', 'beat draining']],
    [
      'whose place was taken says so once, and takes it back from nobody who lives (TW-NOD-008)',
      [due, stale, due, stale],
      ['beat ready', 'error, wait 5000', 'beat ready', 'wait 5000'],
    ],
    [
      'whose follower is down takes its place again',
      [due, stale, due, free, registered],
      ['beat ready', 'error, wait 5000', 'beat ready', 'warn, register', 'info, beat ready'],
    ],
    [
      'that drains expects to be followed (TW-NOD-023)',
      [draining, stale, due],
      ['beat draining', 'wait 5000', 'beat draining'],
    ],
    [
      'whose heartbeat is refused says why once',
      [due, refused, due, refused],
      ['beat ready', 'error, wait 5000', 'beat ready', 'wait 5000'],
    ],
    ['that has ended says nothing', [{ type: 'end' }, due, ready, taken], ['cancel', '', '', '']],
  ])('%s', (_, events, done) => {
    expect(play([...up, ...events]).done).toEqual([...UP, ...done]);
  });

  it('that is refused tries again later, and says why once', () => {
    expect(play([begin, refused, due, refused, due, registered]).done).toEqual([
      'register',
      'error, wait 30000',
      'register',
      'wait 30000',
      'register',
      'info, beat starting',
    ]);
  });

  it('that goes before it was registered takes its word back', () => {
    expect(play([begin, draining]).done).toEqual(['register', 'cancel']);
    expect(play([begin, refused, draining]).done).toEqual(['register', 'error, wait 30000', 'cancel']);
  });

  it('that is serverless registers, and that is all (TW-NOD-017)', () => {
    expect(play([begin, registered, ready, draining], false).done).toEqual(['register', 'info', '', 'cancel']);
  });

  it('asks one question at a time, and never stops by itself, whatever happens in whatever order', () => {
    const answers = [taken, unknown, stale, free, refused];
    const others = [ready, { ...ready, lifecycle: 'degraded' } as NodeEvent, draining, due];
    const choice = fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 }));
    fc.assert(
      fc.property(fc.array(choice, { maxLength: 60 }), (choices) => {
        let state = emptyNode(true);
        let asked = 0;
        let waits = false;
        const happen = (event: NodeEvent): void => {
          if (event.type === 'due') waits = false;
          const next = step(state, event);
          state = next.state;
          for (const { kind } of next.effects) {
            if (kind === 'register' || kind === 'heartbeat') asked++;
            if (kind !== 'say') waits = kind === 'wait';
          }
        };
        happen(begin);
        for (const [what, which] of choices) {
          if (asked === 1 && what < 60) {
            const registering = state.asking === 'register';
            asked = 0;
            const answer =
              registering && which < 70 ? registered : registering ? refused : answers[which % answers.length];
            happen(answer as NodeEvent);
          } else {
            const event = others[which % others.length] as NodeEvent;
            if (event.type !== 'due' || waits) happen(event);
          }
          expect(asked).toBeLessThanOrEqual(1);
          expect(state.standing === 'over' || asked === 1 || waits).toBe(true);
          if (state.standing !== 'over') expect(state.asking !== undefined).toBe(asked === 1);
        }
      }),
      { numRuns: 500 },
    );
  });
});
