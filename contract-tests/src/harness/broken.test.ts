import { describe, expect, it } from 'vitest';
import { buildHarness, differences } from '../../broken/harness/build.ts';
import { expectCaught } from '../run/caught.fixture.ts';
import { loadHarnessCases } from './load.ts';
import { type HarnessRun, runHarness } from './run.ts';

const usual: HarnessRun = { level: 'may', timeoutMs: 30_000, jobs: 2, seed: 1, capabilities: ['nodes'] };

describe('a harness that is wrong in one way is caught by the check that is meant for it', () => {
  it.concurrent.each(differences.map((difference) => [difference.name, difference] as const))(
    '%s',
    async (_, difference) => {
      const command = `node ${JSON.stringify(await buildHarness(difference))} serve`;
      expectCaught(difference, await runHarness({ ...usual, command, only: difference.caughtBy }));
    },
    120_000,
  );

  it('there is at least one for each theme', () => {
    const themes = new Set(loadHarnessCases().map(({ theme }) => theme));
    const caught = new Set(differences.flatMap(({ caughtBy }) => caughtBy.map((id) => id.split('.')[0])));
    expect([...themes].filter((theme) => !caught.has(theme))).toEqual([]);
  });
});
