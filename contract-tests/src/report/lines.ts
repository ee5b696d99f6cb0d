import { type CheckResult, conforms, countOf, type Report, type Verdict } from './check.ts';
import { claimText } from './claim.ts';

/** How a person reads a verdict. */
export const words: Readonly<Record<Verdict, string>> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  not_tested: 'not tested',
  kit_error: 'KIT ERROR',
};

/** What a person reads while and after a run. */
export function failureLines(result: CheckResult, withTrace: boolean): string[] {
  const trace = withTrace ? (result.trace ?? []).map((line) => `    ${line}`) : [];
  return [`${words[result.verdict]}  ${result.id}: ${result.sentence ?? ''}`, ...trace];
}

export function summaryLines(report: Report): string[] {
  const { failed, passed } = report.knownFailing;
  const known = failed.length > 0 ? ` (${failed.length} of them known)` : '';
  const more = (['skipped', 'not_tested', 'kit_error'] as const).flatMap((verdict) => {
    const count = countOf(report, verdict);
    return count > 0 ? `, ${count} ${words[verdict]}` : [];
  });
  const seconds = (report.ms / 1000).toFixed(1);
  return [
    ...passed.map((id) => `passes although it is known to fail: take ${id} out of the list`),
    `${countOf(report, 'passed')} passed, ${countOf(report, 'failed')} failed${known}${more.join('')} in ${seconds} s: ${
      conforms(report) ? `conformant at level ${report.level}` : 'not conformant'
    }`,
    `(${claimText(report.claim)})`,
  ];
}
