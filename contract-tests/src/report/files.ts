import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckResult, conforms, type Report } from './check.ts';

/** Version of the shape of report.json. */
const reportVersion = 1;

/** Writes junit.xml and report.json into a folder that is made if it is not there. */
export function writeReport(folder: string, report: Report): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'junit.xml'), junit(report));
  const json = { version: reportVersion, protocol: '1', conformant: conforms(report), ...report };
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(json, null, 2)}\n`);
}

/** The report as JUnit's XML: one suite a theme, one case a check. */
export function junit(report: Report): string {
  const themes = [...new Set(report.checks.map(({ theme }) => theme))];
  const suites = themes.map((theme) => {
    const checks = report.checks.filter((check) => check.theme === theme);
    const failures = checks.filter(({ verdict }) => verdict === 'failed').length;
    const skipped = checks.filter(({ verdict }) => verdict === 'not_tested').length;
    const attributes = `name="${xml(theme)}" tests="${checks.length}" failures="${failures}" skipped="${skipped}"`;
    return `  <testsuite ${attributes}>\n${checks.map(testCase).join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="turnwire-contract ${xml(report.mode)}">\n${suites.join('')}</testsuites>\n`;
}

function testCase({ id, theme, verdict, sentence = '', trace = [], ms }: CheckResult): string {
  const head = `    <testcase classname="${xml(theme)}" name="${xml(id)}" time="${(ms / 1000).toFixed(3)}"`;
  if (verdict === 'passed') return `${head}/>\n`;
  if (verdict === 'not_tested') return `${head}><skipped message="${xml(sentence)}"/></testcase>\n`;
  return `${head}><failure message="${xml(sentence)}">${xml(trace.join('\n'))}</failure></testcase>\n`;
}

/** Escaped, without what XML cannot hold at all. */
function xml(text: string): string {
  const printable = text.replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '?');
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return printable.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
