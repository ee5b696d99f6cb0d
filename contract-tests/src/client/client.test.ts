import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildAdapter, differences } from '../../broken/client/build.ts';
import { matches } from '../faults/choose.ts';
import { loadCases } from './load.ts';
import { runClient } from './run.ts';
import { requirements } from './spec.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'turnwire-client-'));
const children = new Set<ChildProcess>();
let reference: string;

beforeAll(async () => {
  reference = `node ${JSON.stringify(await buildAdapter())}`;
});

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** `turnwire-contract client …` as a process. */
function kit(...flags: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const node = ['--conditions=turnwire-source', '--import', 'tsx', main, 'client', ...flags];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (piece: Buffer) => {
    said.out += piece.toString();
  });
  child.stderr.on('data', (piece: Buffer) => {
    said.err += piece.toString();
  });
  return new Promise((resolve) => {
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code, ...said });
    });
  });
}

describe('our SDK', () => {
  it('passes every check', async () => {
    const report = await runClient({ command: reference, level: 'may', timeoutMs: 30_000, jobs: 8, seed: 1 });
    expect(report.checks.filter(({ verdict }) => verdict !== 'passed').map(({ sentence }) => sentence)).toEqual([]);
    expect(report.checks.length).toBeGreaterThan(1000);
    expect(report.subject).toMatchObject({ language: 'typescript' });
  }, 120_000);
});

describe('exit codes', () => {
  it('0: conformant', async () => {
    const { code, out } = await kit('--command', reference, '--only', 'admission/refused-*', '--jobs', '1');
    expect([code, out]).toEqual([0, expect.stringMatching(/^5 passed, 0 failed in .* conformant at level must$/m)]);
  });

  it('1: not, with one sentence that says what, what instead, and where', async () => {
    const difference = differences.find(({ name }) => name === 'resends-an-unfenced-abort');
    const command = `node ${JSON.stringify(await buildAdapter(difference))}`;
    const only = 'abort/doubt-taken-unfenced/unfenced/reset_taken';
    const { code, out } = await kit('--command', command, '--only', only, '--report', folder, '--trace');
    expect(code).toBe(1);
    expect(out).toMatch(
      /^failed {2}abort\/\S+: the subject reports .*; it should report .* TW-RET-015, spec\/protocol\.md: "/,
    );
    expect(out).toMatch(/POST \/agents\/reviewer\/c1\/abort \(abortConversation\)/);
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
    expect(report).toMatchObject({ version: 1, mode: 'client', conformant: false, checks: [{ verdict: 'failed' }] });
    expect(readFileSync(join(folder, 'junit.xml'), 'utf8')).toMatch(/<testsuite name="abort" tests="1" failures="1"/);
  });

  it('known failing: declared failures count for nothing, and one that passes has to go', async () => {
    const file = join(folder, 'known.txt');
    const difference = differences.find(({ name }) => name === 'ignores-retry-after');
    const command = `node ${JSON.stringify(await buildAdapter(difference))}`;
    writeFileSync(file, 'admission/queue-full # until the next release\n');
    const flags = ['--only', 'admission/queue-full', '--only', 'admission/plain', '--known-failing', file];
    expect((await kit('--command', command, ...flags)).code).toBe(0);
    const passed = await kit('--command', reference, ...flags);
    expect([passed.code, passed.out]).toEqual([
      1,
      expect.stringContaining('take admission/queue-full out of the list'),
    ]);
  });

  it.each([
    [['--only', 'nothing/*'], /matches no check/],
    [['--level', 'perhaps'], /Allowed choices are must, should, may/],
    [['--timeout', 'soon'], /must be a number/],
    [['--known-failing', '/nowhere'], /cannot read \/nowhere/],
    [['--explode'], /unknown option/],
  ])('2: usage %j', async (flags, message) => {
    const { code, err } = await kit('--command', reference, ...flags);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  it.each([
    ['exit 7', /^turnwire-contract: the subject ended by itself \(exit code 7\)\n$/],
    ['no-such-program-here', /^turnwire-contract: the subject ended by itself \(exit code 127\)\n$/],
    ['cat', /^turnwire-contract: the subject does not introduce itself as docs\/adapters\.md says\n$/],
    ['sleep 60', /^turnwire-contract: the subject gave no result to `init` within 1 s\n$/],
  ])('3: %s could not be started', async (command, message) => {
    const { code, err, out } = await kit('--command', command, '--timeout', '1');
    expect([code, err, out]).toEqual([3, expect.stringMatching(message), '']);
  });
});

describe('the cases', () => {
  const cases = loadCases();

  it('name requirements that exist, and each seat meets every kind of fault', () => {
    expect(cases.flatMap((each) => each.requirements).filter((id) => !requirements.has(id))).toEqual([]);
    const seats = new Set(cases.map(({ call }) => call.seat));
    for (const seat of [
      'admission',
      'surface',
      'surface_step',
      'pick',
      'pick_base',
      'delivery_poll',
      'stream',
      'abort',
    ]) {
      expect(seats).toContain(seat);
    }
  });

  it('use every fault of the proxy', () => {
    const used = new Set(cases.flatMap(({ steps }) => steps.map(({ fault }) => fault)));
    const all = [
      ...['refused', 'full_queue', 'silent', 'reset_on_connect', 'reset_early', 'reset_after_request', 'garbage'],
      ...['close_after_request', 'cut_after_headers', 'cut_body', 'cut_chunk', 'stall_body', 'broken_json', 'answer'],
      ...['dies_on_reuse', 'closes_idle', 'duplicate', 'late_copy', 'slow_read', 'pass'],
    ];
    expect(all.filter((fault) => !used.has(fault as never))).toEqual([]);
  });

  it('a capability is taken away somewhere for each seat that has one', () => {
    const without = (name: string) => cases.filter(({ peer }) => peer[name as 'fencedAbort'] === false).length;
    expect(without('idempotentAdmissions')).toBeGreaterThan(20);
    expect(without('clientDeliveryIds')).toBeGreaterThan(20);
    expect(cases.filter(({ id }) => matches('abort/*unfenced/*', id)).length).toBeGreaterThan(20);
  });
});

it('a subject without a feature is not tested there, and a MUST that is not tested is not conformant', async () => {
  const script =
    "process.stdin.on('data',d=>console.log(JSON.stringify({id:JSON.parse(d).id,language:'x',version:'1',features:[]})))";
  const report = await runClient({
    command: `node -e ${JSON.stringify(script)}`,
    ...{ level: 'must', timeoutMs: 5_000, jobs: 1, seed: 1, only: ['admission/plain'] },
  });
  expect(report.checks).toMatchObject([{ verdict: 'not_tested', sentence: 'the subject does not declare admit' }]);
});
