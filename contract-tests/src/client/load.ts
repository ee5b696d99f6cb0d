import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { ClientCase } from './case.ts';
import { type CaseFile, expand, type FaultFile } from './expand.ts';
import { checkCaseFile, checkFaultFile } from './validate.ts';

/** The folder of the cases, from the sources as well as from `dist/`. */
const folder = join(
  dirname(createRequire(import.meta.url).resolve('@turnwire/contract-tests/package.json')),
  'cases',
  'client',
);

/** Every case of the folder, in the order of the files. Throws a `ShapeError` that names file and place. */
export function loadCases(): ClientCase[] {
  const faults = checkFaultFile(read('faults.yaml'), 'faults.yaml') as FaultFile;
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== 'faults.yaml');
  const cases = files.sort().flatMap((name) => {
    const file = checkCaseFile(read(name), name) as Omit<CaseFile, 'theme'>;
    return expand({ ...file, theme: basename(name, '.yaml') }, faults);
  });
  const ids = cases.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`two cases are named ${twice}`);
  return cases;
}

function read(name: string): unknown {
  return parse(readFileSync(join(folder, name), 'utf8'));
}
