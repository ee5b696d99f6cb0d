/** However `turnwire dev` ends, what it has started ends too, and its address is gone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFakeRoles } from './roles.fixture.ts';

const FIXTURE = fileURLToPath(new URL('./process.fixture.ts', import.meta.url));
const TSX = createRequire(import.meta.url).resolve('tsx/esm');
const NAMES = ['turnwire-harness', 'turnwire-custodian', 'turnwire-orchestrator', 'turnwire-contract'];

let dir: string;
let child: ChildProcess;
let said = '';
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tw-dev-ends-'));
  writeFakeRoles(dir);
  writeFileSync(join(dir, 'script.json'), '{}');
  said = '';
  child = spawn(process.execPath, ['--conditions=turnwire-source', '--import', `file://${TSX}`, FIXTURE, dir], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  await expect.poll(() => said, { timeout: 30_000 }).toContain('Ctrl-C stops');
  expect(existsSync(address())).toBe(true);
}, 40_000);
afterEach(() => {
  child.kill('SIGKILL');
  for (const pid of NAMES.map(pidOf)) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  rmSync(dir, { recursive: true });
});

const address = () => join(dir, 'state/orchestrator.url');
const pidOf = (name: string) => (JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8')) as { pid: number }).pid;
const drained = () => (existsSync(join(dir, 'order')) ? readFileSync(join(dir, 'order'), 'utf8').split('\n') : []);
const running = () => NAMES.filter((name) => isRunning(pidOf(name)));

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('turnwire dev drains its processes', { timeout: 60_000 }, () => {
  it('when its terminal is closed', async () => {
    child.kill('SIGHUP');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(drained()).toEqual([...NAMES, '']);
    expect(running()).toEqual([]);
    expect(existsSync(address())).toBe(false);
  });

  it('at Ctrl-C that npm passes on once more', async () => {
    child.stderr?.once('data', () => child.kill('SIGINT'));
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(drained()).toEqual([...NAMES, '']);
    expect(running()).toEqual([]);
  });

  it('when nobody reads its output any more', async () => {
    child.stdout?.destroy();
    process.kill(pidOf('turnwire-harness'), 'SIGUSR1');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(drained()).toEqual([...NAMES, '']);
    expect(running()).toEqual([]);
    expect(existsSync(address())).toBe(false);
  });

  it('when it is killed: they notice that it is gone', async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(running, { timeout: 10_000 }).toEqual([]);
    expect(drained().sort()).toEqual(['', ...NAMES.toSorted()]);
    expect(existsSync(address())).toBe(false);
  });
});
