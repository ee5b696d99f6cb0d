import { describe, expect, it } from 'vitest';
import { outcomes, protocol, texts } from './gen/protocol.ts';
import { type Mutant, mutantsOf } from './testing/mutants.ts';
import { proseChecks } from './testing/prose.ts';
import { vectorChecks } from './testing/vectors.ts';

/** What nothing in this SDK interprets. */
const notInterpreted = [
  // For people.
  /^protocol\.evidence\.\w+\.meaning$/,
  /^protocol\.problemCodes\.\w+\.title$/,
  /^protocol\.operations\.\w+\.documents(\.|$)/,
  // For readers of the documents, but for two words; what an answer proves is decided by `protocol.answers`.
  /^protocol\.operations\.(?!readSurface\.responses\.304|readConversation\.responses\.204)\w+\.responses(\.|$)/,
  // The Custodian's own behaviour, held by its own tests.
  /^protocol\.custodian(\.|$)/,
];

/** Rows that say what no row would mean: doubt. */
const doubtAnyway = new Set([
  'protocol.evidence.unexplained: taken out',
  'protocol.answers.0: taken out',
  'protocol.answers.7: taken out',
  'protocol.answers.7.ours: false for true',
]);

/** A table taken out as a whole is no wrong row. */
const isTable = ({ at, how }: Mutant): boolean => how === 'taken out' && /^protocol\.\w+$/.test(at);

const mutants = mutantsOf({ protocol, outcomes, texts }).filter(
  (mutant) => !isTable(mutant) && !notInterpreted.some((row) => row.test(mutant.at)),
);
const checks = [...vectorChecks, ...proseChecks];

/** Whether some check fails. The one that did is tried first the next time: neighbours are often seen by the same. */
function isSeen(mutant: Mutant): boolean {
  const restore = mutant.apply();
  try {
    const at = checks.findIndex(({ run }) => throws(run));
    checks.unshift(...checks.splice(at, at < 0 ? 0 : 1));
    return at >= 0;
  } finally {
    restore();
  }
}

function throws(run: () => void): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}

describe('the generated tables', () => {
  it('are right as they are', () => expect(checks.filter(({ run }) => throws(run))).toEqual([]));

  it('each of their rows, flipped, makes a test fail', () => {
    expect(mutants.length).toBeGreaterThan(400);
    const survivors = mutants.filter((mutant) => !isSeen(mutant)).map(({ at, how }) => `${at}: ${how}`);
    expect(survivors.filter((each) => !doubtAnyway.has(each))).toEqual([]);
    expect(checks.filter(({ run }) => throws(run))).toEqual([]);
  }, 60_000);
});
