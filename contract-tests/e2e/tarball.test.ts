/** The kit as a stranger has it: its tarball and that of the spec, unpacked in an empty folder, away from the workspace. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noPython } from '../src/run/python.fixture.ts';
import { root } from './stage.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'turnwire-tarball-'));
const packages = join(folder, 'node_modules');
const kit = join(packages, '@turnwire/contract-tests');

/** Unpacks what `npm pack` makes of a workspace. */
async function unpack(workspace: string, into: string): Promise<void> {
  await run('npm', ['pack', '--silent', '--ignore-scripts', '-w', workspace, '--pack-destination', folder], {
    cwd: root,
  });
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  mkdirSync(into, { recursive: true });
  await run('tar', ['xzf', join(folder, file), '--strip-components=1', '-C', into]);
  rmSync(join(folder, file));
}

beforeAll(async () => {
  await unpack('spec', join(packages, '@turnwire/spec'));
  await unpack('contract-tests', kit);
  const { dependencies } = JSON.parse(readFileSync(join(kit, 'package.json'), 'utf8')) as { dependencies: object };
  // Those of others as they are installed here; ours come from the tarballs alone.
  for (const name of Object.keys(dependencies).filter((each) => !each.startsWith('@turnwire/'))) {
    const nested = join(root, 'contract-tests/node_modules', name);
    const installed = readable(nested) ? nested : join(root, 'node_modules', name);
    mkdirSync(dirname(join(packages, name)), { recursive: true });
    symlinkSync(installed, join(packages, name));
  }
  mkdirSync(join(packages, '.bin'));
  symlinkSync('../@turnwire/contract-tests/bin/turnwire-contract.js', join(packages, '.bin/turnwire-contract'));
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function readable(path: string): boolean {
  try {
    return readdirSync(path).length > 0;
  } catch {
    return false;
  }
}

const contract = async (...args: string[]) => {
  try {
    const { stdout } = await run('npx', ['--no-install', 'turnwire-contract', ...args], {
      cwd: folder,
      maxBuffer: 1e8,
    });
    return { code: 0, said: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, said: stdout + stderr };
  }
};

describe('from its tarball, in an empty folder, the kit', () => {
  it('lists its checks, and what it covers', async () => {
    const list = await contract('list', '--json');
    expect(list.code).toBe(0);
    expect((JSON.parse(list.said) as unknown[]).length).toBeGreaterThan(1000);
    expect((await contract('coverage')).said).toMatch(/^requirements: \d+ of \d+ tested/m);
  });

  it.skipIf(noPython)(
    'holds the example that it brings along to the spec, and writes its report',
    async () => {
      const subject = `python3 ${join(kit, 'examples/minimal-harness/harness.py')}`;
      const flags = [
        '--capability',
        'contractAgent',
        '--only',
        'auth.*',
        '--only',
        'admission.*',
        '--report',
        'report',
      ];
      const { code, said } = await contract('harness', '--command', subject, ...flags);
      expect(said).toMatch(/conformant at level must/);
      expect(code).toBe(0);
      expect(readdirSync(join(folder, 'report')).sort()).toEqual([
        'badge.json',
        'junit.xml',
        'report.html',
        'report.json',
        'summary.md',
      ]);
    },
    60_000,
  );

  it.each([
    ['a mode without a subject', ['harness'], 2, /give either --command or --url/],
    ['an unknown option', ['orchestrator', '--nonsense'], 2, /unknown option/],
    ['a subject that does not start', ['harness', '--command', 'exit 7'], 3, /the subject ended before it listened/],
    ['an adapter that does not start', ['client', '--command', 'exit 7'], 3, /the subject ended by itself/],
  ])('%s: its exit code, and one line', async (_, args, code, words) => {
    const ended = await contract(...args);
    expect(ended.code).toBe(code);
    expect(ended.said).toMatch(words);
    expect(ended.said.trim().split('\n')).toHaveLength(1);
  });
});
