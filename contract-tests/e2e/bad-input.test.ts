import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from './stage.ts';

const bin = (path: string) => ['node', join(root, path)];
const orchestrator = bin('orchestrator/bin/turnwire-orchestrator.js');
const harness = bin('harness/bin/turnwire-harness.js');
const custodian = bin('custodian/bin/turnwire-custodian.js');
const turnwire = bin('orchestrator/bin/turnwire.js');
const contract = bin('contract-tests/bin/turnwire-contract.js');
const demo = ['npx', 'tsx', join(root, 'contract-tests/demo/main.ts')];

let folder: string;
let taken: Server;
let takenPort: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnwire-bad-'));
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  takenPort = String((taken.address() as AddressInfo).port);
});
afterEach(async () => {
  await new Promise((resolve) => taken.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

async function run(command: readonly string[], env: Record<string, string> = {}) {
  const [program = '', ...args] = command;
  const settings = {
    TURNWIRE_STATE_DIR: join(folder, 'state'),
    TURNWIRE_WORKFLOWS: join(root, 'orchestrator/examples'),
    ...env,
  };
  const database = { TURNWIRE_DATABASE_URL: `file:${join(folder, 'state/orchestrator.db')}` };
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...database, ...settings } });
  let stderr = '';
  let stdout = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  child.stdout.on('data', (chunk) => (stdout += chunk));
  const [code] = await once(child, 'close');
  return { code, stderr, stdout };
}

const file = (name: string, text: string, mode = 0o600) => {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

interface Case {
  readonly what: string;
  readonly command: () => readonly string[];
  readonly env?: () => Record<string, string>;
  readonly says: RegExp;
}

const digest = { TURNWIRE_HARNESS_TOKEN_SHA256: 'A'.repeat(43) };
const placementToken = () => file('placement.token', `local.${'t'.repeat(43)}`);

const cases: Case[] = [
  {
    what: 'demo: an unreadable file',
    command: () => [...demo, '--input', '@/nowhere.diff'],
    says: /\/nowhere\.diff cannot be read \(ENOENT\); give --input/,
  },
  {
    what: 'demo: a file that is no diff',
    command: () => [...demo, '--input', `@${file('a.txt', 'hello')}`],
    says: /is not a unified diff .*git diff/,
  },
  { what: 'demo: an option that it does not have', command: () => [...demo, '--inptu'], says: /unknown option/ },
  {
    what: 'orchestrator: a taken port',
    command: () => [...orchestrator, 'serve', '--port', takenPort],
    says: /port \d+ on 127\.0\.0\.1 is taken; choose another/,
  },
  {
    what: 'orchestrator: a port that is none',
    command: () => [...orchestrator, 'serve', '--port', '70000'],
    says: /must be a port/,
  },
  {
    what: 'orchestrator: a signing key that others can read',
    command: () => [...orchestrator, 'serve', '--port', '0'],
    env: () => ({ TURNWIRE_STATE_DIR: join(file('state/signing.key', 'k'.repeat(43), 0o644), '..') }),
    says: /signing\.key.*chmod 600/,
  },
  {
    what: 'orchestrator: no workflows folder',
    command: () => [...orchestrator, 'serve', '--port', '0', '--workflows', '/nowhere'],
    says: /\/nowhere/,
  },
  {
    what: 'orchestrator: a module that throws, under --strict',
    command: () => [
      ...orchestrator,
      'serve',
      '--port',
      '0',
      '--strict',
      '--workflows',
      join(file('flows/bad.ts', 'throw new Error("boom")'), '..'),
    ],
    says: /bad/,
  },
  {
    what: 'check: a module that exports no machine',
    command: () => [...turnwire, 'check', '--workflows', join(file('flows/empty.ts', 'export const x = 1;'), '..')],
    says: /empty.*machine/,
  },
  {
    what: 'harness: no token digest',
    command: () => [...harness, 'serve', '--port', '0', '--data-dir', join(folder, 'h')],
    says: /TURNWIRE_HARNESS_TOKEN_SHA256/,
  },
  {
    what: 'harness: a taken port',
    command: () => [...harness, 'serve', '--port', takenPort, '--data-dir', join(folder, 'h')],
    env: () => digest,
    says: /is taken/,
  },
  {
    what: 'harness: a data folder that is a file',
    command: () => [...harness, 'serve', '--port', '0', '--data-dir', file('h', '')],
    env: () => digest,
    says: /cannot be (written|used|made)/,
  },
  {
    what: 'custodian: no token file',
    command: () => [...custodian, 'serve', '--port', '0'],
    says: /--placement-token-file/,
  },
  {
    what: 'custodian: a token file that is not there',
    command: () => [...custodian, 'serve', '--port', '0', '--placement-token-file', '/nowhere'],
    says: /ENOENT/,
  },
  {
    what: 'custodian: a token that others can read',
    command: () => [
      ...custodian,
      'serve',
      '--port',
      '0',
      '--placement-token-file',
      file('t', `local.${'t'.repeat(43)}`, 0o644),
    ],
    says: /chmod 600/,
  },
  {
    what: 'custodian: a taken port',
    command: () => [...custodian, 'serve', '--port', takenPort, '--placement-token-file', placementToken()],
    says: /is taken/,
  },
  { what: 'model: no script', command: () => [...contract, 'model'], says: /script/ },
  {
    what: 'model: a script that is no JSON',
    command: () => [...contract, 'model', '--script', file('s.json', '{')],
    says: /JSON/,
  },
  {
    what: 'turnwire: a command that it does not have',
    command: () => [...turnwire, 'fly'],
    says: /unknown command|fly/,
  },
];

describe('bad input is one line that says what to do, and exit code 2', () => {
  it.each(cases)('$what', { timeout: 30_000 }, async ({ command, env, says }) => {
    const { code, stderr, stdout } = await run(command(), env?.());
    // A role that got as far as its log may have logged; the word to the person is one line after that.
    const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect(stdout + stderr).toMatch(says);
    expect(code).toBe(2);
    expect(said.length, stderr).toBe(1);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout, 'nothing listens').not.toContain('"listening"');
  });

  it('a harness that refuses to start leaves nothing behind', async () => {
    await run([...harness, 'serve', '--port', '0', '--data-dir', join(folder, 'h')]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('turnwire run', () => {
  it('an orchestrator that is not there is one line and exit code 3', { timeout: 60_000 }, async () => {
    const { code, stderr } = await run([...turnwire, 'runs', '--url', `http://127.0.0.1:1`], {
      TURNWIRE_INSTANCE_TOKEN: 'x',
    });
    expect([code, stderr.trim().split('\n').length]).toEqual([3, 1]);
    expect(stderr).toMatch(/connect ECONNREFUSED 127\.0\.0\.1:1/);
  });
});
