/**
 * A real SIGKILL at every commit of a recorded scenario. The story goes on to the end that it would have had, and nothing of what
 * must never happen has happened: counted where it arrived.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, held, story } from './mortal-story.fixture.ts';

afterEach(closeAll);

describe('a SIGKILL at every commit', () => {
  it('each process dies before its second one, or right after its first: the story ends as if nothing had happened', async () => {
    // What a process does between two commits is done and not saved in the one case, saved and not done in the other.
    const [before, after] = await Promise.all([story('before 2', true), story('after 1', true)]);
    for (const told of [before, after]) {
      // Each process brought the story one commit on.
      expect(told.world.deaths).toBeGreaterThan(9);
      await held(told, told === before ? 'before 2' : 'after 1');
    }
  }, 300_000);
});
