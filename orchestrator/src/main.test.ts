/** The process as an operator sees it: one line and an exit code for every way in which it cannot start, and a clean end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const NODE_MODULES = dirname(dirname(createRequire(import.meta.url).resolve('xstate/package.json')));
const TSX = createRequire(import.meta.url).resolve('tsx/esm');

let dir: string;
const processes: ChildProcess[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tw-main-'));
  mkdirSync(join(dir, 'workflows'));
  symlinkSync(NODE_MODULES, join(dir, 'node_modules'));
});
afterEach(async () => {
  for (const child of processes.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  rmSync(dir, { recursive: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly said: { out: string; err: string };
  readonly exit: Promise<number | null>;
  url(): Promise<string>;
}

function start(...argv: string[]): Started {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TURNWIRE_')));
  const child = spawn(process.execPath, ['--conditions=turnwire-source', '--import', `file://${TSX}`, MAIN, ...argv], {
    cwd: dir,
    env,
  });
  processes.push(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    said,
    exit,
    async url() {
      await expect.poll(() => said.out, { timeout: 15_000 }).toContain('"listening"');
      return (JSON.parse(said.out) as { url: string }).url;
    },
  };
}

/** It ends with 2, said one line that is not a log record, and never said that it listens. */
async function refusal(...argv: string[]): Promise<string> {
  const { said, exit } = start(...argv);
  expect(await exit).toBe(2);
  expect(said.out).toBe('');
  const lines = said.err
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('{'));
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

const serve = (...more: string[]) => ['serve', '--port', '0', '--harness-url', 'http://127.0.0.1:1', ...more];

// A process starts in about a second, and shares the machine with other tests.
describe('serve', { timeout: 60_000 }, () => {
  it('says where it listens on stdout alone, logs JSON on stderr, and ends 0 at SIGTERM (TW-GEN-030, TW-GEN-032, TW-GEN-033)', async () => {
    writeFileSync(join(dir, 'workflows/odd.mjs'), `throw new Error('no luck');`);
    const { child, said, exit, url } = start(...serve());
    const response = await fetch(`${await url()}/.well-known/turnwire`);
    expect(await response.json()).toMatchObject({ role: 'orchestrator', software: { name: '@turnwire/orchestrator' } });
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    const records = said.err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; workflow?: string });
    // TW-AUT-012: a refused workflow is said, and the others are served.
    expect(records.find(({ workflow }) => workflow === 'odd')?.msg).toContain('no luck');
    expect(said.out.trimEnd().split('\n')).toHaveLength(1);
  });

  it('waits for the process before it, and takes over when that one dies (TW-DUR-008)', async () => {
    const first = start(...serve());
    await first.url();
    const second = start(...serve());
    const url = await second.url();
    expect((await fetch(`${url}/healthz`)).status).toBe(204);
    expect((await fetch(`${url}/readyz`)).headers.get('turnwire-code')).toBe('starting');
    first.child.kill('SIGKILL');
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 10_000 }).toBe(204);
    second.child.kill('SIGTERM');
    expect(await second.exit).toBe(0);
  });

  it('refuses a taken port in one line, and opens no database (TW-GEN-031)', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await refusal('serve', '--port', String(port))).toMatch(
      new RegExp(`^turnwire-orchestrator: port ${port} on 127\\.0\\.0\\.1 is taken; choose another`),
    );
    server.close();
    expect(readdirSync(join(dir, '.turnwire')).sort()).toEqual(['instance.token', 'signing.key']);
  });

  it('refuses a key that others can read, and a short one (TW-TOK-002)', async () => {
    mkdirSync(join(dir, '.turnwire'));
    const key = join(dir, '.turnwire/signing.key');
    writeFileSync(key, 'x'.repeat(40), { mode: 0o644 });
    expect(await refusal(...serve())).toContain(`can be read by others (mode 0644); run: chmod 600 ${key}`);
    rmSync(key);
    writeFileSync(key, 'x'.repeat(31), { mode: 0o600 });
    expect(await refusal(...serve())).toContain('holds 31 bytes and a signing key needs at least 32');
  });

  it('refuses a database that is truncated, newer, or a folder, and leaves it as it was (TW-DUR-022)', async () => {
    const file = join(dir, 'runs.db');
    writeFileSync(file, 'SQLite format 3\0 and then nothing');
    expect(await refusal(...serve('--database-url', 'file:runs.db'))).toContain('runs.db');
    rmSync(file);
    const newer = new Database(file);
    newer.pragma('user_version = 9999');
    newer.close();
    expect(await refusal(...serve('--database-url', 'file:runs.db'))).toContain('newer version');
    rmSync(file);
    mkdirSync(file);
    expect(await refusal(...serve('--database-url', 'file:runs.db'))).toContain('is a folder; set --database-url');
  });

  it('refuses a database that somebody else has locked', async () => {
    const other = new Database(join(dir, 'runs.db'));
    other.exec('CREATE TABLE a (b); BEGIN EXCLUSIVE');
    expect(await refusal(...serve('--database-url', 'file:runs.db'))).toMatch(/runs\.db .*SQLITE_BUSY/);
    other.close();
  });

  it('refuses a missing workflows folder, and under --strict a refused workflow', async () => {
    expect(await refusal(...serve('--workflows', 'nowhere'))).toMatch(
      /workflows folder .*nowhere does not exist; set --workflows/,
    );
    writeFileSync(join(dir, 'workflows/empty.js'), 'export const other = 1;');
    expect(await refusal(...serve('--strict'))).toMatch(/^turnwire-orchestrator: a workflow is refused: .*empty/);
  });

  it('refuses wrong usage', async () => {
    expect(await refusal(...serve('--nope'))).toContain(`unknown option '--nope'`);
    expect(await refusal('serve', '--port', 'x')).toContain('It must be a port');
    expect(await refusal('token', 'placement', 'Not_A_Label')).toContain('DNS label');
  });
});

