import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { CustodianCase } from './case.ts';
import { checkCaseFile } from './validate.ts';

const kit = dirname(createRequire(import.meta.url).resolve('@turnwire/contract-tests/package.json'));

/** Every case of the folder, in the order of the files. Throws a `ShapeError` that names file and place. */
export function loadCustodianCases(): CustodianCase[] {
  const folder = join(kit, 'cases', 'custodian');
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const cases = names
    .sort()
    .flatMap((name) => casesOf(name, parse(readFileSync(join(folder, name), 'utf8'), { merge: true })));
  const ids = cases.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`two cases are named ${twice}`);
  return cases;
}

function casesOf(name: string, written: unknown): CustodianCase[] {
  checkCaseFile(written, name);
  const theme = basename(name, '.yaml');
  const { cases } = written as { cases: readonly Omit<CustodianCase, 'theme'>[] };
  return cases.map(({ id, ...of }) => ({ ...of, level: of.level ?? 'must', id: `${theme}.${id}`, theme }));
}
