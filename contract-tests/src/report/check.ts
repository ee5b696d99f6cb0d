/** What a run of the kit is made of, whatever it holds to the spec. */

export type Level = 'must' | 'should' | 'may';

export interface Check {
  readonly id: string;
  readonly theme: string;
  readonly says: string;
  readonly requirements: readonly string[];
  readonly level: Level;
}

/** `not_tested`: the subject declares that it has not what the check needs. */
export type Verdict = 'passed' | 'failed' | 'not_tested';

export interface CheckResult extends Check {
  readonly verdict: Verdict;
  /** Of a failure: what the subject did, what it should do, where the spec says so. Of one not tested: why. */
  readonly sentence?: string;
  readonly ms: number;
  readonly trace?: readonly string[];
}

export interface Report {
  readonly mode: string;
  readonly level: Level;
  readonly subject: { readonly command: string; readonly language?: string; readonly version?: string };
  readonly seed: number;
  readonly ms: number;
  readonly checks: readonly CheckResult[];
  /** Ids that were declared to fail: those that did, and those that passed all the same. */
  readonly knownFailing: { readonly failed: readonly string[]; readonly passed: readonly string[] };
}

/** Conformant: nothing failed but what was declared, what was declared failed, and something passed. */
export function conforms({ checks, knownFailing }: Report): boolean {
  const declared = new Set(knownFailing.failed);
  const wrong = checks.some(({ id, verdict }) => verdict === 'failed' && !declared.has(id));
  // A MUST that is not tested is not conformant.
  const untested = checks.some((check) => check.verdict === 'not_tested' && check.level === 'must');
  return !wrong && !untested && knownFailing.passed.length === 0 && checks.some(({ verdict }) => verdict === 'passed');
}

const order: readonly Level[] = ['must', 'should', 'may'];

/** Whether a check counts at a level: a MUST counts at each. */
export const countsAt = (check: Level, level: Level): boolean => order.indexOf(check) <= order.indexOf(level);
