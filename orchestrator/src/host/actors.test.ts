/** What a Machine says to its own actors, what they say to it, and what it says to itself: through deaths and a full disk. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StoreError } from '../store/port.ts';
import { type Service, talkingMachine } from './talking.fixture.ts';
import { until, World } from './world.fixture.ts';

let world: World;
afterEach(() => world?.close());

interface Context {
  asked: number;
  pongs: number[];
  ticks: number[];
}
let runId: string;
const context = async () => (await world.host.run(runId))?.context as unknown as Context;
const say = (event: 'ask' | 'tell' | 'end') => world.host.answerGate(runId, 'talk', event, {});

async function begin(service: Service, ticks?: number): Promise<void> {
  world = await World.open({ machine: talkingMachine(service, ticks) });
  ({ runId } = await world.host.start('test', { task: 't' }));
}

describe('events for an author’s actor', () => {
  it('are had by it once while the process lives, in order', async () => {
    const had: number[] = [];
    await begin((n, answer) => {
      had.push(n);
      answer();
    });
    for (let times = 0; times < 3; times += 1) await say('ask');
    await until('the answers', async () => (await context()).pongs.length === 3);
    expect(had).toEqual([1, 2, 3]);
    expect((await context()).pongs).toEqual([1, 2, 3]);
  });

  it('that it had not answered when its process died are had again, with all before them (TW-DUR-026)', async () => {
    const had: number[] = [];
    let answers = false;
    await begin((n, answer) => {
      had.push(n);
      if (answers) answer();
    });
    await say('ask');
    await say('ask');
    await until('both', () => had.length === 2);
    answers = true;
    await world.restart();
    await until('the answers', async () => (await context()).pongs.length === 2);
    expect(had).toEqual([1, 2, 1, 2]);
    expect((await context()).pongs).toEqual([1, 2]);
  });

  it('are not had before they are committed (TW-DUR-021)', async () => {
    const had: number[] = [];
    await begin((n) => void had.push(n));
    const commit = vi.spyOn(world.store, 'commit').mockRejectedValue(new StoreError('unavailable', 'SQLITE_FULL'));
    await expect(say('ask')).rejects.toMatchObject({ code: 'store_unavailable' });
    commit.mockRestore();
    expect(had).toEqual([]);
    await say('ask');
    expect(had).toEqual([1]);
  });
});

describe('events of an author’s actor', () => {
  it('are kept while the disk is full, in order (TW-DUR-027)', async () => {
    let answers: (() => void)[] = [];
    await begin((_, answer) => void answers.push(answer));
    await say('ask');
    await say('ask');
    await until('both', () => answers.length === 2);
    const commit = vi.spyOn(world.store, 'commit').mockRejectedValue(new StoreError('unavailable', 'SQLITE_FULL'));
    for (const answer of answers) answer();
    answers = [];
    await until('a commit that failed', () => commit.mock.calls.length > 0);
    commit.mockRestore();
    await until('the answers', async () => (await context()).pongs.length === 2);
    expect((await context()).pongs).toEqual([1, 2]);
  });
});

describe('what an action sends to its own machine', () => {
  it('is one commit with the end of the action', async () => {
    await begin(() => {}, 50);
    const before = world.store.commits;
    await say('tell');
    await until('the ticks', async () => (await context()).ticks.length > 0);
    expect((await context()).ticks).toHaveLength(50);
    expect(world.store.commits - before).toBe(2);
  });

  it('is taken once wherever the process dies (TW-DUR-028)', async () => {
    // The transition that has the action, and the end of the action.
    for (let at = 1; at <= 2; at += 1) {
      await world?.close();
      await begin(() => {}, 20);
      world.kill();
      await world.start(at);
      void say('tell').catch(() => {});
      await until('the death', () => world.store.dead);
      await world.restart();
      await until('the ticks', async () => (await context()).ticks.length >= 20);
      await say('end');
      expect((await context()).ticks, `dead after commit ${at}`).toHaveLength(20);
    }
  });
});
