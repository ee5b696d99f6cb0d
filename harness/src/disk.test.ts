/** A disk that is full and one that cannot be written any more, for real: small file systems in memory, where they may be mounted. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEFINITION, temporaryFolder, until } from './testing/harness-fixture.ts';
import { HarnessProcess } from './testing/harness-process.ts';
import { Peers } from './testing/peers.ts';

const run = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const folder = temporaryFolder();
const disk = join(folder, 'disk');
mkdirSync(disk);
const mount = (...options: string[]): boolean => run('mount', '-t', 'tmpfs', '-o', options.join(','), 'tmpfs', disk);
const mayMount = mount('size=1m');
if (mayMount) run('umount', disk);

let peers: Peers;
let env: Record<string, string>;
let started: HarnessProcess[];
beforeEach(async () => {
  started = [];
  peers = new Peers();
  const url = await peers.start();
  env = { TURNWIRE_CUSTODIAN_URL: url, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' };
  if (mayMount) mount('size=1m');
});
afterEach(async () => {
  for (const harness of started) harness.kill('SIGKILL');
  await Promise.all(started.map(({ exit }) => exit));
  peers.close();
  if (mayMount) run('umount', disk);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(disk, { recursive: true });
});

async function serve(data = join(disk, 'data')): Promise<HarnessProcess> {
  const harness = HarnessProcess.serve(data, env);
  started.push(harness);
  await until(() => harness.ready(), `a Harness that is ready: ${harness.stderr}`);
  return harness;
}

const admit = async (harness: HarnessProcess, nth: number): Promise<number | undefined> => {
  const body = { message: 'x'.repeat(60_000), definition: DEFINITION };
  const key = { 'idempotency-key': `k-${nth}` };
  return (await harness.call('POST', `/agents/coder/disk-${nth}`, body, key).catch(() => undefined))?.status;
};

const lastLine = ({ stderr }: HarnessProcess): unknown => JSON.parse(stderr.trim().split('\n').at(-1) ?? '');

it.runIf(mayMount)(
  'a full disk ends the process, and nothing that it could not keep was acknowledged (TW-DUR-009)',
  async () => {
    peers.modelAnswers = false;
    const first = await serve();
    let acknowledged = 0;
    while ((await admit(first, acknowledged)) === 202) acknowledged++;
    expect(await first.exit).toBe(1);
    expect(lastLine(first)).toMatchObject({ level: 60, msg: expect.stringContaining('cannot be written') });
    expect(acknowledged).toBeGreaterThan(2);
    run('mount', '-o', 'remount,size=16m', disk);
    const second = await serve();
    for (let nth = 0; nth < acknowledged; nth++) {
      const answer = await second.call('GET', `/agents/coder/disk-${nth}?view=history`);
      expect(((await answer.json()) as { submissions: object[] }).submissions.length).toBe(1);
    }
    // The one that was refused can be sent again, and is admitted once.
    expect(await admit(second, acknowledged)).toBe(202);
  },
  60_000,
);

it.runIf(mayMount)(
  'a folder that turns read-only under a process that serves ends it, and nothing was acknowledged (TW-DUR-009)',
  async () => {
    // Only the logs lie on the disk that turns: the system keeps one writable on which the lock is open.
    const logs = join(folder, 'data', 'conversations');
    mkdirSync(logs, { recursive: true });
    expect(run('mount', '--bind', disk, logs)).toBe(true);
    try {
      const first = await serve(join(folder, 'data'));
      expect(run('mount', '-o', 'remount,ro', disk)).toBe(true);
      expect(await admit(first, 0)).toBeUndefined();
      expect(await first.exit).toBe(1);
      expect(lastLine(first)).toMatchObject({ level: 60, err: { code: 'EROFS' } });
      expect(lastLine(first)).toMatchObject({ msg: expect.stringContaining('cannot be written') });
      run('mount', '-o', 'remount,rw', disk);
      const second = await serve(join(folder, 'data'));
      expect((await second.call('GET', '/agents/coder/disk-0?view=history')).status).toBe(404);
      second.kill('SIGKILL');
      await second.exit;
    } finally {
      run('umount', logs);
    }
  },
  60_000,
);

it.runIf(mayMount)(
  'a data folder that is read-only from the start is one line, exit 2 (TW-GEN-031)',
  async () => {
    const first = await serve();
    expect(await admit(first, 0)).toBe(202);
    first.kill('SIGKILL');
    await first.exit;
    expect(run('mount', '-o', 'remount,ro', disk)).toBe(true);
    const second = HarnessProcess.serve(join(disk, 'data'), env);
    started.push(second);
    expect(await second.exit).toBe(2);
    expect(second.stderr.trim().split('\n').length).toBe(1);
    expect(second.stderr).toMatch(/data folder .* cannot be written \(EROFS\); set TURNWIRE_DATA_DIR/);
  },
  60_000,
);
