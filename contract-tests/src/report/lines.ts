import { type CheckResult, conforms, type Report } from './check.ts';

/** What a person reads while and after a run. */
export function failureLines(result: CheckResult, withTrace: boolean): string[] {
  const mark = result.verdict === 'failed' ? 'failed' : 'not tested';
  const trace = withTrace ? (result.trace ?? []).map((line) => `    ${line}`) : [];
  return [`${mark}  ${result.id}: ${result.sentence ?? ''}`, ...trace];
}

export function summaryLines(report: Report): string[] {
  const count = (verdict: CheckResult['verdict']) => report.checks.filter((each) => each.verdict === verdict).length;
  const { failed, passed } = report.knownFailing;
  const known = failed.length > 0 ? ` (${failed.length} of them known)` : '';
  const notTested = count('not_tested') > 0 ? `, ${count('not_tested')} not tested` : '';
  const seconds = (report.ms / 1000).toFixed(1);
  return [
    ...passed.map((id) => `passes although it is known to fail: take ${id} out of the list`),
    `${count('passed')} passed, ${count('failed')} failed${known}${notTested} in ${seconds} s: ${
      conforms(report) ? `conformant at level ${report.level}` : 'not conformant'
    }`,
  ];
}
