import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Count, fromCheck, fromCoverage, fromSdk, fromVitest, none, sum, sumUp } from './count.ts';

/** `npm test`: everything there is, one stage after another, closed by the one line that CI reads. */
const root = new URL('../..', import.meta.url).pathname;
const results = mkdtempSync(join(tmpdir(), 'turnwire-test-'));

/** Hand-written code, lines. */
const COVERAGE_FLOOR = 85;

interface Stage {
  readonly name: string;
  readonly command: readonly string[];
  count(exitCode: number): Count;
}

const vitest = (name: string, args: readonly string[]): Stage => {
  const report = join(results, `${name}.json`);
  const command = [
    'npx',
    'vitest',
    'run',
    '--config',
    '.ci/vitest.config.ts',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  return { name, command: [...command, ...args], count: (exitCode) => fromVitest(name, exitCode, read(report)) };
};

/** An SDK in another language than TypeScript, with its own tools; without them it says that it is left out. */
const sdk = (language: 'python' | 'go'): Stage => {
  const report = join(results, `sdk-${language}.json`);
  const command = ['npx', 'tsx', '.ci/test/sdk.ts', language, '--report', report];
  return { name: `sdk/${language}`, command, count: (exitCode) => fromSdk(language, exitCode, read(report)) };
};

const checkReport = join(results, 'check.json');
const stages: readonly Stage[] = [
  {
    // Without Python the tests that need it are skipped, and so is this.
    name: 'tools',
    command: ['npx', 'tsx', '.ci/tools/main.ts'],
    count: (exitCode) => (exitCode === 0 ? none : { ...none, skipped: 1 }),
  },
  {
    name: 'build',
    command: ['npm', 'run', '--silent', 'build'],
    count: (exitCode) => (exitCode === 0 ? none : { ...none, failed: 1 }),
  },
  {
    name: 'check',
    command: ['npx', 'tsx', '.ci/check/main.ts', '--report', checkReport],
    count: (exitCode) => fromCheck(exitCode, read(checkReport)),
  },
  vitest('unit', ['--coverage', '--exclude', '**/e2e/**']),
  sdk('python'),
  sdk('go'),
  vitest('e2e', ['--maxWorkers=1', 'contract-tests/e2e']),
];

async function main(): Promise<void> {
  const counts: Count[] = [];
  for (const stage of stages) {
    const started = Date.now();
    process.stdout.write(`\n== ${stage.name}\n`);
    const exitCode = await run(stage.command);
    const count = stage.count(exitCode);
    if (stage.name === 'unit')
      counts.push(fromCoverage(read(join(root, 'coverage/coverage-summary.json')), COVERAGE_FLOOR));
    counts.push(count);
    process.stdout.write(
      `== ${stage.name}: ${count.failed === 0 ? 'ok' : 'FAILED'} in ${Math.round((Date.now() - started) / 1000)} s\n`,
    );
    if (stage.name === 'build' && count.failed > 0) break;
  }
  rmSync(results, { recursive: true, force: true });
  const total = sum(counts);
  process.stdout.write(`\n${sumUp(total)}\n`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}

function run([program = '', ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

await main();
