import { describe, expect, it } from 'vitest';
import { buildHarness, differences } from '../../broken/harness/build.ts';
import { loadHarnessCases } from './load.ts';
import { type HarnessRun, runHarness } from './run.ts';

const usual: HarnessRun = { level: 'may', timeoutMs: 30_000, jobs: 2, seed: 1, capabilities: ['nodes'] };

/** Ids of the checks of these that a harness with the difference failed. */
async function failed(file: string, only: readonly string[]): Promise<string[]> {
  const { checks } = await runHarness({ ...usual, command: `node ${JSON.stringify(file)} serve`, only });
  expect(checks.length).toBe(only.length);
  return checks.flatMap(({ id, verdict }) => (verdict === 'failed' ? [id] : [])).sort();
}

describe('a harness that is wrong in one way is caught by the check that is meant for it', () => {
  it.concurrent.each(differences.map((difference) => [difference.name, difference] as const))(
    '%s',
    async (_, difference) => {
      const file = await buildHarness(difference);
      expect(await failed(file, difference.caughtBy)).toEqual([...difference.caughtBy].sort());
    },
    120_000,
  );

  it('there is at least one for each theme', () => {
    const themes = new Set(loadHarnessCases().map(({ theme }) => theme));
    const caught = new Set(differences.flatMap(({ caughtBy }) => caughtBy.map((id) => id.split('.')[0])));
    expect([...themes].filter((theme) => !caught.has(theme))).toEqual([]);
  });
});
