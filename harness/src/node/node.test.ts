/** A real Harness process that is a node, and what arrives at the registry. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFINITION, temporaryFolder, until } from '../testing/harness-fixture.ts';
import { HarnessProcess } from '../testing/harness-process.ts';
import { Peers } from '../testing/peers.ts';

let folder: string;
let peers: Peers;
let env: Record<string, string>;
let started: HarnessProcess[];
beforeEach(async () => {
  folder = temporaryFolder();
  started = [];
  peers = new Peers();
  const url = await peers.start();
  env = {
    TURNWIRE_CUSTODIAN_URL: url,
    TURNWIRE_NODE_ID: 'desk',
    TURNWIRE_LINGER: '0',
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'none',
  };
});
afterEach(async () => {
  for (const harness of started) harness.kill('SIGKILL');
  await Promise.all(started.map(({ exit }) => exit));
  peers.close();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(more: Record<string, string> = {}): Promise<HarnessProcess> {
  const harness = HarnessProcess.serve(join(folder, 'data'), { ...env, ...more });
  started.push(harness);
  await until(() => harness.ready(), `a Harness that is ready: ${harness.stderr}`);
  return harness;
}
const words = (): string[] => peers.said.map(({ what }) => what);
const heard = (what: string, times = 1) =>
  until(() => words().filter((word) => word === what).length >= times, `${times} × ${what} in ${words()}`);
const admit = async (harness: HarnessProcess, iid: string): Promise<number> =>
  (await harness.call('POST', `/agents/coder/${iid}`, { message: 'go', definition: DEFINITION })).status;
const linesOf = ({ stderr }: HarnessProcess, msg: string): Record<string, unknown>[] =>
  stderr
    .split('\n')
    .filter((line) => line.includes(msg))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a node', { timeout: 60_000 }, () => {
  it('says where it is and what it has, heartbeats, and says that it drains before it goes (TW-NOD-003, TW-NOD-022, TW-NOD-023)', async () => {
    const output = { type: 'object', required: ['ok'] };
    const coder = { model: 'openai/any', instructions: 'Secret ways.', description: 'Writes code.', output };
    writeFileSync(join(folder, 'agents.json'), JSON.stringify({ agents: { coder, other: { ...DEFINITION } } }));
    const harness = await serve({ TURNWIRE_AGENTS_FILE: join(folder, 'agents.json') });
    await heard('ready', 2);
    const [registration] = peers.said;
    const info = (await (await harness.call('GET', '/.well-known/turnwire')).json()) as Record<string, unknown>;
    expect(registration?.body).toEqual({
      baseUrl: harness.url,
      instanceId: expect.stringMatching(/^[\x21-\x7e]{1,128}$/),
      agents: [{ name: 'coder', description: 'Writes code.', output }, { name: 'other' }],
      deployment: 'resident',
      version: (info.software as { version: string }).version,
      store: info.store,
      capabilities: info.capabilities,
    });
    const ready = peers.said.filter(({ what }) => what === 'ready');
    expect((ready[1]?.at ?? 0) - (ready[0]?.at ?? 0)).toBeGreaterThan(900);
    harness.kill('SIGTERM');
    expect(await harness.exit).toBe(0);
    expect(words()[0]).toBe('register');
    expect(words().at(-1)).toBe('draining');
    expect(new Set(peers.said.map(({ instanceId }) => instanceId)).size).toBe(1);
  });

  it('is another instance in each process, at another address (TW-NOD-006)', async () => {
    const first = await serve();
    await heard('ready');
    first.kill('SIGKILL');
    await first.exit;
    const second = await serve();
    await heard('register', 2);
    const [one, two] = peers.said.filter(({ what }) => what === 'register');
    expect(one?.instanceId).not.toBe(two?.instanceId);
    expect([one?.body.baseUrl, two?.body.baseUrl]).toEqual([first.url, second.url]);
    expect(one?.body.store).toBe(two?.body.store);
  });

  it('does not take the place of the process whose folder it waits for', async () => {
    const first = await serve();
    await heard('ready');
    const second = HarnessProcess.serve(join(folder, 'data'), env);
    started.push(second);
    await until(() => second.stderr.includes('waiting for the process'), 'the second to wait');
    await heard('ready', 3);
    expect(words().filter((word) => word === 'register').length).toBe(1);
    first.kill('SIGTERM');
    await heard('register', 2);
    // It is heard as draining to its end, and the other one after that.
    expect(words().lastIndexOf('draining')).toBeLessThan(words().lastIndexOf('register'));
    await first.exit;
  });

  it('that drains heartbeats as draining as long as its turn runs, whoever has taken its place (TW-NOD-023)', async () => {
    peers.modelAnswers = false;
    const harness = await serve();
    await heard('ready');
    expect(await admit(harness, 'one')).toBe(202);
    await until(() => peers.asked.length === 1, 'the model call');
    harness.kill('SIGTERM');
    await heard('draining');
    peers.heartbeatProblem = { status: 409, code: 'stale_instance' };
    await heard('draining', 3);
    expect(harness.stderr).not.toContain('another process has registered');
    expect(words().filter((word) => word === 'register').length).toBe(1);
    peers.answerModel();
    expect(await harness.exit).toBe(0);
  });

  it('registers again when it is not known any more (TW-NOD-007)', async () => {
    const harness = await serve();
    await heard('ready');
    peers.heartbeatProblem = { status: 404, code: 'unknown_node' };
    await heard('register', 2);
    peers.heartbeatProblem = undefined;
    const before = peers.said.length;
    await until(() => peers.said.slice(before).some(({ what }) => what === 'ready'), 'a heartbeat after that');
    expect(linesOf(harness, 'does not know this node any more').length).toBe(1);
    expect(new Set(peers.said.map(({ instanceId }) => instanceId)).size).toBe(1);
  });

  it('whose place was taken says so once and goes on with what it has (TW-NOD-008)', async () => {
    const harness = await serve();
    await heard('ready');
    peers.heartbeatProblem = { status: 409, code: 'stale_instance' };
    await heard('ready', 4);
    expect(words().filter((word) => word === 'register').length).toBe(1);
    expect(linesOf(harness, 'another process has registered as this node')).toMatchObject([
      { level: 50, nodeId: 'desk', baseUrl: harness.url },
    ]);
    expect(await admit(harness, 'one')).toBe(202);
    peers.heartbeatProblem = { status: 409, code: 'stale_instance', members: { health: 'inactive' } };
    await heard('register', 2);
  });

  it('serves without a registry, and registers when there is one', async () => {
    peers.registerProblem = { status: 503, code: 'run_unavailable' };
    const harness = await serve();
    expect(await admit(harness, 'one')).toBe(202);
    await heard('register', 3);
    peers.registerProblem = undefined;
    await heard('ready');
    expect(linesOf(harness, 'turnwire.routability seat=register')).toMatchObject([{ seat: 'register', ok: true }]);
  });

  it('that is refused says why, once, and serves', async () => {
    const problems = [{ path: '/agents/0/output', message: 'is no JSON Schema' }];
    peers.registerProblem = { status: 422, code: 'invalid', members: { problems } };
    const harness = await serve();
    await until(() => harness.stderr.includes('it is refused as a node'), 'the line');
    expect(linesOf(harness, 'it is refused as a node')).toMatchObject([
      { level: 50, msg: expect.stringMatching(/invalid.*\/agents\/0\/output is no JSON Schema/) },
    ]);
    expect(await admit(harness, 'one')).toBe(202);
    harness.kill('SIGTERM');
    expect(await harness.exit).toBe(0);
    expect(words()).toEqual(['register']);
  });

  it('of another name than its Custodian says so', async () => {
    const harness = await serve({ TURNWIRE_NODE_ID: 'other' });
    await until(() => harness.stderr.includes('it is refused as a node'), 'the line');
    expect(linesOf(harness, 'it is refused as a node')[0]?.msg).toMatch(/no_route/);
  });

  it('advertises the address that it is given, and is serverless when it is said to be (TW-NOD-017)', async () => {
    const harness = await serve({ TURNWIRE_PUBLIC_URL: 'https://desk.example/', TURNWIRE_DEPLOYMENT: 'serverless' });
    await heard('register');
    expect(peers.said[0]?.body).toMatchObject({ baseUrl: 'https://desk.example', deployment: 'serverless' });
    await until(() => harness.stderr.includes('"registered"'), 'its line');
    harness.kill('SIGTERM');
    expect(await harness.exit).toBe(0);
    expect(words()).toEqual(['register']);
  });

  it('has no agent with a dot in its name: one clear line, exit 2', async () => {
    writeFileSync(join(folder, 'agents.json'), JSON.stringify({ agents: { 'a.b': DEFINITION } }));
    const harness = HarnessProcess.serve(join(folder, 'data'), {
      ...env,
      TURNWIRE_AGENTS_FILE: join(folder, 'agents.json'),
    });
    started.push(harness);
    expect(await harness.exit).toBe(2);
    expect(harness.stderr).toMatch(/^turnwire-harness: the agent a\.b of a node must have no dot in its name[^\n]*\n$/);
  });
});
