import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { HarnessCase } from './case.ts';
import { checkCaseFile, type WrittenFile } from './validate.ts';

/** The folder of the cases, from the sources as well as from `dist/`. */
const folder = join(
  dirname(createRequire(import.meta.url).resolve('@turnwire/contract-tests/package.json')),
  'cases',
  'harness',
);

/** Every case of the folder, in the order of the files. Throws a `ShapeError` that names file and place. */
export function loadHarnessCases(): HarnessCase[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const cases = names.sort().flatMap((name) => casesOf(name, parse(readFileSync(join(folder, name), 'utf8'))));
  const ids = cases.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`two cases are named ${twice}`);
  return cases;
}

function casesOf(name: string, written: unknown): HarnessCase[] {
  checkCaseFile(written, name);
  const theme = basename(name, '.yaml');
  const file = written as WrittenFile;
  return file.cases.map(({ id, ...of }) => ({
    ...{ level: 'must' as const, needs: [], model: [], ...of },
    id: `${theme}.${id}`,
    theme,
    turn: { ...file.turn, ...of.turn },
  }));
}
