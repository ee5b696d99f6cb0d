/** A data folder that is taken away under a real process: nothing is acknowledged that nobody will ever read. */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DEFINITION, temporaryFolder, until } from './testing/harness-fixture.ts';
import { HarnessProcess } from './testing/harness-process.ts';
import { Peers } from './testing/peers.ts';

// Real processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

let folder: string;
let data: string;
let peers: Peers;
let env: Record<string, string>;
let started: HarnessProcess[];
beforeEach(async () => {
  folder = temporaryFolder();
  data = join(folder, 'data');
  started = [];
  peers = new Peers();
  const url = await peers.start();
  env = { TURNWIRE_CUSTODIAN_URL: url, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' };
});
afterEach(async () => {
  for (const harness of started) harness.kill('SIGKILL');
  await Promise.all(started.map(({ exit }) => exit));
  peers.close();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(): Promise<HarnessProcess> {
  const harness = HarnessProcess.serve(data, env);
  started.push(harness);
  await until(() => harness.ready(), `a Harness that is ready: ${harness.stderr}`);
  return harness;
}

const admit = async (harness: HarnessProcess, iid: string): Promise<number | undefined> => {
  const body = { message: 'go', definition: DEFINITION };
  return (await harness.call('POST', `/agents/coder/${iid}`, body).catch(() => undefined))?.status;
};
const state = async (harness: HarnessProcess, iid: string): Promise<string | undefined> => {
  const view = await (await harness.call('GET', `/agents/coder/${iid}?view=history`)).json();
  return (view as { submissions: { state: string }[] }).submissions[0]?.state;
};
const conversations = (path: string): string[] => readdirSync(join(path, 'conversations'));

it.each([
  ['removed', () => rmSync(data, { recursive: true }), /is gone/],
  ['moved away', () => renameSync(data, `${data}.old`), /is gone/],
  ['emptied', () => rmSync(join(data, 'store.json')), /is gone/],
  [
    'left without the log of a conversation',
    () => rmSync(join(data, 'conversations', conversations(data)[0] ?? '')),
    /was removed/,
  ],
])('a data folder that is %s ends the process, with one line and no acknowledgement', async (_, take, reason) => {
  const harness = await serve();
  expect(await admit(harness, 'one')).toBe(202);
  await until(async () => (await state(harness, 'one')) === 'waiting', 'the outstanding pick');
  const before = harness.stderr.length;
  take();
  expect(await admit(harness, 'one')).toBeUndefined();
  expect(await harness.exit).toBe(1);
  const lines = harness.stderr.slice(before).trim().split('\n');
  expect(lines.length).toBe(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 60,
    msg: expect.stringContaining('the data folder was removed or replaced'),
    reason: expect.stringMatching(reason),
  });
});

it('another process that has the path by then keeps it to itself', async () => {
  const first = await serve();
  expect(await admit(first, 'one')).toBe(202);
  renameSync(data, `${data}.old`);
  const second = await serve();
  expect(await admit(second, 'two')).toBe(202);
  // A conversation of which the first has no file yet: it makes none in a folder that is not its own.
  expect(await admit(first, 'three')).toBeUndefined();
  expect(await first.exit).toBe(1);
  expect(conversations(data).map((name) => name.split('.')[0])).toEqual(['two']);
  expect(await admit(second, 'three')).toBe(202);
  second.kill('SIGTERM');
  await second.exit;
  const third = await serve();
  peers.answer();
  for (const iid of ['two', 'three']) await until(async () => (await state(third, iid)) === 'settled', iid);
  expect((await third.call('GET', '/agents/coder/one?view=history')).status).toBe(404);
});
