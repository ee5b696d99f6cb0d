import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { protocol } from '@turnwire/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Serving, serveFake } from '../api/serving.fixture.ts';
import { registration } from '../nodes/nodes.fixture.ts';
import { harnessToken, instanceToken, placementToken, signingKey } from '../tokens.ts';
import { checkHops } from './doctor/hops.ts';
import { nodeVersion } from './doctor/machine.ts';
import { type FakeIo, fakeIo } from './io.fixture.ts';
import { runCli } from './program.ts';

/** Answers as a Harness and as a Custodian would; `seen` are the requests. */
interface Peer {
  readonly url: string;
  readonly seen: { path: string; bearer: string | undefined }[];
  close(): void;
}

async function peer(answer: (path: string) => { status: number; code?: string; body?: unknown }): Promise<Peer> {
  const seen: Peer['seen'] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push({ path, bearer: request.headers.authorization?.slice('Bearer '.length) });
    const { status, code, body } = answer(path);
    const problem = code && { type: 'about:blank', title: code, status, detail: `the ${code}`, code };
    response.writeHead(status, {
      'turnwire-version': '1',
      'turnwire-store': 'store_1',
      ...(code && { 'turnwire-code': code, 'content-type': 'application/problem+json' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    });
    response.end(code ? JSON.stringify(problem) : body === undefined ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const INFO = {
  role: 'harness',
  version: '1',
  software: { name: 'h', version: '2' },
  store: 'store_1',
  capabilities: { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true },
};

let dir: string;
let io: FakeIo;
let orchestrator: Serving;
let harness: Peer;
let custodian: Peer;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tw-doctor-'));
  signingKey(join(dir, '.turnwire'));
  instanceToken(join(dir, '.turnwire'));
  io = fakeIo(dir);
  orchestrator = await serveFake();
  harness = await peer((path) => (path === '/readyz' ? { status: 204 } : { status: 200, body: INFO }));
  custodian = await peer(() => ({ status: 404, code: 'turn_over' }));
});
afterEach(async () => {
  await orchestrator.close();
  harness.close();
  custodian.close();
  rmSync(dir, { recursive: true });
});

const doctor = (...argv: string[]) =>
  runCli(
    [
      'doctor',
      '--url',
      orchestrator.url,
      '--harness-url',
      harness.url,
      '--custodian-url',
      custodian.url,
      '--instance-token',
      'instance-token-of-this-test',
      ...argv,
    ],
    io,
  );
const line = (check: string) => io.stdout.split('\n').find((each) => each.slice(6).startsWith(check)) ?? '';

describe('turnwire doctor', () => {
  it('is 0 when everything is well, and asks each hop with its own token', async () => {
    expect(await doctor()).toBe(0);
    expect(io.stdout.match(/^ok /gm)).toHaveLength(18);
    expect(line('harness token')).toContain('h 2, wire 1; idempotentAdmissions, fencedAbort, submissionStreams');
    expect(line('instance token is accepted') || io.stdout).toContain('2 workflows, refused: broken');
    const key = signingKey(join(dir, '.turnwire'));
    expect(harness.seen.find(({ path }) => path === '/.well-known/turnwire')?.bearer).toBe(harnessToken(key, 'local'));
    expect(custodian.seen[0]?.path).toMatch(/^\/agents\/doctor-[\w-]+\/surface$/);
    expect(custodian.seen[0]?.bearer).toBe(protocol.custodian.standIn);
  });

  it('names the nodes, and says what to do about one that is down', async () => {
    const { nodes } = orchestrator.host;
    expect(await doctor()).toBe(0);
    expect(line('nodes')).toMatch(/^ok .* has none registered$/);
    await nodes.register('laptop', registration());
    await nodes.heartbeat('laptop', 'inst_1', 'ready');
    await nodes.register('pi', registration());
    const { instanceId, moves } = nodes.get('pi') ?? { instanceId: '', moves: 0 };
    await nodes.demote('pi', { instanceId, moves });
    io = fakeIo(dir);
    expect(await doctor()).toBe(2);
    expect(line('nodes')).toMatch(/^bad .* has laptop \(healthy\), pi \(inactive since .*\)$/);
    expect(io.stdout).toContain('→ start the harness of pi, or `turnwire nodes pi --remove`');
  });

  describe('beside nodes', () => {
    const ask = (...argv: string[]) =>
      runCli(['doctor', '--instance-token', 'instance-token-of-this-test', ...argv], io);
    /** As `turnwire dev` leaves it. */
    const published = (...urls: string[]) =>
      writeFileSync(join(dir, '.turnwire/orchestrator.url'), `${[orchestrator.url, '4711', ...urls].join('\n')}\n`);
    beforeEach(async () => {
      const { nodes } = orchestrator.host;
      await nodes.register('laptop', registration());
      await nodes.heartbeat('laptop', 'inst_1', 'ready');
    });

    it('a Harness and a Custodian that nobody named are left out, and it says so', async () => {
      const foreign = await peer(() => ({ status: 200, body: {} }));
      // Nobody there, and somebody else there.
      const free = await peer(() => ({ status: 204 }));
      free.close();
      const hops = {
        orchestratorUrl: orchestrator.url,
        harness: { url: foreign.url, assumed: true },
        custodian: { url: free.url, assumed: true },
        placement: 'local',
        stateDir: join(dir, '.turnwire'),
        instanceToken: 'instance-token-of-this-test',
        signal: io.signal,
      };
      const { findings, ...asked } = await checkHops(hops);
      expect(asked).toEqual({ harness: undefined, custodian: undefined });
      expect(findings.filter(({ ok }) => !ok)).toEqual([]);
      const skipped = findings.filter((finding) => finding.skipped).map(({ check, detail }) => `${check}: ${detail}`);
      expect(skipped).toEqual([
        expect.stringMatching(/^harness: left out: .*--harness-url/),
        expect.stringMatching(/^custodian: left out: .*--custodian-url/),
      ]);
      foreign.close();
      // One of ours that is wrong is wrong at any address.
      harness.close();
      harness = await peer((path) => (path === '/readyz' ? { status: 204 } : { status: 401, code: 'unauthorized' }));
      const wrong = await checkHops({ ...hops, harness: { url: harness.url, assumed: true } });
      expect(wrong.findings.find(({ check }) => check === 'harness token')?.ok).toBe(false);
    });

    it('one that was named is asked', async () => {
      harness.close();
      custodian.close();
      expect(await ask('--url', orchestrator.url, '--harness-url', harness.url, '--custodian-url', custodian.url)).toBe(
        3,
      );
      expect(line('harness is ready')).toMatch(/^bad /);
      expect(line('custodian')).toMatch(/^bad /);
    });

    it('so is one that `turnwire dev` has, wherever that put it', async () => {
      published(harness.url, custodian.url);
      expect(await ask()).toBe(0);
      expect(line('harness is ready')).toContain(harness.url);
      expect(line('custodian ')).toContain(custodian.url);
      harness.close();
      expect(await ask()).toBe(3);
    });
  });

  it('is 3 when a hop cannot be reached, with what that proves', async () => {
    harness.close();
    custodian.close();
    expect(await doctor()).toBe(3);
    expect(line('harness is ready')).toMatch(/^bad .*never delivered/);
    expect(line('custodian')).toMatch(/^bad .*never delivered/);
    expect(io.stdout).toContain('→ start it, or set its URL');
    expect(io.stderr).toMatch(/^turnwire: 3 of 18 checks failed\n$/);
  });

  it('is 2 when something answers and is wrong', async () => {
    custodian.close();
    custodian = await peer(() => ({ status: 403, code: 'stand_in_missing' }));
    harness.close();
    harness = await peer((path) => (path === '/readyz' ? { status: 204 } : { status: 401, code: 'unauthorized' }));
    expect(await doctor('--instance-token', 'wrong')).toBe(2);
    expect(line('instance token')).not.toBe('');
    expect(io.stdout).toMatch(/bad {3}instance token .* answered 401 unauthorized/);
    expect(line('harness token')).toMatch(/^bad .* answered 401/);
    expect(line('custodian ')).toMatch(/^bad .* answered 403/);
    expect(io.stdout).not.toContain('wrong ');
  });

  it.each([['--harness-url'], ['--url']])('is 2 when %s is of another role', async (flag) => {
    expect(await doctor(flag, flag === '--url' ? harness.url : orchestrator.url)).toBe(2);
    const role = flag === '--url' ? 'orchestrator' : 'harness';
    const other = flag === '--url' ? 'harness' : 'orchestrator';
    expect(line(`${role} is ready`)).toMatch(new RegExp(`^bad .*answers as ${other}, and is not the ${role}$`));
    expect(line(`${other} is ready`)).toMatch(/^ok /);
  });

  it('is 2 when the harness is none of ours that has a role', async () => {
    harness.close();
    harness = await peer((path) => (path === '/readyz' ? { status: 204 } : { status: 404, code: 'not_found' }));
    expect(await doctor()).toBe(2);
    expect(line('harness is ready')).toMatch(/^bad .*is not the harness$/);
  });

  it('names each check once', async () => {
    await doctor('--json');
    const { checks } = JSON.parse(io.stdout) as { checks: { check: string }[] };
    expect(new Set(checks.map(({ check }) => check)).size).toBe(checks.length);
  });

  it('is 2 for files that are missing or can be read by others', async () => {
    chmodSync(join(dir, '.turnwire/signing.key'), 0o644);
    rmSync(join(dir, '.turnwire/instance.token'));
    expect(await doctor()).toBe(2);
    expect(line('signing key')).toMatch(/^bad .*can be read by others/);
    expect(io.stdout).toMatch(/bad {3}instance token file .*instance\.token is missing/);
  });

  it('says which limits are in force', async () => {
    await doctor('--restart-grace', '7');
    expect(line('windows')).toMatch(/^ok .*admission 90 s/);
    expect(line('budget of a seat')).toContain('30 s or 8 attempts');
    expect(line('graces')).toContain('own pick 5 s, owed abort 30 s, restart 7 s');
    expect(line('kept')).toContain('receipts 600 s, ended runs 7 days');
    expect(line('open files')).toMatch(/^ok /);
    await doctor('--restart-grace', '-1');
    expect(io.stdout).toContain('restart not waited for');
  });

  it('is 2 for two processes at one port', async () => {
    expect(await doctor('--custodian-url', harness.url)).toBe(2);
    expect(io.stdout).toMatch(/bad {3}ports .*\n.*give harness and custodian a port each/);
  });

  it('is 2 for a database or a token file that is not as it should be', async () => {
    const database = join(dir, 'runs.db');
    const token = join(dir, 'placement.token');
    writeFileSync(database, '', { mode: 0o644 });
    writeFileSync(token, `local.${'x'.repeat(43)}`, { mode: 0o600 });
    const where = ['--database-url', 'file:runs.db', '--placement-token-file', 'placement.token'];
    expect(await doctor(...where)).toBe(2);
    expect(line('database file')).toMatch(/^bad .*runs\.db can be read by others/);
    expect(line('placement token file')).toMatch(/^bad .*does not hold the token of local under this key/);
    expect(io.stdout).not.toContain('x'.repeat(43));
    chmodSync(database, 0o600);
    writeFileSync(token, `${placementToken(signingKey(join(dir, '.turnwire')), 'local')}\n`);
    expect(await doctor(...where)).toBe(0);
    chmodSync(token, 0o644);
    expect(await doctor(...where)).toBe(2);
  });

  it('says that an orchestrator is not ready', async () => {
    orchestrator.service.stop();
    await doctor();
    expect(line('orchestrator is ready')).toMatch(/^bad .* 503 stopping/);
    expect(line('orchestrator serves')).toMatch(/^ok /);
  });

  it('is JSON with --json', async () => {
    expect(await doctor('--json')).toBe(0);
    expect(JSON.parse(io.stdout)).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ check: 'custodian', ok: true })]),
    });
  });
});

it.each([
  ['20.19.0', true],
  ['22.1.0', true],
  ['20.18.9', false],
  ['18.20.0', false],
])('Node %s is good: %s', (version, ok) => expect(nodeVersion(version).ok).toBe(ok));
