import { describe, expect, it } from 'vitest';
import { type Difference, edited } from '../../broken/bundle.ts';
import { differences } from '../../broken/orchestrator/build.ts';
import { caught } from './broken.fixture.ts';
import { costOf } from './cost.ts';
import { loadOrchestratorCases } from './load.ts';

const costs = new Map(loadOrchestratorCases().map((of) => [of.id, costOf(of)]));
const cost = ({ caughtBy }: Difference): number => Math.max(...caughtBy.map((id) => costs.get(id) ?? 0));
const longestFirst = [...differences].sort((one, other) => cost(other) - cost(one));

describe('an orchestrator that is wrong in one way is caught by the check that is meant for it', () => {
  it.concurrent.each(longestFirst.map((difference) => [difference.name, difference] as const))(
    '%s',
    (_, difference) => caught(difference),
    240_000,
  );

  it('each names checks that there are', () => {
    const ids = loadOrchestratorCases().map(({ id }) => id);
    expect(differences.flatMap(({ caughtBy }) => caughtBy).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('each changes lines that are there', () => {
    for (const difference of differences)
      for (const { file } of difference.edits) expect(edited(file, difference)).toBeTypeOf('string');
  });
});
