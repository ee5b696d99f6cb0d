import type { CheckResult, Report } from './check.ts';

/** The report as JUnit's XML: one suite a theme, one case a check. */
export function junit(report: Report): string {
  const themes = [...new Set(report.checks.map(({ theme }) => theme))];
  const suites = themes.map((theme) => {
    const checks = report.checks.filter((check) => check.theme === theme);
    const count = (...verdicts: CheckResult['verdict'][]) =>
      checks.filter((each) => verdicts.includes(each.verdict)).length;
    const counts = `failures="${count('failed')}" errors="${count('kit_error')}" skipped="${count('skipped', 'not_tested')}"`;
    const attributes = `name="${xml(theme)}" tests="${checks.length}" ${counts}`;
    return `  <testsuite ${attributes}>\n${checks.map(testCase).join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="turnwire-contract ${xml(report.mode)}">\n${suites.join('')}</testsuites>\n`;
}

function testCase({ id, theme, verdict, sentence = '', trace = [], ms }: CheckResult): string {
  const head = `    <testcase classname="${xml(theme)}" name="${xml(id)}" time="${(ms / 1000).toFixed(3)}"`;
  if (verdict === 'passed') return `${head}/>\n`;
  if (verdict === 'not_tested' || verdict === 'skipped')
    return `${head}><skipped message="${xml(sentence)}"/></testcase>\n`;
  const tag = verdict === 'kit_error' ? 'error' : 'failure';
  return `${head}><${tag} message="${xml(sentence)}">${xml(trace.join('\n'))}</${tag}></testcase>\n`;
}

/** Escaped, without what XML cannot hold at all. */
function xml(text: string): string {
  const printable = text.replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '?');
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return printable.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
