import { describe, expect, it } from 'vitest';
import { buildCustodian, differences } from '../../broken/custodian/build.ts';
import { caught } from './broken.fixture.ts';
import { loadCustodianCases } from './load.ts';

describe('a custodian that is wrong in one way is caught by the check that is meant for it', () => {
  it.concurrent.each(differences.map((difference) => [difference.name, difference] as const))(
    '%s',
    (_, difference) => caught(difference),
    120_000,
  );

  it('each names checks that there are', () => {
    const ids = loadCustodianCases().map(({ id }) => id);
    expect(differences.flatMap(({ caughtBy }) => caughtBy).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('each is a custodian with lines that are there', async () => {
    await Promise.all(differences.map((difference) => buildCustodian(difference)));
  }, 60_000);
});
