/** A subject that is running already, as the documents of the three modes have it: their commands, as they stand. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { buildCustodian } from '../broken/custodian/build.ts';
import { buildHarness } from '../broken/harness/build.ts';
import { buildOrchestrator } from '../broken/orchestrator/build.ts';
import { loadCustodianCases } from '../src/custodian/load.ts';
import { controls as ofCustodian } from '../src/custodian/validate.ts';
import { loadHarnessCases } from '../src/harness/load.ts';
import { controls as ofHarness } from '../src/harness/validate.ts';
import { loadOrchestratorCases } from '../src/orchestrator/load.ts';
import { controls as ofOrchestrator } from '../src/orchestrator/validate.ts';
import type { Report } from '../src/report/check.ts';
import { freePort } from '../src/run/free-port.ts';
import { root } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwire-elsewhere-'));
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const main = `node --conditions=turnwire-source --import ${import.meta.resolve('tsx')} ${join(root, 'contract-tests/src/main.ts')}`;

/** The block of a page that starts a subject and asks the kit, at ports that are free. */
async function documented(mode: string, file: string): Promise<string> {
  const page = readFileSync(join(root, `contract-tests/docs/${mode}.md`), 'utf8');
  const [block = ''] = page.match(/(?<=## One that is running already\n[\s\S]*?```sh\n)[\s\S]*?(?=```)/) ?? [];
  let text = block.replaceAll(`my-${mode} serve`, `node ${file} serve 2>/dev/null`);
  for (const port of new Set(block.match(/\b1\d{4}\b/g))) text = text.replaceAll(port, String(await freePort()));
  return text.replaceAll('npx turnwire-contract', main);
}

/** Runs it as a shell does; the subject ends with its group. */
async function run(script: string): Promise<{ code: number; said: string }> {
  const child = spawn('bash', ['-c', script], { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  const [code] = (await once(child, 'exit')) as [number];
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  return { code, said };
}

const reportOf = (name: string) => JSON.parse(readFileSync(join(folder, name, 'report.json'), 'utf8')) as Report;

const idsOf = <Case extends { readonly id: string }>(cases: readonly Case[], controls: (of: Case) => boolean) =>
  cases.filter(controls).map(({ id }) => id);

const modes = [
  // What waits a minute for its end is asked of a process of the kit's own elsewhere.
  {
    mode: 'harness',
    build: buildHarness,
    controlling: idsOf(loadHarnessCases(), ofHarness),
    first: '--skip stream.sse_recycled --skip stream.parked',
    second: "--only 'a*' --only 'queue.*' --only 'turn.*'",
  },
  {
    mode: 'orchestrator',
    build: buildOrchestrator,
    controlling: idsOf(loadOrchestratorCases(), ofOrchestrator),
    first: "--skip 'restarts.*' --skip 'nodes.*' --skip 'walk.*'",
    second: "--only 'admissions.*' --only 'executions.*' --only 'runs.*'",
  },
  {
    mode: 'custodian',
    build: buildCustodian,
    controlling: idsOf(loadCustodianCases(), ofCustodian),
    first: '',
    second: '',
  },
];

describe.each(modes)('a $mode that is running already', ({ mode, build, controlling, first, second }) => {
  it('is held to what needs no process of its own, time and again; the rest is not tested, and that is not conformant', async () => {
    const block = (await documented(mode, await build())).trimEnd();
    const [asked = ''] = block.match(/node --conditions[\s\S]*$/) ?? [];
    const again = `${asked} ${second} --report second > second.txt`;
    const { code, said } = await run(`${block} ${first} --report first\necho first: $?\n${again}`);
    expect(said).toContain('first: 1\n');
    expect(code).toBe(1);
    for (const { checks } of [reportOf('first'), reportOf('second')]) {
      const of = (verdict: string) => checks.filter((check) => check.verdict === verdict);
      expect(of('failed').map(({ id, sentence }) => [id, sentence])).toEqual([]);
      expect(controlling).toEqual(expect.arrayContaining(of('not_tested').map(({ id }) => id)));
      expect(of('passed').some(({ id }) => controlling.includes(id))).toBe(false);
      expect(of('passed').length).toBeGreaterThan(20);
      expect(of('not_tested').length).toBeGreaterThan(1);
    }
  }, 240_000);
});

describe('at an address where nobody is', () => {
  it.each(modes.map(({ mode }) => mode))(
    '%s: one line that says what to do, and exit code 3',
    async (mode) => {
      const block = await documented(mode, '/nowhere.mjs');
      const { code, said } = await run(`${block.trimEnd()} --timeout 1`);
      expect(said).toMatch(
        /^turnwire-contract: the subject is not there: connect ECONNREFUSED .* start it at http:\/\/127\.0\.0\.1:\d+ as docs\/\w+\.md says, .*\n$/,
      );
      expect(code).toBe(3);
    },
    60_000,
  );

  it('a port of the kit that is taken is one line, and exit code 2', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const flags = `--url http://127.0.0.1:1 --token t --orchestrator-port ${port} --model-port ${await freePort()}`;
    const ended = promisify(execFile)('bash', ['-c', `${main} harness ${flags}`]);
    await expect(ended).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^turnwire-contract: listen EADDRINUSE: .*\n$/),
    });
    taken.close();
  }, 60_000);
});
