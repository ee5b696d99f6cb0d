/** `action.yml` and `docs/gitlab-ci.yml` as their services run them: their own lines, in a folder that has nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { noPython } from '../src/run/python.fixture.ts';
import { startRegistry } from './registry.fixture.ts';
import { root } from './stage.ts';

const kit = join(root, 'contract-tests');
const base = mkdtempSync(join(tmpdir(), 'turnwire-ci-'));
let registry: Awaited<ReturnType<typeof startRegistry>>;
let folder: string;

beforeAll(async () => {
  mkdirSync(join(base, 'tarballs'));
  registry = await startRegistry(join(base, 'tarballs'));
}, 60_000);
beforeEach(() => {
  folder = mkdtempSync(join(base, 'job-'));
  cpSync(join(kit, 'examples/minimal-harness'), folder, { recursive: true });
});
afterAll(() => {
  registry.close();
  rmSync(base, { recursive: true, force: true });
});

/** A step as a runner starts it: a file, in a shell that stops at the first failure. */
async function step(lines: string, env: Record<string, string>): Promise<{ code: number; said: string }> {
  const npm = { npm_config_registry: registry.url, npm_config_cache: join(base, 'cache'), npm_config_audit: 'false' };
  const own = { PATH: process.env.PATH ?? '', HOME: folder, ...npm, ...env };
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', lines], { cwd: folder, env: own });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly id?: string;
      readonly if?: string;
      readonly uses?: string;
      readonly with?: Readonly<Record<string, string>>;
      readonly shell?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly run?: string;
    }[];
  };
}

const action = parse(readFileSync(join(kit, 'action.yml'), 'utf8')) as Action;

/** The composite action with these inputs; what a later step finds of it. */
async function acted(inputs: Record<string, string>, at = kit) {
  const files = { GITHUB_OUTPUT: join(folder, '.output'), GITHUB_STEP_SUMMARY: join(folder, '.summary') };
  const given = Object.fromEntries(Object.entries(action.inputs).map(([name, one]) => [name, one.default ?? '']));
  const known: Record<string, string> = { 'github.action_path': at, 'github.job': 'job', 'strategy.job-index': '0' };
  for (const [name, value] of Object.entries({ ...given, ...inputs })) known[`inputs.${name}`] = value;
  const filled = (text: string) => text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, name: string) => known[name] ?? '');
  const [first, upload, ...more] = action.runs.steps;
  expect(more).toEqual([]);
  // An expression in the line itself would be evaluated by the shell.
  expect(first?.run).not.toContain('${{');
  const env = Object.fromEntries(Object.entries(first?.env ?? {}).map(([name, value]) => [name, filled(value)]));
  const { code, said } = await step(first?.run ?? '', { ...env, ...files });
  for (const [, name, value] of read('.output').matchAll(/^(\w+)=(.*)$/gm))
    known[`steps.run.outputs.${name}`] = value ?? '';
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value)]);
  const artifact = { when: upload?.if, path: filled(upload?.with?.path ?? ''), name: filled(upload?.with?.name ?? '') };
  return { code, said, outputs: Object.fromEntries(outputs), summary: read('.summary'), artifact };
}

const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');

const conforming = { mode: 'harness', command: 'python3 harness.py', capabilities: 'contractAgent' };
const { version } = JSON.parse(readFileSync(join(kit, 'package.json'), 'utf8')) as { version: string };

describe.skipIf(noPython)('the action', () => {
  it.each([
    ['of the folder that it stands in', ''],
    ['of a version from the registry', version],
  ])(
    'with the kit %s: its report, its summary, its outputs, and exit code 0',
    async (_, wanted) => {
      const ended = await acted({ ...conforming, version: wanted, only: 'auth.* input.introduction' });
      expect(ended.said).toMatch(/conformant at level must/);
      expect(ended).toMatchObject({ code: 0, outputs: { conformant: 'true', report: 'turnwire-report' } });
      expect(ended.summary).toMatch(/^## Turnwire harness: conformant at level must/);
      expect(ended.artifact).toEqual({ when: 'always()', path: 'turnwire-report', name: 'turnwire-harness-job-0' });
      expect(existsSync(join(folder, ended.artifact.path, 'junit.xml'))).toBe(true);
    },
    120_000,
  );

  it.each([
    [
      1,
      'false',
      { command: `node ${join(kit, 'nothing.mjs')} || python3 harness.py`, capabilities: '', only: 'turn.usage' },
    ],
    [3, 'false', { command: 'exit 7' }],
    [2, 'false', { mode: 'harnes' }],
    [2, 'false', { report: '/proc/none/report' }],
    [2, 'false', { report: 'a\nconformant=true' }],
    [2, 'false', { jobs: 'many' }],
  ])(
    'keeps the exit code %i',
    async (code, conformant, inputs) => {
      const ended = await acted({ ...conforming, only: 'auth.no_token', ...inputs });
      expect(ended.code, ended.said).toBe(code);
      expect(ended.outputs.conformant).toBe(conformant);
      expect(ended.summary === '').toBe(code !== 1);
    },
    60_000,
  );

  const injection = '"; touch injected; echo $(touch injected) `touch injected` * &';
  it.each([
    ['', 'here'],
    [version, 'of a version'],
  ])(
    'hands its inputs on as arguments (%s): nothing in them is a command',
    async (wanted) => {
      for (const name of ['only', 'skip', 'capabilities', 'known-failing', 'level', 'report', 'jobs']) {
        const { code, said } = await acted({
          ...conforming,
          only: 'auth.no_token',
          version: wanted,
          [name]: injection,
        });
        expect([0, 2], `${name}: ${said}`).toContain(code);
      }
      await acted({ ...conforming, mode: injection });
      await acted({ ...conforming, version: `${version}; touch injected` });
      expect(readdirSync(folder)).not.toContain('injected');
    },
    240_000,
  );

  it('says what to do where the kit is not installed', async () => {
    const bare = mkdtempSync(join(base, 'bare-'));
    symlinkSync(join(kit, 'scripts'), join(bare, 'scripts'));
    const { code, said } = await acted(conforming, bare);
    expect(code).toBe(2);
    expect(said).toMatch(/^::error::the kit is not installed where this action stands: give version\n$/);
  });
});

it.skipIf(noPython)(
  'the lines of docs/gitlab-ci.yml install the kit, run it, and leave what the artifacts name',
  async () => {
    const { turnwire: job } = parse(readFileSync(join(kit, 'docs/gitlab-ci.yml'), 'utf8')) as {
      turnwire: {
        script: string[];
        variables: Record<string, string>;
        artifacts: { when: string; paths: string[]; reports: { junit: string } };
      };
    };
    const { code, said } = await step(job.script.join('\n'), job.variables);
    expect(said).toMatch(/\d+ passed, .* in [\d.]+ s: (not )?conformant/);
    expect([0, 1]).toContain(code);
    for (const path of [...job.artifacts.paths, job.artifacts.reports.junit])
      expect(existsSync(join(folder, path))).toBe(true);
    expect(job.artifacts.when).toBe('always');
  },
  180_000,
);
