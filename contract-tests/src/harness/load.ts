import { readCases } from '../run/cases.ts';
import type { HarnessCase } from './case.ts';
import { checkCaseFile, type WrittenFile } from './validate.ts';

/** Every case of the folder, in the order of the files. Throws a `ShapeError` that names file and place. */
export const loadHarnessCases = (): HarnessCase[] =>
  readCases('harness', checkCaseFile, ({ cases, turn }: WrittenFile, theme) =>
    cases.map(({ id, ...of }) => ({
      ...{ level: 'must' as const, needs: [], model: [], ...of },
      id: `${theme}.${id}`,
      theme,
      turn: { ...turn, ...of.turn },
    })),
  );
