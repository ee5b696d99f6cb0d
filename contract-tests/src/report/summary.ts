/** The report in a few lines: for the summary of a CI job, and for a badge. */
import { type CheckResult, conforms, countOf, type Report } from './check.ts';
import { claimText } from './claim.ts';
import { words } from './lines.ts';

/** Failures that a summary lists before it only counts them. */
const most = 50;

export function summary(report: Report): string {
  const { subject, mode, checks, ms, claim } = report;
  const verdict = conforms(report) ? `conformant at level ${report.level}` : 'not conformant';
  const name = [subject.name ?? subject.command, subject.version].filter((part) => part !== undefined).join(' ');
  const themes = [...new Set(checks.map(({ theme }) => theme))];
  const wrong = checks.filter(({ verdict: each }) => each !== 'passed' && each !== 'skipped');
  const lines = [
    `## Turnwire ${mode}: ${verdict}`,
    '',
    `${cell(name)}: ${countOf(report, 'passed')} of ${checks.length} checks passed in ${(ms / 1000).toFixed(1)} s.`,
    '',
    '| theme | passed | failed | other |',
    '|---|---:|---:|---:|',
    ...themes.map((theme) => row(theme, checks)),
    ...(wrong.length === 0 ? [] : ['', ...wrong.slice(0, most).map(item)]),
    ...(wrong.length > most ? [`- and ${wrong.length - most} more`] : []),
    ...report.knownFailing.passed.map((id) => `- \`${id}\` passes although it is known to fail`),
    '',
    `<sub>${claimText(claim)}</sub>`,
  ];
  return `${lines.join('\n')}\n`;
}

function row(theme: string, checks: readonly CheckResult[]): string {
  const of = checks.filter((check) => check.theme === theme);
  const count = (verdict: CheckResult['verdict']) => of.filter((check) => check.verdict === verdict).length;
  const [passed, failed] = [count('passed'), count('failed')];
  return `| ${theme} | ${passed} | ${failed} | ${of.length - passed - failed} |`;
}

const item = ({ id, verdict, sentence = '' }: CheckResult): string =>
  `- **${words[verdict]}** \`${id}\`: ${cell(sentence)}`;

/** On one line, without what Markdown would take for its own. */
const cell = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/[<>|*_`[\]\\]/g, (each) => `\\${each}`);

/** For shields.io's endpoint badge. */
export function badge(report: Report): object {
  const good = conforms(report);
  const failed = report.checks.length - countOf(report, 'passed') - countOf(report, 'skipped');
  return {
    schemaVersion: 1,
    label: `turnwire ${report.mode}`,
    message: good
      ? `conformant (${report.level}${report.claim.selection ? ', selected checks' : ''})`
      : `${failed} of ${report.checks.length} not passed`,
    color: good ? 'brightgreen' : 'red',
  };
}
