/** A requirement that no wrong subject breaks is not known to be checked. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { catalogs } from '../catalog.ts';
import { requirements } from '../client/spec.ts';
import { levelOf } from './coverage.ts';

const folder = (mode: string) => new URL(`../../broken/${mode}/`, import.meta.url);
const caughtBy = (mode: string): Set<string> =>
  new Set(
    readdirSync(folder(mode))
      .filter((name) => name.endsWith('.yaml'))
      .flatMap((name) => parse(readFileSync(new URL(name, folder(mode)), 'utf8')) as { caughtBy: string[] }[])
      .flatMap((difference) => difference.caughtBy),
  );

/** MUSTs that are tested, and that no wrong subject breaks yet. It only gets smaller. */
const most = 44;

it('almost every MUST that is tested is broken by some wrong subject, and caught', () => {
  const isMust = (id: string) => levelOf(requirements.get(id) ?? '') === 'must';
  const tested = new Set<string>();
  const broken = new Set<string>();
  for (const { mode, checks, everyCheck } of catalogs) {
    const caught = caughtBy(mode);
    // What is held in every check is caught by each that catches anything of its mode.
    for (const id of everyCheck) broken.add(id);
    for (const { id, level, requirements: named } of checks()) {
      for (const one of named.filter(isMust)) {
        if (level === 'must') tested.add(one);
        if (caught.has(id)) broken.add(one);
      }
    }
  }
  const unbroken = [...tested].filter((id) => !broken.has(id)).sort();
  expect(unbroken.length, unbroken.join(' ')).toBeLessThanOrEqual(most);
});
