/**
 * `tsx .ci/test/sdk.ts python|go --report FILE`: what an SDK in another language is held to. Its style, its types, its tests, and the kit.
 * Without that language's tools it says so, and leaves the SDK out.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { preparePython } from '../tools/python.ts';
import { type Count, fromGo, fromJunit, fromKit, none, sum } from './count.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Checked by its module's sum in Go's own database. */
const staticcheck = 'honnef.co/go/tools/cmd/staticcheck@v0.8.2';

interface Step {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Without it the step counts as one test. */
  readonly count?: (exitCode: number, output: string) => Count;
  /** What the output may be when it is fine; anything by default. */
  readonly silent?: boolean;
}

/** One line that says what is left out, or the steps. */
type Plan = { readonly missing: string } | { readonly steps: readonly Step[] };

async function python(folder: string): Promise<Plan> {
  const requirements = join(root, '.ci/tools/requirements.txt');
  const made = await preparePython({ root, requirements });
  if ('missing' in made) return made;
  const cwd = join(root, 'sdk/python');
  const tool = (name: string, ...args: string[]) => ({
    name: [name, ...args].join(' '),
    program: join(made.bin, name),
    args,
    cwd,
  });
  const junit = join(folder, 'junit.xml');
  const command = `${JSON.stringify(join(made.bin, 'python'))} -m turnwire.adapter`;
  return {
    steps: [
      tool('ruff', 'format', '--check', '.'),
      tool('ruff', 'check', '.'),
      tool('mypy'),
      { ...tool('pytest', '-q', `--junitxml=${junit}`), count: (exitCode) => fromJunit(exitCode, read(junit)) },
      kit(folder, command, { PYTHONPATH: join(cwd, 'src') }),
    ],
  };
}

async function go(folder: string): Promise<Plan> {
  const cwd = join(root, 'sdk/go');
  const version = await run({ name: '', program: 'go', args: ['version'], cwd });
  if (version.exitCode !== 0) return { missing: 'go is not installed' };
  const tool = (program: string, ...args: string[]) => ({ name: [program, ...args].join(' '), program, args, cwd });
  const adapter = join(folder, 'turnwire-adapter');
  return {
    steps: [
      { ...tool('gofmt', '-l', '.'), silent: true },
      tool('go', 'vet', './...'),
      { ...tool('go', 'run', staticcheck, './...'), count: fromStaticcheck },
      { ...tool('go', 'test', '-json', './...'), count: fromGo },
      tool('go', 'build', '-o', adapter, './cmd/turnwire-adapter'),
      kit(folder, JSON.stringify(adapter), {}),
    ],
  };
}

/** A machine that cannot fetch it runs everything else. */
function fromStaticcheck(exitCode: number, output: string): Count {
  if (exitCode === 0) return { ...none, passed: 1 };
  if (!/^go: (?!downloading)/m.test(output)) return { ...none, failed: 1 };
  process.stdout.write('go: staticcheck cannot be had here, and is left out\n');
  return { ...none, skipped: 1 };
}

/** `turnwire-contract client`, from its build. */
function kit(folder: string, command: string, env: Readonly<Record<string, string>>): Step {
  const reports = join(folder, 'kit');
  return {
    name: 'turnwire-contract client --level must',
    program: process.execPath,
    args: [
      'contract-tests/bin/turnwire-contract.js',
      'client',
      '--command',
      command,
      '--level',
      'must',
      // Its faults are timed, and two adapters on one core make each other late.
      '--jobs',
      '4',
      '--report',
      reports,
    ],
    cwd: root,
    env,
    count: (exitCode) => fromKit(exitCode, read(join(reports, 'report.json'))),
  };
}

/** A step that takes longer hangs. Milliseconds. */
const longestMs = 8 * 60_000;

function run(step: Step): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', ...step.env };
    const child = spawn(step.program, step.args, {
      cwd: step.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: longestMs,
    });
    const pieces: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => pieces.push(piece.toString()));
    child.on('error', () => resolve({ exitCode: 127, output: '' }));
    child.on('close', (code) => resolve({ exitCode: code ?? 1, output: pieces.join('') }));
  });
}

async function counted(step: Step): Promise<Count> {
  const { exitCode, output } = await run(step);
  const fine = exitCode === 0 && !(step.silent === true && output.trim() !== '');
  const count = step.count?.(exitCode, output) ?? (fine ? { ...none, passed: 1 } : { ...none, failed: 1 });
  process.stdout.write(`${count.failed === 0 ? 'ok' : 'FAILED'}  ${step.name.replaceAll(root, '.')}\n`);
  if (count.failed > 0) process.stdout.write(output);
  return count;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { report: { type: 'string' } }, allowPositionals: true });
  const [language = ''] = positionals;
  const folder = mkdtempSync(join(tmpdir(), `turnwire-${language}-`));
  const plan = await (language === 'python' ? python : go)(folder);
  const counts: Count[] = [];
  if ('missing' in plan) {
    process.stdout.write(`the ${language} SDK is left out: ${plan.missing}\n`);
    counts.push({ ...none, skipped: 1 });
  } else for (const step of plan.steps) counts.push(await counted(step));
  rmSync(folder, { recursive: true, force: true });
  const total = sum(counts);
  if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(total));
  process.exitCode = total.failed === 0 ? 0 : 1;
}

await main();
