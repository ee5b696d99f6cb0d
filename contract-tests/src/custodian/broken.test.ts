import { describe, expect, it } from 'vitest';
import { buildCustodian, differences } from '../../broken/custodian/build.ts';
import { caught, themeOf } from './broken.fixture.ts';
import { loadCustodianCases } from './load.ts';

const themes = [...new Set(loadCustodianCases().map(({ theme }) => theme))];

describe('a custodian that is wrong in one way is caught by the check that is meant for it', () => {
  // One of each theme in every run; all of them in `broken.nightly.test.ts`.
  it.concurrent.each(themes)(
    '%s',
    async (theme) => {
      const difference = differences.find((each) => themeOf(each) === theme);
      if (!difference) throw new Error(`there is no broken custodian for the theme ${theme}`);
      await caught(difference);
    },
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
