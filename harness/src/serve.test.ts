import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@turnwire/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFINITION, TOKEN, temporaryFolder, until } from './testing/harness-fixture.ts';
import { HarnessProcess } from './testing/harness-process.ts';
import { Peers } from './testing/peers.ts';

// Real processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

let folder: string;
let peers: Peers;
let env: Record<string, string>;
let started: HarnessProcess[] = [];
beforeEach(async () => {
  folder = temporaryFolder();
  peers = new Peers();
  const url = await peers.start();
  env = { TURNWIRE_CUSTODIAN_URL: url, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'sk-secret-for-tests' };
});
afterEach(async () => {
  for (const harness of started) harness.kill('SIGKILL');
  await Promise.all(started.map(({ exit }) => exit));
  started = [];
  peers.close();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(): Promise<HarnessProcess> {
  const harness = HarnessProcess.serve(join(folder, 'data'), env);
  started.push(harness);
  await until(() => harness.ready(), `a Harness that is ready: ${harness.stderr}`);
  return harness;
}
const admit = async (harness: HarnessProcess, iid: string, message = 'go') => {
  const body = { message, definition: DEFINITION, turnId: 'turn_1' };
  const response = await harness.call('POST', `/agents/coder/${iid}`, body, { traceparent: TRACE });
  expect(response.status).toBe(202);
  return ((await response.json()) as { submissionId: string }).submissionId;
};
const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
interface View {
  readonly submissions: {
    submissionId: string;
    state: string;
    settlement?: { outcome: string; error?: { code: string } };
  }[];
  readonly messages: { role: string; parts: { type: string; text?: string }[] }[];
}
const history = async (harness: HarnessProcess, iid: string): Promise<View> =>
  (await harness.call('GET', `/agents/coder/${iid}?view=history`)).json() as Promise<View>;
const settlement = async (harness: HarnessProcess, iid: string) =>
  (await history(harness, iid)).submissions[0]?.settlement;

describe('a real process', () => {
  it('killed while a pick is outstanding: its answer reaches the turn in the next process, once (TW-DUR-004)', async () => {
    const first = await serve();
    await admit(first, 'one');
    await until(async () => (await history(first, 'one')).submissions[0]?.state === 'waiting', 'the outstanding pick');
    first.kill('SIGKILL');
    expect(await first.exit).toBeNull();
    const second = await serve();
    expect((await history(second, 'one')).submissions[0]?.state).toBe('waiting');
    peers.answer();
    await until(async () => (await settlement(second, 'one')) !== undefined, 'the settlement');
    expect(await settlement(second, 'one')).toEqual({ outcome: 'completed' });
    expect([...peers.picks.values()]).toEqual([1]);
    // The trace of the admission goes with every request, in the next process as well (TW-GEN-015).
    expect(new Set(peers.traces)).toEqual(new Set([TRACE]));
    expect(peers.asked.length).toBe(1);
    const results = (await history(second, 'one')).messages.flatMap(({ parts }) =>
      parts.filter(({ type }) => type === 'tool-result'),
    );
    expect(results.length).toBe(1);
  });

  it('killed while its model works: failed, and the model is not asked again (TW-DUR-005)', async () => {
    peers.modelAnswers = false;
    const first = await serve();
    await admit(first, 'one');
    await until(() => peers.asked.length === 1, 'the model call');
    first.kill('SIGKILL');
    await first.exit;
    const second = await serve();
    await until(async () => (await settlement(second, 'one')) !== undefined, 'the settlement');
    expect(await settlement(second, 'one')).toMatchObject({ outcome: 'failed', error: { code: 'harness_restarted' } });
    expect(peers.asked.length).toBe(1);
  });

  it('drains: what waits is suspended, a successor takes over the folder, exit 0 (TW-DRN-003, TW-DUR-008, TW-GEN-032, TW-GEN-036)', async () => {
    const first = await serve();
    await admit(first, 'one');
    await until(async () => (await history(first, 'one')).submissions[0]?.state === 'waiting', 'the outstanding pick');
    const second = HarnessProcess.serve(join(folder, 'data'), env);
    started.push(second);
    await until(() => second.url !== undefined, 'the successor to listen');
    const starting = await second.call('GET', '/readyz');
    expect([starting.status, starting.headers.get('turnwire-code')]).toEqual([503, 'starting']);
    const early = await second.call('POST', '/agents/coder/two', { message: 'go', definition: DEFINITION });
    expect([early.status, early.headers.get('turnwire-code')]).toEqual([503, 'draining']);
    const parked = second.call('GET', '/agents/coder/one?view=history');
    first.kill('SIGTERM');
    expect(await first.exit).toBe(0);
    expect((await parked).status).toBe(200);
    expect(await second.ready()).toBe(true);
    peers.answer();
    await until(async () => (await settlement(second, 'one')) !== undefined, 'the settlement');
    expect(await settlement(second, 'one')).toEqual({ outcome: 'completed' });
    second.kill('SIGTERM');
    expect(await second.exit).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ event: 'listening', role: 'harness', pid: expect.any(Number) });
  }, 30_000);

  it('a second signal aborts at once, exit 1, and the settlement is on disk (TW-DRN-005)', async () => {
    peers.modelAnswers = false;
    const first = await serve();
    await admit(first, 'one');
    await until(() => peers.asked.length === 1, 'the model call');
    first.kill('SIGTERM');
    await until(() => first.stderr.includes('draining'), 'the drain');
    first.kill('SIGTERM');
    expect(await first.exit).toBe(1);
    const second = await serve();
    expect(await settlement(second, 'one')).toMatchObject({ outcome: 'aborted' });
  });

  it('logs one line per settlement, and neither a prompt nor a secret (TW-GEN-029, TW-GEN-033)', async () => {
    const first = await serve();
    await admit(first, 'one', 'a prompt that is nobody else its business');
    peers.answer();
    await until(() => first.stderr.includes('turnwire.settlement'), 'the line');
    const lines = first.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    expect(lines.filter(({ msg }) => msg === 'turnwire.settlement')).toMatchObject([
      { iid: 'one', outcome: 'completed' },
    ]);
    for (const secret of [TOKEN, 'sk-secret-for-tests', 'nobody else', DEFINITION.instructions]) {
      expect(first.stderr).not.toContain(secret);
      expect(await (await first.call('GET', '/metrics')).text()).not.toContain(secret);
    }
    const shown = new HarnessProcess(['history', 'one', '--data-dir', join(folder, 'data')]);
    expect(await shown.exit).toBe(0);
    expect(shown.stdout).toContain('nobody else its business');
    expect(shown.stdout).toMatch(/→ ask .*[\s\S]*← ask[\s\S]*turn turn_1: completed/);
  });
});

