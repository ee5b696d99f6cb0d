import { describe, expect, it } from 'vitest';
import { begin, type DevEvent, type DevState, step } from './step.ts';
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
      else if (effect.kind !== 'say') done.push(effect.kind);
    }
  }
  return { state, done };
}

const changed: DevEvent = { type: 'changed' };
const drained: DevEvent = { type: 'exited', how: 'exit 0', ok: true };
const crashed: DevEvent = { type: 'exited', how: 'exit 2', ok: false };
const end: DevEvent = { type: 'end' };
const again: DevEvent = { type: 'again' };

describe('dev', () => {
  it.each([
    ['a save restarts it, one process after the other', [changed, drained], ['start', 'stop', 'start']],
    ['saves while it stops are one restart', [changed, changed, changed, drained], ['start', 'stop', 'start']],
    ['one that ends by itself waits for the next save', [crashed, changed], ['start', 'start']],
    ['one that does not end cleanly is replaced all the same', [changed, crashed], ['start', 'stop', 'start']],
    ['an end is a drain', [end, drained], ['start', 'stop', 'exit 0']],
    ['an end while it stops for a save starts no other', [changed, end, drained], ['start', 'stop', 'exit 0']],
    ['an end while there is none', [crashed, end], ['start', 'exit 0']],
    ['a second signal aborts', [end, again, crashed], ['start', 'stop', 'abort', 'exit 1']],
    ['a save at the end is nothing', [end, changed, drained], ['start', 'stop', 'exit 0']],
  ])('%s', (_, events, done) => {
    expect(play(...events).done).toEqual(done);
  });

  it('never has two, whatever happens in whatever order', () => {
    const all = [changed, drained, crashed, end, again];
    const walk = (state: DevState, running: number, depth: number): void => {
      expect(running).toBe(state.child === 'none' ? 0 : 1);
      if (depth === 0) return;
      for (const event of all) {
        if (event.type === 'exited' && running === 0) continue;
        const next = step(state, event);
        if (next.effects.some(({ kind }) => kind === 'exit')) continue;
        const starts = next.effects.filter(({ kind }) => kind === 'start').length;
        walk(next.state, running + starts - (event.type === 'exited' ? 1 : 0), depth - 1);
      }
    };
    walk(begin.state, 1, 7);
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
