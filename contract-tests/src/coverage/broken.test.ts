/** A requirement that no wrong subject breaks is not known to be checked. */
import { expect, it } from 'vitest';
import { type Difference, differencesBeside } from '../../broken/bundle.ts';
import { catalogs, type ModeCatalog } from '../catalog.ts';
import { requirements } from '../client/spec.ts';
import { levelOf } from './coverage.ts';

const isMust = (id: string): boolean => levelOf(requirements.get(id) ?? '') === 'must';
const differencesOf = (mode: string): readonly Difference[] =>
  differencesBeside(new URL(`../../broken/${mode}/`, import.meta.url).href);

/** What some wrong subject of a mode breaks: what the checks name that catch it, or what they are proven to say of it. */
function brokenIn({ mode, checks }: ModeCatalog): Set<string> {
  const differences = differencesOf(mode);
  const caught = new Set(differences.flatMap(({ caughtBy }) => caughtBy));
  const named = checks().flatMap(({ id, requirements: of }) => (caught.has(id) ? of : []));
  return new Set([...named, ...differences.flatMap(({ breaks = [] }) => breaks)]);
}

it('every MUST that is tested is broken by some wrong subject, and caught', () => {
  const tested = catalogs.flatMap(({ checks }) => checks()).filter(({ level }) => level === 'must');
  const broken = new Set(catalogs.flatMap((catalog) => [...brokenIn(catalog)]));
  const ids = new Set(tested.flatMap((check) => check.requirements).filter(isMust));
  expect([...ids].filter((id) => !broken.has(id)).sort()).toEqual([]);
});

it.each(catalogs.map((catalog) => [catalog.mode, catalog] as const))(
  'every MUST that is held in every check of a %s is broken by one, and named',
  (mode, { everyCheck }) => {
    const broken = new Set(differencesOf(mode).flatMap(({ breaks = [] }) => breaks));
    expect(everyCheck.filter((id) => isMust(id) && !broken.has(id))).toEqual([]);
  },
);
