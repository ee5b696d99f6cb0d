/** From what was seen to what a person reads. */

import type { Mismatch } from '../client/seen.ts';
import { requirements } from '../client/spec.ts';
import type { Check, CheckResult, Report } from '../report/check.ts';

/** What the subject did, what it should do, and where the spec says so. */
export function sentence(mismatches: readonly Mismatch[], check: Check): string {
  const [first] = mismatches;
  const more = mismatches.length > 1 ? ` (and ${mismatches.length - 1} more)` : '';
  const id = first?.requirement ?? check.requirements[0] ?? '';
  const where = `${id}, spec/protocol.md: "${requirements.get(id) ?? ''}"`;
  return `the subject ${first?.did}; it should ${first?.should}${more}. ${check.says} ${where}`;
}

/** What was declared to fail: which did, and which passed all the same. */
export function declaredFailures(checks: readonly CheckResult[], declared: readonly string[]): Report['knownFailing'] {
  const of = (verdict: CheckResult['verdict']) =>
    checks.filter((each) => declared.includes(each.id) && each.verdict === verdict).map(({ id }) => id);
  return { failed: of('failed'), passed: of('passed') };
}
