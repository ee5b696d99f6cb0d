import { describe, expect, it } from 'vitest';
import { begin, type DevEvent, type DevState, hasChild, step } from './step.ts';
import { seen } from './watch-file.ts';

/** Feeds events in, and returns what was done without what was said. */
function play(...events: DevEvent[]): { state: DevState; done: string[] } {
  let { state } = begin;
  const done = begin.effects.map(({ kind }) => kind as string);
  for (const event of events) {
    const next = step(state, event);
    state = next.state;
    for (const effect of next.effects) {
      if (effect.kind === 'exit') done.push(`exit ${effect.code}`);
      else if (effect.kind === 'pause') done.push(`pause ${effect.ms}`);
      else if (effect.kind !== 'say') done.push(effect.kind);
    }
  }
  return { state, done };
}

const changed: DevEvent = { type: 'changed' };
const drained: DevEvent = { type: 'exited', how: 'exit 0', code: 0, servedMs: 1_000 };
const refused: DevEvent = { type: 'exited', how: 'exit 2', code: 2 };
const crashed: DevEvent = { type: 'exited', how: 'exit 1', code: 1, servedMs: 1_000 };
const killed: DevEvent = { type: 'exited', how: 'SIGKILL', code: null };
const killedLate: DevEvent = { type: 'exited', how: 'SIGKILL', code: null, servedMs: 10_000 };
const paused: DevEvent = { type: 'paused' };
const end: DevEvent = { type: 'end' };
const again: DevEvent = { type: 'again' };

describe('dev', () => {
  it.each([
    ['a save restarts it, one process after the other', [changed, drained], ['start', 'stop', 'start']],
    ['saves while it stops are one restart', [changed, changed, changed, drained], ['start', 'stop', 'start']],
    ['one that refuses its file waits for the next save', [refused, paused, changed], ['start', 'start']],
    ['one that crashed is started again', [crashed, paused], ['start', 'pause 250', 'start']],
    ['so is one that was killed before it served', [killed, paused], ['start', 'pause 250', 'start']],
    ['and one that somebody else has drained', [drained, paused], ['start', 'pause 250', 'start']],
    ['a save in the pause ends it', [crashed, changed, paused], ['start', 'pause 250', 'start']],
    [
      'crashes in a row wait longer, and no longer than the longest',
      [crashed, paused, killed, paused, crashed, paused, crashed, paused, crashed, paused],
      ['start', ...[250, 1_000, 3_000, 10_000, 10_000].flatMap((ms) => [`pause ${ms}`, 'start'])],
    ],
    [
      'one that served for long begins anew, and so does a save',
      [crashed, paused, killedLate, paused, crashed, changed, crashed],
      ['start', 'pause 250', 'start', 'pause 250', 'start', 'pause 1000', 'start', 'pause 250'],
    ],
    ['an end in the pause', [crashed, end, paused], ['start', 'pause 250', 'exit 0']],
    ['one that does not end cleanly is replaced all the same', [changed, crashed], ['start', 'stop', 'start']],
    ['an end is a drain', [end, drained], ['start', 'stop', 'exit 0']],
    ['an end while it stops for a save starts no other', [changed, end, drained], ['start', 'stop', 'exit 0']],
    ['an end while there is none', [refused, end], ['start', 'exit 0']],
    ['a second signal aborts', [end, again, crashed], ['start', 'stop', 'abort', 'exit 1']],
    ['a save at the end is nothing', [end, changed, drained], ['start', 'stop', 'exit 0']],
  ])('%s', (_, events, done) => {
    expect(play(...events).done).toEqual(done);
  });

  it('never has two, whatever happens in whatever order', () => {
    const all = [changed, drained, crashed, refused, paused, end, again];
    const walk = (state: DevState, running: number, depth: number): void => {
      expect(running).toBe(Number(hasChild(state)));
      if (depth === 0) return;
      for (const event of all) {
        if (event.type === 'exited' && running === 0) continue;
        const next = step(state, event);
        if (next.effects.some(({ kind }) => kind === 'exit')) continue;
        const starts = next.effects.filter(({ kind }) => kind === 'start').length;
        walk(next.state, running + starts - (event.type === 'exited' ? 1 : 0), depth - 1);
      }
    };
    walk(begin.state, 1, 6);
  });
});

describe('a save', () => {
  const saves = (...looks: string[]): number => {
    let watched = { settled: 'a', last: 'a' };
    return looks.filter((now) => {
      const result = seen(watched, now);
      watched = result.watched;
      return result.saved;
    }).length;
  };
  it.each([
    ['nothing', ['a', 'a', 'a'], 0],
    ['one that was under way', ['b', 'c', 'd', 'd', 'd'], 1],
    ['a rename over it, with a moment of nothing', ['gone', 'b', 'b'], 1],
    ['a file that stays away, and comes back', ['gone', 'gone', 'b', 'b'], 2],
    ['one that was undone before it settled', ['b', 'a', 'a'], 0],
    ['two', ['b', 'b', 'c', 'c'], 2],
  ])('%s', (_, looks, count) => {
    expect(saves(...looks)).toBe(count);
  });
});
