import { describe, expect, it } from 'vitest';
import { edited } from '../../broken/bundle.ts';
import { differences } from '../../broken/orchestrator/build.ts';
import { caught, themeOf } from './broken.fixture.ts';
import { loadOrchestratorCases } from './load.ts';

const themes = [...new Set(loadOrchestratorCases().map(({ theme }) => theme))];

describe('an orchestrator that is wrong in one way is caught by the check that is meant for it', () => {
  // One of each theme in every run; all of them in `broken.nightly.test.ts`.
  it.concurrent.each(themes)(
    '%s',
    async (theme) => {
      const difference = differences.find((each) => themeOf(each) === theme);
      if (!difference) throw new Error(`there is no broken orchestrator for the theme ${theme}`);
      await caught(difference);
    },
    120_000,
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
