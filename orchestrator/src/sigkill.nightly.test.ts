/** As `sigkill.test.ts`, with one death in each story: before each commit of it, and right after. */
import { afterEach, expect, it } from 'vitest';
import { closeAll, held, story } from './mortal-story.fixture.ts';

afterEach(closeAll);

/** More commits than the story has. */
const most = 40;

it('one SIGKILL before, or right after, each commit changes nothing of how the story goes', async () => {
  let reached = 0;
  for (let at = 1; at <= most; at += 1) {
    const told = await Promise.all([story(`before ${at}`), story(`after ${at}`)]);
    await held(told[0], `before ${at}`);
    await held(told[1], `after ${at}`);
    const deaths = told.reduce((sum, { world }) => sum + world.deaths, 0);
    await closeAll();
    // The story was over before that commit.
    if (deaths === 0) break;
    reached = at;
  }
  expect(reached).toBeGreaterThan(9);
  expect(reached).toBeLessThan(most);
}, 600_000);
