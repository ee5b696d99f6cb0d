import { StartError } from '@turnwire/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type DevSettings, harnessCommand, type ServeSettings } from './settings.ts';

const DIGEST = 'x'.repeat(43);

beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('TURNWIRE_')) vi.stubEnv(name, undefined);
  vi.stubEnv('TURNWIRE_HARNESS_TOKEN_SHA256', DIGEST);
});
afterEach(() => vi.unstubAllEnvs());

const nothing = { serve: async () => undefined, dev: async () => undefined, history: async () => undefined };

async function read(...args: string[]): Promise<ServeSettings> {
  let found: ServeSettings | undefined;
  const serve = async (settings: ServeSettings) => {
    found = settings;
  };
  await harnessCommand({ ...nothing, serve }).parseAsync(['node', 'turnwire-harness', 'serve', ...args]);
  if (!found) throw new Error('it did not serve');
  return found;
}

it('has the defaults that the spec names', async () => {
  expect(await read()).toEqual({
    host: '127.0.0.1',
    port: 8080,
    harnessTokenSha256: DIGEST,
    custodianUrl: 'http://127.0.0.1:8081',
    placementToken: 'turnwire-held-TURNWIRE_PLACEMENT_TOKEN',
    dataDir: '.turnwire/harness',
    concurrency: 32,
    drainTimeout: 600,
    linger: 5,
    keepDays: 7,
    deployment: 'resident',
  });
});

it('takes the environment, and a flag before it', async () => {
  vi.stubEnv('TURNWIRE_PORT', '1');
  vi.stubEnv('TURNWIRE_PUBLIC_URL', 'https://harness.example/');
  expect(await read('--port', '2', '--agents-file', 'a.json')).toMatchObject({
    port: 2,
    publicUrl: 'https://harness.example',
    agentsFile: 'a.json',
  });
  expect((await read()).port).toBe(1);
});

it.each([undefined, '', 'short'])('does not start with %j as the digest of its token (TW-TOK-009)', async (digest) => {
  vi.stubEnv('TURNWIRE_HARNESS_TOKEN_SHA256', digest);
  await expect(read()).rejects.toThrow(StartError);
});

it('hands a history on with the folder that it is in', async () => {
  const history = vi.fn(async () => undefined);
  const program = harnessCommand({ ...nothing, history });
  await program.parseAsync(['node', 'turnwire-harness', 'history', 'i1', '--data-dir', 'd']);
  expect(history).toHaveBeenCalledWith('i1', { dataDir: 'd', json: false });
});

async function readDev(...args: string[]): Promise<DevSettings> {
  let found: DevSettings | undefined;
  const dev = async (settings: DevSettings) => {
    found = settings;
  };
  await harnessCommand({ ...nothing, dev }).parseAsync(['node', 'turnwire-harness', 'dev', ...args]);
  if (!found) throw new Error('it did not begin');
  return found;
}

it('dev hands every setting on to the process that serves, with defaults of its own', async () => {
  vi.stubEnv('TURNWIRE_CUSTODIAN_URL', 'http://127.0.0.1:9');
  const { agentsFile, env } = await readDev('--agents', 'a.json', '--node-id', 'desk', '--concurrency', '2');
  expect(agentsFile).toBe('a.json');
  expect(env).toEqual({
    TURNWIRE_AGENTS_FILE: 'a.json',
    TURNWIRE_NODE_ID: 'desk',
    TURNWIRE_DEPLOYMENT: 'resident',
    TURNWIRE_HOST: '127.0.0.1',
    TURNWIRE_PORT: '0',
    TURNWIRE_HARNESS_TOKEN_SHA256: DIGEST,
    TURNWIRE_CUSTODIAN_URL: 'http://127.0.0.1:9',
    TURNWIRE_PLACEMENT_TOKEN: 'turnwire-held-TURNWIRE_PLACEMENT_TOKEN',
    TURNWIRE_DATA_DIR: '.turnwire/harness-desk',
    TURNWIRE_CONCURRENCY: '2',
    TURNWIRE_DRAIN_TIMEOUT: '30',
    TURNWIRE_LINGER: '1',
    TURNWIRE_KEEP_DAYS: '7',
  });
  expect((await readDev('--agents', 'a', '--node-id', 'desk', '--data-dir', 'd')).env.TURNWIRE_DATA_DIR).toBe('d');
});

it.each([
  [['--node-id', 'desk'], /--agents FILE/],
  [['--agents', 'a.json'], /--node-id NAME/],
  [['--agents', 'a.json', '--node-id', 'desk', '--host', '0.0.0.0'], /set TURNWIRE_PUBLIC_URL/],
  [['--agents', 'a.json', '--node-id', 'desk', '--deployment', 'cloud'], /resident or serverless/],
])('dev %j does not begin', async (args, line) => {
  await expect(readDev(...args)).rejects.toThrow(line);
});

it.each([
  ...['HOST', 'DATA_DIR', 'AGENTS_FILE', 'CUSTODIAN_URL'].map((name) => [name, '']),
  ['DRAIN_TIMEOUT', '-1'],
  ['DRAIN_TIMEOUT', '1e9'],
  ['LINGER', '-1'],
  ['KEEP_DAYS', '-1'],
])('%s of %j is refused', async (name = '', value = '') => {
  vi.stubEnv(`TURNWIRE_${name}`, value);
  const ended = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await expect(read()).rejects.toThrow('exit 2');
  expect(said.mock.calls.join('')).toContain('is invalid');
  ended.mockRestore();
  said.mockRestore();
});
