import { join } from 'node:path';
import { kit, readCases } from '../run/cases.ts';
import type { OrchestratorCase } from './case.ts';
import { checkCaseFile } from './validate.ts';

/** The machines that the cases need, as the subject finds them. */
export const statecharts = join(kit, 'statecharts');

interface Written {
  readonly cases: readonly Omit<OrchestratorCase, 'theme'>[];
}

/** Every case of the folder, in the order of the files. Throws a `ShapeError` that names file and place. */
export const loadOrchestratorCases = (): OrchestratorCase[] =>
  readCases('orchestrator', checkCaseFile, ({ cases }: Written, theme) =>
    cases.map(({ id, ...of }) => ({ ...of, level: of.level ?? 'must', id: `${theme}.${id}`, theme })),
  );
