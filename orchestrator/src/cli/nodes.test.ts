import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AT } from '../api/host.fixture.ts';
import { INSTANCE, type Serving, serveFake } from '../api/serving.fixture.ts';
import { registration } from '../nodes/nodes.fixture.ts';
import { type FakeIo, fakeIo } from './io.fixture.ts';
import { runCli } from './program.ts';

let dir: string;
let serving: Serving;
let io: FakeIo;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tw-cli-'));
  mkdirSync(join(dir, '.turnwire'));
  writeFileSync(join(dir, '.turnwire/instance.token'), `${INSTANCE}\n`, { mode: 0o600 });
  serving = await serveFake();
  io = fakeIo(dir);
});
afterEach(async () => {
  await serving.close();
  rmSync(dir, { recursive: true });
});

const cli = (...argv: string[]) => runCli(['nodes', ...argv, '--url', serving.url], io);
const agents = [{ name: 'reviewer', description: 'Reviews a change.' }, { name: 'writer' }];

async function someNodes() {
  const { nodes } = serving.host;
  await nodes.register('laptop', registration({ agents, version: '2', store: 's1' }));
  await nodes.heartbeat('laptop', 'inst_1', 'draining');
  await nodes.register('pi', registration({ agents: [] }));
  const { instanceId, moves } = nodes.get('pi') ?? { instanceId: '', moves: 0 };
  await nodes.demote('pi', { instanceId, moves });
  await nodes.register('cloud', registration({ deployment: 'serverless', baseUrl: 'https://cloud.example' }));
}

describe('turnwire nodes', () => {
  it('lists those that are registered, and says when there is none', async () => {
    expect(await cli()).toBe(0);
    await someNodes();
    expect(await cli()).toBe(0);
    expect(io.stdout.split('\n')).toEqual([
      'no node has registered',
      'cloud   serverless                               https://cloud.example  reviewer',
      'laptop  healthy, draining                        http://127.0.0.1:8080  reviewer, writer',
      `pi      inactive since ${AT}  http://127.0.0.1:8080  no agents`,
      `more of one: turnwire nodes cloud --url ${serving.url}`,
      '',
    ]);
  });

  it('shows one', async () => {
    await someNodes();
    expect(await cli('laptop')).toBe(0);
    expect(io.stdout).toBe(
      [
        'node       laptop',
        'health     healthy, draining',
        'lifecycle  draining',
        `heartbeat  ${AT}`,
        'address    http://127.0.0.1:8080',
        `instance   inst_1, since ${AT}`,
        'version    2',
        'store      s1',
        'can        idempotentAdmissions, fencedAbort, submissionStreams',
        'agents     reviewer: Reviews a change.',
        '           writer\n',
      ].join('\n'),
    );
    await cli('pi');
    expect(io.stdout).toContain('heartbeat  none yet');
    expect(io.stdout).toContain('agents     none');
  });

  it('prints what the API says with --json', async () => {
    await someNodes();
    await cli('laptop', '--json');
    expect(JSON.parse(io.stdout)).toMatchObject({ nodeId: 'laptop', health: 'healthy', lastHeartbeatAt: AT });
  });

  it('TW-NOD-020: removes one, and is 2 for one that is not there', async () => {
    await someNodes();
    expect(await cli('pi', '--remove')).toBe(0);
    expect(io.stdout).toBe('removed pi\n');
    expect(serving.host.nodes.get('pi')).toBeUndefined();
    expect(await cli('pi', '--remove')).toBe(2);
    expect(await cli('pi')).toBe(2);
    expect(io.stderr).toContain('turnwire: no node pi is registered (unknown_node)\n');
    expect(await cli('--remove')).toBe(2);
    expect(await cli('a/b')).toBe(2);
  });

  it('is 3 when the orchestrator cannot be reached', async () => {
    await serving.close();
    expect(await runCli(['nodes', '--url', 'http://127.0.0.1:9'], io)).toBe(3);
    serving = await serveFake();
  });
});
