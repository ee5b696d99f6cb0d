/** What `status` and `logs` show of a run, through the real SDK and real sockets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AT, GATE, RUN, snapshot } from '../api/host.fixture.ts';
import { INSTANCE, type Serving, serveFake } from '../api/serving.fixture.ts';
import type { RunView } from '../host/port.ts';
import { type FakeIo, fakeIo } from './io.fixture.ts';
import { runCli } from './program.ts';

let dir: string;
let serving: Serving;
let io: FakeIo;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tw-cli-'));
  mkdirSync(join(dir, 'my state'));
  writeFileSync(join(dir, 'my state/instance.token'), `${INSTANCE}\n`, { mode: 0o600 });
  serving = await serveFake();
  writeFileSync(join(dir, 'my state/orchestrator.url'), `${serving.url}\n1\n`);
  io = fakeIo(dir);
});
afterEach(async () => {
  await serving.close();
  rmSync(dir, { recursive: true });
});

const cli = (...argv: string[]) => runCli([...argv, '--state-dir', 'my state'], io);
const runIs = (more: Partial<RunView>) => serving.host.will('run', () => Promise.resolve({ ...RUN, ...more }));

const AT_GATE: Partial<RunView> = {
  context: { title: 'Retry', diff: `--- a\n+++ b\n${'x'.repeat(9_000)}` },
  gates: [{ ...GATE, meta: { title: 'Retry', note: 'an \u001b[31magent\u001b[0m wrote this' } }],
};
const FAILED: Partial<RunView> = {
  status: 'cancelled',
  reason: 'too late',
  gates: [],
  executions: [
    {
      executionId: 'exec_1',
      agent: 'reviewer',
      status: 'failed',
      category: 'agent_error',
      reason: 'the key was refused',
      startedAt: AT,
      endedAt: '2026-01-02T03:04:09.000Z',
    },
  ],
  endedAt: '2026-01-02T03:04:10.000Z',
};
const clock = (at: string) => new Date(at).toTimeString().slice(0, 8);

describe('turnwire status', () => {
  it('cuts a long context, shows what a gate is about, and how to answer it from here', async () => {
    runIs(AT_GATE);
    expect(await cli('status', 'run_1')).toBe(0);
    expect(io.stdout).toContain(
      `context   title  Retry\n          diff   --- a\\n+++ b\\n${'x'.repeat(148)}… (9012 characters)\n`,
    );
    expect(io.stdout).toContain(
      [
        `gate      merge_decision waits since ${AT}`,
        '          title  Retry',
        '          note   an \\u001b[31magent\\u001b[0m wrote this',
        '          answer it with',
        `          turnwire send run_1 merge_decision merge --state-dir 'my state'`,
        '',
      ].join('\n'),
    );
  });

  it('has the whole of it with --json', async () => {
    runIs(AT_GATE);
    expect(await cli('status', 'run_1', '--json')).toBe(0);
    expect(JSON.parse(io.stdout)).toEqual({ ...RUN, ...AT_GATE });
  });

  it('says why an agent failed and why the run was cancelled', async () => {
    runIs(FAILED);
    expect(await cli('status', 'run_1')).toBe(0);
    expect(io.stdout).toContain('status    cancelled: too late\n');
    expect(io.stdout).toContain('agent     reviewer failed (agent_error): the key was refused [exec_1]\n');
  });
});

describe('turnwire logs', () => {
  it('tells what is kept of an ended run, with its times', async () => {
    runIs(FAILED);
    expect(await cli('logs', 'run_1')).toBe(0);
    expect(io.stdout).toBe(
      [
        `run_1 of review, started ${AT}`,
        `${clock(AT)}  agent reviewer began`,
        `${clock('2026-01-02T03:04:09Z')}  agent reviewer failed (agent_error): the key was refused`,
        `${clock('2026-01-02T03:04:10Z')}  run_1 is cancelled in reviewing.waiting: too late`,
        '',
      ].join('\n'),
    );
  });

  it('says how to follow one that goes on', async () => {
    expect(await cli('logs', 'run_1')).toBe(0);
    expect(io.stdout).toMatch(
      /\n {10}run_1 is active in reviewing\.waiting\nit goes on; follow it with: turnwire logs run_1 -f --state-dir 'my state'\n$/,
    );
    expect(serving.host.calls.filter(([method]) => method === 'feed')).toEqual([]);
  });

  it('says with -f why an agent failed', async () => {
    const [failed] = FAILED.executions ?? [];
    serving.host.will('feed', async function* feed() {
      yield snapshot();
      yield { id: '2', type: 'execution.failed', at: AT, runId: 'run_1', data: { ...failed, runId: 'run_1' } as never };
      const data = { workflow: 'review', status: 'cancelled', value: 'x', reason: 'too late' };
      yield { id: '3', type: 'run.status', at: AT, runId: 'run_1', data };
    });
    expect(await cli('logs', 'run_1', '-f')).toBe(0);
    expect(io.stdout).toContain(`${clock(AT)}  agent reviewer failed (agent_error): the key was refused\n`);
    expect(io.stdout).toContain(`${clock(AT)}  run is cancelled in x: too late\n`);
  });
});