describe('what it cannot start with', () => {
  const digest = { TURNWIRE_HARNESS_TOKEN_SHA256: sha256(TOKEN), TURNWIRE_PORT: '0' };
  it.each([
    ['no digest of its token', [], {}, 'TURNWIRE_HARNESS_TOKEN_SHA256'],
    ['a digest that is none', [], { TURNWIRE_HARNESS_TOKEN_SHA256: 'abc' }, '43 characters'],
    ['a data folder that is a file', ['--data-dir', 'FOLDER/file'], digest, 'TURNWIRE_DATA_DIR'],
    ['a data folder that nobody can make', ['--data-dir', '/proc/none'], digest, 'TURNWIRE_DATA_DIR'],
    ['a port that is none', ['--port', '70000'], digest, 'port'],
    ['an agents file that is not there', ['--agents-file', 'FOLDER/none.json'], digest, 'none.json'],
    ['an agent without a model', ['--agents-file', 'FOLDER/bad.json'], digest, 'coder'],
  ])('%s: one clear line, exit 2 (TW-GEN-031)', async (_what, args, environment, word) => {
    writeFileSync(join(folder, 'file'), '');
    writeFileSync(join(folder, 'bad.json'), '{"agents": {"coder": {"instructions": "x"}}}');
    const harness = new HarnessProcess(
      ['serve', '--data-dir', join(folder, 'data'), ...args.map((arg) => arg.replace('FOLDER', folder))],
      environment,
    );
    started.push(harness);
    expect(await harness.exit).toBe(2);
    expect(harness.stderr.trim().split('\n').length).toBe(1);
    expect(harness.stderr).toContain(word);
    expect(harness.stdout).toBe('');
  });

  it('a port that is taken: one clear line, exit 2', async () => {
    const first = await serve();
    mkdirSync(join(folder, 'other'));
    const second = HarnessProcess.serve(join(folder, 'other'), { TURNWIRE_PORT: new URL(String(first.url)).port });
    started.push(second);
    expect(await second.exit).toBe(2);
    expect(second.stderr).toMatch(/^turnwire-harness: port \d+ on 127.0.0.1 is taken/);
  });

  it('a conversation that is not there: one clear line', async () => {
    const shown = new HarnessProcess(['history', 'none', '--data-dir', folder]);
    expect(await shown.exit).toBe(2);
    expect(shown.stderr).toContain('there is no conversation none');
  });
});
