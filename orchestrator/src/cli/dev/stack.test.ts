import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { harnessTokenDigest, instanceToken, placementToken, signingKey } from '../../tokens.ts';
import { BINS, type Bin, scriptOf } from './bins.ts';
import { writeFakeRoles } from './roles.fixture.ts';
import { type Stack, startStack } from './stack.ts';

let dir: string;
let stack: Stack | undefined;
const pids = new Map<string, number>();
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tw-stack-'));
  writeFakeRoles(dir);
});
afterEach(async () => {
  stack?.kill();
  stack = undefined;
  rmSync(dir, { recursive: true });
});

const find = ({ name }: Bin) => join(dir, `${name}.mjs`);
const given = (name: string) =>
  JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8')) as { argv: string[]; given: Record<string, string> };

async function up(env: NodeJS.ProcessEnv, signal = new AbortController().signal): Promise<Stack> {
  stack = await startStack({
    workflows: '/workflows',
    stateDir: join(dir, 'state'),
    placement: 'local',
    ports: { orchestrator: 0, custodian: 0, harness: 0 },
    script: '/script.json',
    env: { PATH: process.env.PATH, ...env },
    signal,
    onLine: (name, line) => void pids.set(name, Number(/"pid":(\d+)/.exec(line)?.[1])),
    find,
  });
  return stack;
}

describe('everything at once', () => {
  it('is told of one another, each with its own secret and no other', async () => {
    await up({ TURNWIRE_PORT: '4000', TURNWIRE_INSTANCE_TOKEN: 'secret', TURNWIRE_CONCURRENCY: '3' });
    const state = join(dir, 'state');
    const key = signingKey(state, () => expect.unreachable());
    const harness = given('turnwire-harness').given;
    const custodian = given('turnwire-custodian').given;
    const orchestrator = given('turnwire-orchestrator').given;

    expect(orchestrator).toMatchObject({
      TURNWIRE_WORKFLOWS: '/workflows',
      TURNWIRE_STATE_DIR: state,
      TURNWIRE_PLACEMENT: 'local',
    });
    expect(orchestrator.TURNWIRE_HARNESS_URL).toBe(`http://127.0.0.1:${harness.TURNWIRE_PORT}`);
    expect(custodian.TURNWIRE_ORCHESTRATOR_URL).toBe('http://turnwire-orchestrator.test');
    expect(harness).toMatchObject({
      TURNWIRE_CUSTODIAN_URL: 'http://turnwire-custodian.test',
      TURNWIRE_HARNESS_TOKEN_SHA256: harnessTokenDigest(key, 'local'),
      TURNWIRE_CONCURRENCY: '3',
      OPENAI_BASE_URL: 'http://turnwire-contract.test/v1',
      OPENAI_API_KEY: 'scripted',
    });

    const file = custodian.TURNWIRE_PLACEMENT_TOKEN_FILE ?? '';
    expect(readFileSync(file, 'utf8')).toBe(`${placementToken(key, 'local')}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // TW-TOK-012: the instance token reaches neither a Harness nor a Custodian.
    const foreign = JSON.stringify([harness, custodian]);
    expect(foreign).not.toContain(instanceToken(state));
    expect(foreign).not.toContain('"secret"');
  });

  it('asks the scripted model only where no key is set', async () => {
    const { model } = await up({ OPENAI_API_KEY: 'real', ANTHROPIC_API_KEY: 'also' });
    expect(model).toBeUndefined();
    expect(given('turnwire-harness').given).toMatchObject({ OPENAI_API_KEY: 'real', ANTHROPIC_API_KEY: 'also' });
    expect(given('turnwire-custodian').given).not.toHaveProperty('OPENAI_API_KEY');
  });

  it('gives the scripted model its script', async () => {
    const { model } = await up({});
    expect(model).toBe('http://turnwire-contract.test');
    expect(given('turnwire-contract').argv).toEqual(['model', '--script', '/script.json', '--port', '0']);
  });

  it('is drained from the Harness inwards', async () => {
    await (await up({})).stop();
    expect(readFileSync(join(dir, 'order'), 'utf8')).toBe(
      'turnwire-harness\nturnwire-custodian\nturnwire-orchestrator\nturnwire-contract\n',
    );
  });

  it('reports the one that ends by itself', async () => {
    const { died } = await up({});
    await expect.poll(() => pids.get('custodian')).toBeGreaterThan(0);
    process.kill(pids.get('custodian') ?? 0, 'SIGUSR2');
    expect(await died).toEqual({ name: 'custodian', exit: { code: 7, signal: null } });
  });

  it('leaves nothing behind when one does not come up', async () => {
    writeFileSync(
      join(dir, 'turnwire-harness.mjs'),
      `process.stderr.write('turnwire-harness: no\\n'); process.exit(2);`,
    );
    await expect(up({})).rejects.toThrow('harness did not start (exit 2): turnwire-harness: no');
    expect(readFileSync(join(dir, 'order'), 'utf8')).toBe(
      'turnwire-custodian\nturnwire-orchestrator\nturnwire-contract\n',
    );
  });

  it('is not started after Ctrl-C', async () => {
    await expect(up({}, AbortSignal.abort())).rejects.toThrow();
    expect(() => given('turnwire-contract')).toThrow();
  });
});

describe('the commands of other packages', () => {
  it('are found by their manifests', () =>
    expect(scriptOf(BINS.harness)).toMatch(/harness\/bin\/turnwire-harness\.js$/));

  it('that are missing are one line', () => {
    expect(() => scriptOf({ package: '@turnwire/nowhere', name: 'x' })).toThrow(
      '@turnwire/nowhere is not installed; run: npm install @turnwire/nowhere',
    );
    expect(() => scriptOf({ package: '@turnwire/harness', name: 'other' })).toThrow(
      /has no .*other\.js; install it again/,
    );
  });
});
