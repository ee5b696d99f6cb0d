/** `turnwire-harness dev` as people use it: real processes, a file that is saved in the ways of editors. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@turnwire/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOKEN, temporaryFolder, until } from '../testing/harness-fixture.ts';
import { HarnessProcess } from '../testing/harness-process.ts';
import { Peers } from '../testing/peers.ts';

let folder: string;
let file: string;
let peers: Peers;
let dev: HarnessProcess;
beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder, 'agents.json');
  peers = new Peers();
  const url = await peers.start();
  save('first');
  dev = new HarnessProcess(['dev', '--agents', file, '--node-id', 'desk', '--data-dir', join(folder, 'data')], {
    TURNWIRE_HARNESS_TOKEN_SHA256: sha256(TOKEN),
    TURNWIRE_CUSTODIAN_URL: url,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'none',
    TURNWIRE_LINGER: '0',
  });
  await ready(1);
}, 30_000);
afterEach(async () => {
  dev.kill('SIGKILL');
  await dev.exit;
  await until(() => listening().every(({ pid }) => !isRunning(pid)), 'the children to be gone');
  peers.close();
  rmSync(folder, { recursive: true, force: true });
});

const agents = (name: string) =>
  JSON.stringify({ agents: { [name]: { model: 'openai/any', instructions: 'Do as you are told.' } } });
/** As most editors do: a new file takes the place of the old one. */
function save(name: string, text = agents(name)): void {
  writeFileSync(`${file}.swp`, text);
  renameSync(`${file}.swp`, file);
}

interface Listening {
  readonly pid: number;
  readonly url: string;
}
const listening = (): Listening[] =>
  dev.stdout
    .split('\n')
    .filter((line) => line.includes('"listening"'))
    .map((line) => JSON.parse(line) as Listening);
const current = (): Listening => listening().at(-1) as Listening;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const call = (method: string, path: string, body?: object) =>
  fetch(`${current().url}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const admit = async (agent: string, iid: string) =>
  (await call('POST', `/agents/${agent}/${iid}`, { message: 'go' })).status;
const settlements = async (iid: string): Promise<unknown[]> => {
  const response = await call('GET', `/agents/first/${iid}?view=history`);
  const { submissions } = (await response.json()) as { submissions: { settlement?: { outcome: string } }[] };
  return submissions.map(({ settlement }) => settlement?.outcome);
};

/** The nth process serves. */
async function ready(nth: number): Promise<void> {
  const isReady = async () =>
    listening().length === nth && (await call('GET', '/readyz').catch(() => undefined))?.status === 204;
  await until(isReady, `process ${nth} to be ready: ${dev.stderr}`);
}

describe('turnwire-harness dev', { timeout: 60_000 }, () => {
  it('serves what was saved, in a process of its own for each save', async () => {
    expect(await admit('first', 'one')).toBe(202);
    expect(await admit('second', 'one')).toBe(404);
    const [before] = listening();
    save('second');
    await ready(2);
    expect(isRunning(before?.pid ?? 0)).toBe(false);
    expect(await admit('second', 'two')).toBe(202);
    // In place, in pieces, and many at once: one restart.
    for (let nth = 0; nth < 5; nth++) {
      writeFileSync(file, '');
      writeFileSync(file, agents(`third-${nth}`));
    }
    await ready(3);
    expect(await admit('third-4', 'three')).toBe(202);
    expect(listening().length).toBe(3);
  });

  it('a syntax error ends it with one clear line, and the next save brings it back', async () => {
    const before = dev.stderr.length;
    save('broken', '{"agents": {');
    await until(() => dev.stderr.includes('started again at the next save'), 'its end');
    expect(isRunning(current().pid)).toBe(false);
    const lines = dev.stderr.slice(before).trim().split('\n');
    const plain = lines.filter((line) => !line.startsWith('{'));
    expect(plain.length).toBe(1);
    expect(plain[0]).toMatch(/^turnwire-harness: the agents file .* cannot be read: .*JSON/);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 50, file, msg: expect.stringContaining('exit 2') });
    save('second');
    await ready(2);
    expect(await admit('second', 'one')).toBe(202);
  });

  it('one that is killed comes back by itself, and goes on with what it had', async () => {
    expect(await admit('first', 'one')).toBe(202);
    const { pid } = current();
    process.kill(pid, 'SIGKILL');
    await ready(2);
    expect(dev.stderr).toContain('the process ended by itself (SIGKILL); it is started again in 0.25 s');
    expect(await settlements('one')).toHaveLength(1);
    expect(await admit('first', 'two')).toBe(202);
  });

  it('a turn that runs is finished before the restart', async () => {
    peers.modelAnswers = false;
    expect(await admit('first', 'one')).toBe(202);
    await until(() => peers.asked.length === 1, 'the model call');
    save('second');
    await until(() => dev.stderr.includes('restarts when its turns are over'), 'the restart');
    save('third');
    // Nobody has ended its turn: its model may still answer.
    peers.answerModel();
    peers.answer();
    await ready(2);
    // Its pick may wait on disk for the next process: that is no end of it either.
    await until(async () => (await settlements('one'))[0] !== undefined, 'the settlement');
    expect(await settlements('one')).toEqual(['completed']);
    expect(await admit('third', 'two')).toBe(202);
    await until(() => peers.asked.length === 2, 'the next turn');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('drains and ends at %s', async (signal) => {
    dev.kill(signal);
    // npm passes it on once more.
    dev.kill(signal);
    expect(await dev.exit).toBe(0);
    expect(isRunning(current().pid)).toBe(false);
  });

  it('ends while it waits for a save', async () => {
    save('broken', '{');
    await until(() => dev.stderr.includes('started again at the next save'), 'its end');
    dev.kill('SIGTERM');
    expect(await dev.exit).toBe(0);
  });

  it('a second signal aborts the turn that it waits for', async () => {
    peers.modelAnswers = false;
    expect(await admit('first', 'one')).toBe(202);
    await until(() => peers.asked.length === 1, 'the model call');
    dev.kill('SIGTERM');
    await until(() => dev.stderr.includes('draining'), 'the drain');
    const again = setInterval(() => dev.kill('SIGTERM'), 200);
    expect(await dev.exit).toBe(1);
    clearInterval(again);
    expect(isRunning(current().pid)).toBe(false);
  });

  it('what it started does not outlive it, at work or not', async () => {
    peers.modelAnswers = false;
    expect(await admit('first', 'one')).toBe(202);
    await until(() => peers.asked.length === 1, 'the model call');
    dev.kill('SIGKILL');
    await dev.exit;
    await until(() => !isRunning(current().pid), 'the child to be gone');
  });
});