describe('a workflow file that is edited between two starts, with a run parked on its gate', {
  timeout: 60_000,
}, () => {
  /** `limit`: in a guard's body, which is no shape. `late`: a state more. */
  const module = ({ limit = 3, late = false }) => `
    import { defineEvent, gate, setup } from '@turnwire/orchestrator';
    import { assign } from 'xstate';
    import { z } from 'zod';
    const more = defineEvent({ name: 'more', by: 'outside', input: z.object({}) });
    export const machine = setup({
      input: z.object({}),
      types: {} as { context: { n: number } },
      events: [more],
    }).createMachine({
      context: { n: 0 },
      initial: 'asking',
      states: {
        asking: {
          invoke: { src: 'gate', input: { gate: 'decision' } },
          on: {
            more: [
              { guard: ({ context }) => context.n + 1 < ${limit}, target: 'asking', reenter: true, actions: assign({ n: ({ context }) => context.n + 1 }) },
              { target: '${late ? 'late' : 'done'}' },
            ],
          },
        },
        ${late ? "late: { always: 'done' }," : ''}
        done: { type: 'final' },
      },
    });`;
  const write = (text: string) => writeFileSync(join(dir, 'workflows/asking.ts'), text);

  async function serving() {
    const { child, exit, url, said } = start(...serve());
    const at = await url();
    const token = readFileSync(join(dir, '.turnwire/instance.token'), 'utf8').trim();
    const ask = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`${at}${path}`, { headers, ...sent });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const stop = async () => {
      child.kill('SIGTERM');
      expect(await exit, said.err).toBe(0);
    };
    return { ask, stop };
  }

  const answer = { event: 'more', input: {} };

  it('the body of a guard: the run goes on by the new one; another shape: it is drifted, and goes on when that is taken back', async () => {
    write(module({ limit: 9 }));
    const first = await serving();
    const { runId } = (await first.ask('/workflows/asking/runs', { input: {} })).body;
    expect((await first.ask(`/runs/${runId}/gates/decision/events`, answer)).body).toEqual({ ok: true, moved: true });
    await first.stop();

    write(module({ limit: 9, late: true }));
    const drifted = await serving();
    expect((await drifted.ask(`/runs/${runId}`)).body).toMatchObject({ status: 'drifted', context: { n: 1 } });
    expect(await drifted.ask(`/runs/${runId}/gates/decision/events`, answer)).toMatchObject({
      status: 503,
      body: { code: 'run_unavailable' },
    });
    // The others go on, by the file as it is now.
    const { runId: other } = (await drifted.ask('/workflows/asking/runs', { input: {} })).body;
    expect((await drifted.ask(`/runs/${other}`)).body).toMatchObject({ status: 'active', value: 'asking' });
    await drifted.stop();

    write(module({ limit: 2 }));
    const last = await serving();
    expect((await last.ask(`/runs/${runId}`)).body).toMatchObject({ status: 'active', context: { n: 1 } });
    await last.ask(`/runs/${runId}/gates/decision/events`, answer);
    expect((await last.ask(`/runs/${runId}`)).body).toMatchObject({ status: 'done', context: { n: 1 } });
    expect((await last.ask(`/runs/${other}`)).body).toMatchObject({ status: 'drifted' });
    await last.stop();
  });
});
