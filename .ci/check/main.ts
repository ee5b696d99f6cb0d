import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Check, Findings } from './check.ts';
import { command } from './command.ts';
import { dependencies } from './dependencies.ts';
import { docs } from './docs.ts';
import { documents } from './documents.ts';
import { banner, generateDiff } from './generated.ts';
import { packages } from './package.ts';
import { requirements } from './requirements.ts';
import { style } from './style.ts';
import { vectors } from './vectors.ts';

const specDocuments = ['harness', 'orchestrator', 'custodian'].map((name) => `spec/openapi/${name}.yaml`);

/** In the order of what a person mends first. */
const checks: readonly Check[] = [
  command('biome', 'biome', ['check', '--max-diagnostics=50', '--diagnostic-level=error', '.']),
  style,
  dependencies,
  command('tsc', 'tsc', ['-p', 'tsconfig.base.json']),
  command('redocly', 'redocly', ['lint', '--config', 'spec/redocly.yaml', '--format', 'stylish']),
  command('spectral', 'spectral', [
    'lint',
    '--ruleset',
    'spec/spectral.yaml',
    '--fail-severity',
    'warn',
    '--quiet',
    ...specDocuments,
  ]),
  documents,
  generateDiff,
  banner,
  vectors,
  requirements,
  docs,
  packages,
];

async function findingsOf(check: Check, root: string): Promise<Findings> {
  try {
    return await check.run(root);
  } catch (error) {
    return {
      problems: [`the check itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`],
    };
  }
}

/** Runs the checks one after another and prints a line for each; what fails is listed below its line. */
async function main(): Promise<void> {
  const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
  const { values } = parseArgs({ options: { only: { type: 'string' }, report: { type: 'string' } } });
  const chosen = values.only === undefined ? checks : checks.filter((check) => check.name === values.only);
  if (chosen.length === 0) {
    process.stderr.write(`check: no check is named ${values.only}: ${checks.map((check) => check.name).join(', ')}\n`);
    process.exitCode = 2;
    return;
  }
  const report: { name: string; ok: boolean; ms: number; problems: readonly string[] }[] = [];
  for (const check of chosen) {
    const started = performance.now();
    const { problems, notes = [] } = await findingsOf(check, root);
    const ms = Math.round(performance.now() - started);
    const ok = problems.length === 0;
    report.push({ name: check.name, ok, ms, problems });
    process.stdout.write(`${check.name.padEnd(16)} ${ok ? 'ok' : 'failed'} ${ms} ms\n`);
    for (const line of [...problems, ...notes]) process.stdout.write(`    ${line}\n`);
  }
  if (values.report) writeFileSync(values.report, JSON.stringify({ checks: report }));
  process.exitCode = report.every((check) => check.ok) ? 0 : 1;
}

await main();
