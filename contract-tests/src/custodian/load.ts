import { readCases } from '../run/cases.ts';
import type { CustodianCase } from './case.ts';
import { checkCaseFile } from './validate.ts';

interface Written {
  readonly cases: readonly Omit<CustodianCase, 'theme'>[];
}

/** Every case of the folder, in the order of the files. Throws a `ShapeError` that names file and place. */
export const loadCustodianCases = (): CustodianCase[] =>
  readCases('custodian', checkCaseFile, ({ cases }: Written, theme) =>
    cases.map(({ id, ...of }) => ({ ...of, level: of.level ?? 'must', id: `${theme}.${id}`, theme })),
  );
