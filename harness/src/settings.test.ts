import { StartError } from '@turnwire/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { harnessCommand, type ServeSettings } from './settings.ts';

const DIGEST = 'x'.repeat(43);

beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('TURNWIRE_')) vi.stubEnv(name, undefined);
  vi.stubEnv('TURNWIRE_HARNESS_TOKEN_SHA256', DIGEST);
});
afterEach(() => vi.unstubAllEnvs());

async function read(...args: string[]): Promise<ServeSettings> {
  let found: ServeSettings | undefined;
  const serve = async (settings: ServeSettings) => {
    found = settings;
  };
  await harnessCommand({ serve, history: async () => undefined }).parseAsync([
    'node',
    'turnwire-harness',
    'serve',
    ...args,
  ]);
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
    keepDays: 7,
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

it('does not take a negative drain timeout', async () => {
  await expect(read('--drain-timeout', '-1')).rejects.toThrow(StartError);
});

it('hands a history on with the folder that it is in', async () => {
  const history = vi.fn(async () => undefined);
  const program = harnessCommand({ serve: async () => undefined, history });
  await program.parseAsync(['node', 'turnwire-harness', 'history', 'i1', '--data-dir', 'd']);
  expect(history).toHaveBeenCalledWith('i1', { dataDir: 'd', json: false });
});
