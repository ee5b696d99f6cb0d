import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Bin } from './dev/bins.ts';
import { writeFakeRoles } from './dev/roles.fixture.ts';
import { type DevFlags, dev } from './dev.ts';
import { type FakeIo, fakeIo } from './io.fixture.ts';
import { runCli } from './program.ts';

let dir: string;
let io: FakeIo;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tw-dev-'));
  writeFakeRoles(dir);
  writeFileSync(join(dir, 'script.json'), '{}');
  io = fakeIo(dir);
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY']) vi.stubEnv(name, '');
});
afterEach(() => {
  io.interrupt();
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

const find = ({ name }: Bin) => join(dir, `${name}.mjs`);
const start = (more: Partial<DevFlags> = {}) =>
  dev(
    {
      stateDir: '.turnwire',
      placement: 'local',
      port: 0,
      custodianPort: 0,
      harnessPort: 0,
      script: 'script.json',
      workflows: '.',
      ...more,
    },
    io,
    find,
  );
const address = () => join(dir, '.turnwire/orchestrator.url');

describe('turnwire dev', () => {
  it('says what runs where, leaves its address for other terminals, and drains at Ctrl-C', async () => {
    const running = start();
    await expect.poll(() => io.stdout, { timeout: 10_000 }).toContain('Ctrl-C stops');
    expect(io.stdout).toContain('Orchestrator  http://turnwire-orchestrator.test');
    expect(io.stdout).toContain('http://turnwire-contract.test   scripted');
    await expect.poll(() => io.stdout, { timeout: 10_000 }).toMatch(/^harness {6}up pid=|^harness {6}up$/m);
    expect(readFileSync(address(), 'utf8')).toBe(
      [
        'http://turnwire-orchestrator.test',
        process.pid,
        'http://turnwire-harness.test',
        'http://turnwire-custodian.test',
        '',
      ].join('\n'),
    );
    io.interrupt();
    await running;
    expect(readFileSync(join(dir, 'order'), 'utf8').split('\n')[0]).toBe('turnwire-harness');
    expect(existsSync(address())).toBe(false);
    expect(io.stderr).toContain('draining');
  });

  it('prints JSON lines with --json', async () => {
    const running = start({ json: true });
    await expect.poll(() => io.stdout, { timeout: 10_000 }).toContain('"ready"');
    io.interrupt();
    await running;
    const lines = io.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ event: 'ready', harness: 'http://turnwire-harness.test' }));
    expect(lines).toContainEqual({ from: 'harness', line: expect.stringContaining('up') });
  });

  it('reports the one that ends by itself, and stops the others', async () => {
    const running = start({ json: true });
    const failed = expect(running).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/^the harness ended by itself \(exit 7\)/),
    });
    await expect.poll(() => io.stdout, { timeout: 10_000 }).toContain('"ready"');
    await expect.poll(() => io.stdout, { timeout: 10_000 }).toMatch(/"from":"harness"/);
    process.kill(Number(/"from":"harness","line":"\{\\"level\\":30,\\"pid\\":(\d+)/.exec(io.stdout)?.[1]), 'SIGUSR2');
    await failed;
    expect(readFileSync(join(dir, 'order'), 'utf8')).toBe(
      'turnwire-custodian\nturnwire-orchestrator\nturnwire-contract\n',
    );
  });

  it('is one per state dir: a second one says so, starts nothing and leaves the first alone', async () => {
    const running = start();
    await expect.poll(() => io.stdout, { timeout: 10_000 }).toContain('Ctrl-C stops');
    const before = readFileSync(address(), 'utf8');
    rmSync(join(dir, 'turnwire-contract.json'));
    const second = fakeIo(dir);
    expect(await runCli(['dev', '--workflows', '.', '--script', 'script.json', '--port', '0'], second)).toBe(2);
    expect(second.stdout).toBe('');
    expect(second.stderr).toMatch(
      new RegExp(
        `^turnwire: turnwire dev already runs here at http://turnwire-orchestrator.test \\(pid ${process.pid}\\); .*\n$`,
      ),
    );
    expect(existsSync(join(dir, 'turnwire-contract.json'))).toBe(false);
    expect(readFileSync(address(), 'utf8')).toBe(before);
    io.interrupt();
    await running;
    // What a killed one left is nobody's: the next one begins, and it is gone until there is an address again.
    writeFileSync(address(), 'http://nowhere.test\n1\n');
    rmSync(join(dir, 'turnwire-harness.mjs'));
    io = fakeIo(dir);
    await expect(start()).rejects.toThrow(/harness did not start/);
    expect(existsSync(address())).toBe(false);
  });

  it.each([
    ['a missing workflows folder', ['--workflows', 'nowhere'], /the workflows folder .*nowhere does not exist/],
    [
      'a missing script',
      ['--workflows', '.', '--script', 'nowhere.json'],
      /^turnwire: nowhere\.json cannot be read \(ENOENT\)/,
    ],
    ['a port that is none', ['--port', '99999'], /It must be a port/],
  ])('is 2 with one line for %s, and starts nothing', async (_name, argv, line) => {
    expect(await runCli(['dev', ...argv], io)).toBe(2);
    expect(io.stderr).toMatch(line);
    expect(existsSync(join(dir, '.turnwire'))).toBe(false);
  });
});
