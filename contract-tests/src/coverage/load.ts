/** What coverage is computed from, as it lies in the spec and in `cases/`. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { catalogs } from '../catalog.ts';
import { requirements } from '../client/spec.ts';
import { list, shape, text } from '../shape.ts';
import { type Coverage, coverageOf, type Exclusion } from './coverage.ts';
import { operations } from './documents.ts';

const cases = join(dirname(createRequire(import.meta.url).resolve('@turnwire/contract-tests/package.json')), 'cases');

const checkExclusions = shape({ about: text, excluded: list(shape({ what: text, reason: text }, ['what', 'reason'])) }, [
  'about',
  'excluded',
]);

/** The coverage of the kit as it is. @throws ShapeError */
export function coverage(): Coverage {
  const written: unknown = parse(readFileSync(join(cases, 'exclusions.yaml'), 'utf8'));
  checkExclusions(written, 'exclusions.yaml');
  const { excluded } = written as { excluded: readonly Exclusion[] };
  return coverageOf({ requirements, operations, catalogs, exclusions: excluded });
}
