import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { protocol } from '@turnwire/sdk';
import { createLogger, listen, StartError } from '@turnwire/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envoyProgram, noEnvoy } from '../../contract-tests/engines/envoy.ts';
import { createCustodian } from './app.ts';
import { readAuthorities } from './authorities.ts';
import { bootstrap } from './envoy/bootstrap.ts';
import { pool } from './pool.ts';
import { watchSent } from './sent.ts';

const TOKEN = `local.${'t'.repeat(43)}`;
const noOpenssl = spawnSync('openssl', ['version']).error !== undefined;
const log = createLogger('test');
log.level = 'silent';

describe.skipIf(noOpenssl)('an Orchestrator behind https, with a certificate of our own authority', () => {
  let folder: string;
  let server: ReturnType<typeof createServer>;
  let url: string;
  const arrived: (string | undefined)[] = [];
  const file = (name: string) => join(folder, name);
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'turnwire-tls-'));
    for (const name of ['ours', 'theirs']) {
      const key = [
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-keyout',
        file(`${name}.key`),
      ];
      const more = ['-days', '2', '-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
      spawnSync('openssl', ['req', '-x509', ...key, '-out', file(`${name}.crt`), ...more]);
    }
    writeFileSync(file('token'), TOKEN, { mode: 0o600 });
    const ours = { key: readFileSync(file('ours.key')), cert: readFileSync(file('ours.crt')) };
    server = createServer(ours, (request, response) => {
      arrived.push(request.headers.authorization);
      response.writeHead(200, { 'turnwire-version': '1' }).end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  const headers = { authorization: `Bearer ${protocol.custodian.standIn}` };
  const expectAnswered = async (at: string) => {
    arrived.length = 0;
    expect((await fetch(`${at}/agents/a/surface`, { headers })).status).toBe(200);
    expect(arrived).toEqual([`Bearer ${TOKEN}`]);
  };
  const expectRefused = async (at: string) => {
    arrived.length = 0;
    const response = await fetch(`${at}/agents/a/events`, { method: 'POST', body: '{}', headers });
    expect([response.status, response.headers.get('x-turnwire-custodian')]).toEqual([502, 'unreachable']);
    expect(await response.json()).toMatchObject({ flags: ['UF', 'URX'] });
    expect(arrived).toEqual([]);
  };

  it('on Node', async () => {
    for (const [authority, check] of [
      ['ours', expectAnswered],
      ['theirs', expectRefused],
    ] as const) {
      const dispatcher = pool(readAuthorities(file(`${authority}.crt`), url));
      const sent = watchSent();
      const upstream = { origin: url, base: '', dispatcher, sent };
      const token = { read: () => ({ token: TOKEN, placement: 'local' }) };
      const app = createCustodian({ upstream, token, log, decisions: log });
      const front = await listen({ app, host: '127.0.0.1', port: 0, role: 'custodian', announce: false });
      await check(front.url);
      await front.close({ graceMs: 0 });
      await dispatcher.destroy();
      sent.close();
    }
  });

  it('on Envoy', async (context) => {
    const program = envoyProgram();
    if (program === undefined) return context.skip(noEnvoy);
    for (const [authority, check] of [
      ['ours', expectAnswered],
      ['theirs', expectRefused],
    ] as const) {
      const { at, child } = await startEnvoy(program, file(`${authority}.crt`));
      await check(at);
      child.kill();
      await once(child, 'exit');
    }
  }, 30_000);

  async function startEnvoy(program: string, caFile: string): Promise<{ at: string; child: ChildProcess }> {
    const free = createTcp().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, 'close');
    const listen = { host: '127.0.0.1', port };
    const settings = { listen, orchestratorUrl: url, placement: 'local', tokenFile: file('token'), caFile };
    writeFileSync(file('envoy.json'), JSON.stringify(bootstrap(settings)));
    const flags = ['-c', file('envoy.json'), '--use-dynamic-base-id', '--concurrency', '1', '-l', 'off'];
    const child = spawn(program, flags, { stdio: 'ignore' });
    const at = `http://127.0.0.1:${port}`;
    while ((await fetch(at).catch(() => undefined)) === undefined) {
      if (child.exitCode !== null) throw new Error(`Envoy ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { at, child };
  }

  it.each([
    ['is not there', 'none.crt', () => url, /cannot be read \(ENOENT\); set --ca-file/],
    ['is a folder', '.', () => url, /cannot be read \(EISDIR\)/],
    ['holds no certificate', 'ours.key', () => url, /holds no certificates/],
    ['nobody would ask for', 'ours.crt', () => 'http://o:4000', /--ca-file is for an https Orchestrator/],
  ])('a file of authorities that %s is one clear line', (_, name, orchestrator, message) => {
    const read = () => readAuthorities(file(name), orchestrator());
    expect(read).toThrow(StartError);
    expect(read).toThrow(message);
  });
});
