/** The files of `--report`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conforms, type Report } from './check.ts';
import { html } from './html.ts';
import { junit } from './junit.ts';
import { badge, summary } from './summary.ts';

/** Version of the shape of report.json: `spec/report.schema.json`. */
const reportVersion = 1;

/** What report.json holds. */
export const reportJson = (report: Report): object => ({
  version: reportVersion,
  conformant: conforms(report),
  ...report,
});

/** Writes all of them into a folder that is made if it is not there. */
export function writeReport(folder: string, report: Report): void {
  mkdirSync(folder, { recursive: true });
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  const files: Readonly<Record<string, string>> = {
    'junit.xml': junit(report),
    'report.json': json(reportJson(report)),
    'report.html': html(report),
    'summary.md': summary(report),
    'badge.json': json(badge(report)),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
