/** The cases of a mode as people wrote them: a file of YAML for each theme. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { Check } from '../shape.ts';

/** The kit's own folder, from the sources as well as from `dist/`. */
export const kit: string = dirname(createRequire(import.meta.url).resolve('@turnwire/contract-tests/package.json'));

/** Every case of a mode, in the order of the files. Throws a `ShapeError` that names file and place. */
export function readCases<File, Case extends { readonly id: string }>(
  mode: string,
  check: Check,
  casesOf: (file: File, theme: string) => readonly Case[],
): Case[] {
  const folder = join(kit, 'cases', mode);
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const cases = names.sort().flatMap((name) => {
    const written: unknown = parse(readFileSync(join(folder, name), 'utf8'), { merge: true });
    check(written, name);
    return casesOf(written as File, basename(name, '.yaml'));
  });
  const ids = cases.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`two cases are named ${twice}`);
  return cases;
}
