/** What a run of the kit is made of, whatever it holds to the spec. */
import type { Claim } from './claim.ts';
import type { WireEvent } from './wire.ts';

export type Level = 'must' | 'should' | 'may';

export interface Check {
  readonly id: string;
  readonly theme: string;
  readonly says: string;
  readonly requirements: readonly string[];
  readonly level: Level;
}

/**
 * `skipped`: the subject does not declare the capability that the check is about. `not_tested`: it could not be looked at.
 * `kit_error`: the kit itself was wrong, which says nothing of the subject.
 */
export type Verdict = 'passed' | 'failed' | 'skipped' | 'not_tested' | 'kit_error';

export interface CheckResult extends Check {
  readonly verdict: Verdict;
  /** Of a failure: what the subject did, what it should do, where the spec says so. Of one not tested: why. */
  readonly sentence?: string;
  /** The parts of the sentence: the first way in which the subject was wrong. */
  readonly did?: string;
  readonly should?: string;
  readonly requirement?: string;
  readonly ms: number;
  /** The transcript for a person, line by line. */
  readonly trace?: readonly string[];
  /** The same as messages between the parties, as far as there were any. */
  readonly wire?: readonly WireEvent[];
}

export interface Subject {
  readonly command: string;
  readonly language?: string;
  readonly name?: string;
  readonly version?: string;
  /** What it announces, and what was declared for it. */
  readonly capabilities?: readonly string[];
}

export interface Report {
  readonly mode: string;
  readonly level: Level;
  readonly subject: Subject;
  readonly seed: number;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly ms: number;
  readonly claim: Claim;
  readonly checks: readonly CheckResult[];
  /** Ids that were declared to fail: those that did, and those that passed all the same. */
  readonly knownFailing: { readonly failed: readonly string[]; readonly passed: readonly string[] };
}

/** Conformant: nothing failed but what was declared, what was declared failed, and something passed. */
export function conforms({ checks, knownFailing }: Pick<Report, 'checks' | 'knownFailing'>): boolean {
  const declared = new Set(knownFailing.failed);
  const wrong = checks.some(
    ({ id, verdict }) => verdict === 'kit_error' || (verdict === 'failed' && !declared.has(id)),
  );
  // A MUST that is not tested is not conformant.
  const untested = checks.some((check) => check.verdict === 'not_tested' && check.level === 'must');
  return !wrong && !untested && knownFailing.passed.length === 0 && checks.some(({ verdict }) => verdict === 'passed');
}

export const countOf = ({ checks }: Pick<Report, 'checks'>, verdict: Verdict): number =>
  checks.filter((each) => each.verdict === verdict).length;

const order: readonly Level[] = ['must', 'should', 'may'];

/** Whether a check counts at a level: a MUST counts at each. */
export const countsAt = (check: Level, level: Level): boolean => order.indexOf(check) <= order.indexOf(level);
