import { describe, it } from 'vitest';
import type { Difference } from '../../broken/bundle.ts';
import { differences } from '../../broken/orchestrator/build.ts';
import { caught } from './broken.fixture.ts';
import { costOf } from './cost.ts';
import { loadOrchestratorCases } from './load.ts';

const costs = new Map(loadOrchestratorCases().map((of) => [of.id, costOf(of)]));
const cost = ({ caughtBy }: Difference): number => Math.max(...caughtBy.map((id) => costs.get(id) ?? 0));
const longestFirst = [...differences].sort((one, other) => cost(other) - cost(one));

describe('every orchestrator that is wrong in one way is caught by the check that is meant for it', () => {
  it.concurrent.each(longestFirst.map((difference) => [difference.name, difference] as const))(
    '%s',
    (_, difference) => caught(difference),
    240_000,
  );
});
