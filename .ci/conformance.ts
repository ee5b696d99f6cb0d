/**
 * `npm run conformance`: holds the three SDKs to the kit and writes the table of `sdk/README.md` from their reports. Each is run in full, at
 * level `may`, without known-failing entries.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const readme = join(root, 'sdk/README.md');
const [begin, end] = ['<!-- conformance: made by `npm run conformance` -->', '<!-- /conformance -->'];

interface Report {
  readonly conformant: boolean;
  readonly level: string;
  readonly subject: { readonly language: string; readonly version: string };
  readonly checks: readonly { readonly theme: string; readonly verdict: string; readonly level: string }[];
}

function commands(folder: string): Readonly<Record<string, { command: string; env?: Record<string, string> }>> {
  const go = join(folder, 'turnwire-adapter');
  const built = spawnSync('go', ['build', '-o', go, './cmd/turnwire-adapter'], { cwd: join(root, 'sdk/go') });
  if (built.status !== 0) throw new Error('the Go adapter does not build');
  const typescript = join(root, 'sdk/typescript/src/adapter.ts');
  return {
    TypeScript: { command: `node --conditions=turnwire-source --import tsx ${JSON.stringify(typescript)}` },
    Python: {
      command: `${join(root, '.venv/bin/python')} -m turnwire.adapter`,
      env: { PYTHONPATH: join(root, 'sdk/python/src') },
    },
    Go: { command: go },
  };
}

function reportOf(command: string, env: Record<string, string> | undefined, folder: string): Report {
  const kit = [
    'contract-tests/bin/turnwire-contract.js',
    'client',
    '--command',
    command,
    '--level',
    'may',
    '--jobs',
    '4',
  ];
  spawnSync(process.execPath, [...kit, '--report', folder], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  return JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report;
}

/** A row for each theme: how many of its checks each SDK passed. */
function table(reports: Readonly<Record<string, Report>>): string {
  const languages = Object.keys(reports);
  const themes = [...new Set(Object.values(reports).flatMap(({ checks }) => checks.map(({ theme }) => theme)))];
  const cell = (checks: Report['checks']) =>
    `${checks.filter(({ verdict }) => verdict === 'passed').length} of ${checks.length}`;
  const row = (name: string, of: (report: Report) => string) =>
    `| ${[name, ...languages.map((language) => of(reports[language] as Report))].join(' | ')} |`;
  return [
    `| theme | ${languages.join(' | ')} |`,
    `|---|${languages.map(() => '---').join('|')}|`,
    ...themes.map((theme) => row(theme, ({ checks }) => cell(checks.filter((check) => check.theme === theme)))),
    row('all', ({ checks }) => cell(checks)),
    row('conformant, known failing', ({ conformant, level }) => `${conformant ? `at level ${level}` : 'no'}, none`),
  ].join('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'turnwire-conformance-'));
const reports: Record<string, Report> = {};
for (const [language, { command, env }] of Object.entries(commands(folder)))
  reports[language] = reportOf(command, env, join(folder, language));
rmSync(folder, { recursive: true, force: true });
const [before = '', rest = ''] = readFileSync(readme, 'utf8').split(begin);
const [, after = ''] = rest.split(end);
writeFileSync(readme, `${before}${begin}\n\n${table(reports)}\n\n${end}${after}`);
process.exitCode = Object.values(reports).every(({ conformant }) => conformant) ? 0 : 1;
