/** What the kit must say of a subject that is wrong in one way, whatever the mode. */
import { expect } from 'vitest';
import type { Difference } from '../../broken/bundle.ts';
import type { Report } from '../report/check.ts';

/** It failed exactly the checks that are meant to catch it, of those, and for what it breaks. */
export function expectCaught({ caughtBy, breaks }: Pick<Difference, 'caughtBy' | 'breaks'>, { checks }: Report): void {
  expect(checks.length).toBe(caughtBy.length);
  const failed = checks.filter(({ verdict }) => verdict === 'failed');
  expect(failed.map(({ id }) => id).sort()).toEqual([...caughtBy].sort());
  if (breaks === undefined) return;
  const named = new Set(failed.map(({ requirement }) => requirement));
  const sentences = failed.map(({ sentence }) => sentence).join('\n');
  expect(
    breaks.filter((id) => !named.has(id)),
    sentences,
  ).toEqual([]);
}
