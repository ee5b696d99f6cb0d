/** A requirement that no wrong subject breaks is not known to be checked. */
import { expect, it } from 'vitest';
import { type Difference, differencesBeside } from '../../broken/bundle.ts';
import { catalogs, type ModeCatalog } from '../catalog.ts';
import { requirements } from '../client/spec.ts';
import { levelOf } from './coverage.ts';

const isMust = (id: string): boolean => levelOf(requirements.get(id) ?? '') === 'must';
const differencesOf = (mode: string): readonly Difference[] =>
  differencesBeside(new URL(`../../broken/${mode}/`, import.meta.url).href);

/** What wrong subjects of a mode break: what the checks name that catch one, or what these are proven to say of it. */
function brokenIn({ mode, checks }: ModeCatalog): Set<string> {
  const differences = differencesOf(mode);
  const caught = new Set(differences.flatMap(({ caughtBy }) => caughtBy));
  const named = checks().flatMap(({ id, requirements: of }) => (caught.has(id) ? of : []));
  return new Set([...named, ...differences.flatMap(({ breaks = [] }) => breaks)]);
}

const modes = catalogs.map((catalog) => [catalog.mode, catalog] as const);

it.each(modes)('every MUST that a check of mode %s is about is broken by some wrong subject, and caught', (_, catalog) => {
  const tested = catalog.checks().filter(({ level }) => level === 'must');
  const broken = brokenIn(catalog);
  const ids = new Set(tested.flatMap((check) => check.requirements).filter(isMust));
  expect([...ids].filter((id) => !broken.has(id)).sort()).toEqual([]);
});

it.each(modes)('every MUST that is held in every check of mode %s is broken by one, and named', (mode, { everyCheck }) => {
  const broken = new Set(differencesOf(mode).flatMap(({ breaks = [] }) => breaks));
  expect(everyCheck.filter((id) => isMust(id) && !broken.has(id))).toEqual([]);
});
