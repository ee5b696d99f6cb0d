import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildHarness } from '../../broken/harness/build.ts';
import { conforms } from '../report/check.ts';
import { type HarnessRun, runHarness } from './run.ts';

const usual: HarnessRun = { level: 'may', timeoutMs: 30_000, jobs: 2, seed: 1, capabilities: ['nodes'] };
/** Takes more than a minute; the nightly run has it. */
const slow = ['stream.sse_recycled', 'process.idle_connection'];
const serve = (file: string) => `node ${JSON.stringify(file)} serve`;

it('the reference passes every check at the level of a MAY, with nothing declared to fail', async () => {
  const report = await runHarness({ ...usual, command: serve(await buildHarness()), skip: slow });
  expect(
    report.checks.flatMap(({ id, verdict, sentence }) => (verdict === 'passed' ? [] : [`${id}: ${sentence}`])),
  ).toEqual([]);
  expect(conforms(report)).toBe(true);
  expect(report.checks.length).toBeGreaterThan(100);
}, 180_000);

describe('a subject that is no harness passes nothing:', () => {
  const file = fileURLToPath(new URL('../../broken/harness/null.ts', import.meta.url));
  it.concurrent.each(['not_found', 'empty', 'unavailable', 'hang', 'close'])(
    '%s',
    async (kind) => {
      const command = `node --import tsx ${JSON.stringify(file)} ${kind}`;
      // What is about a process is asked of a few of them: a process of its own for each would only repeat it.
      const skip = [
        'process.taken*',
        'process.wrong*',
        'process.successor',
        'restart.*',
        'nodes.*',
        'drain.*',
        'admission.survives*',
        'queue.waiting*',
        'auth.credential*',
        ...slow,
      ];
      const { checks } = await runHarness({ ...usual, command, skip, answerMs: 300, jobs: 8 });
      expect(checks.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id)).toEqual([]);
      expect(checks.length).toBeGreaterThan(70);
    },
    90_000,
  );
});

/** The kit as a command. */
async function turnwireContract(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const child = spawn('node', ['--conditions=turnwire-source', '--import', 'tsx', main, 'harness', ...args]);
  let [out, err] = ['', ''];
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    err += data.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, err };
}

describe('as a command', () => {
  it('exits 0 for what conforms and writes its report', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnwire-report-'));
    const command = serve(await buildHarness());
    const { code, out } = await turnwireContract('--command', command, '--only', 'auth.no_*', '--report', folder);
    expect(out).toMatch(/2 passed, 0 failed in [\d.]+ s: conformant at level must/);
    expect(code).toBe(0);
    expect(readFileSync(join(folder, 'junit.xml'), 'utf8')).toContain('testsuite name="auth" tests="2"');
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as object;
    expect(report).toMatchObject({ mode: 'harness', conformant: true });
    rmSync(folder, { recursive: true });
  }, 60_000);

  it('exits 1 for what does not, with a sentence that names the requirement', async () => {
    const file = fileURLToPath(new URL('../../broken/harness/null.ts', import.meta.url));
    const { code, out } = await turnwireContract(
      '--command',
      `node --import tsx ${file} empty`,
      '--only',
      'auth.no_token',
    );
    expect(code).toBe(1);
    expect(out).toMatch(/failed {2}auth\.no_token: the subject answered .*; it should .* TW-/);
  }, 60_000);

  it('exits 3 for what cannot be started', async () => {
    const { code, err } = await turnwireContract('--command', 'exit 7');
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('the subject ended before it listened') });
  }, 60_000);
});
