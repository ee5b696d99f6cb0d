import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureCategories } from '@turnwire/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AT, EXECUTION } from '../api/host.fixture.ts';
import { INSTANCE, type Serving, serveFake } from '../api/serving.fixture.ts';
import { type ExecutionRecord, HostRefusal } from '../host/port.ts';
import { type FakeIo, fakeIo } from './io.fixture.ts';
import { runCli } from './program.ts';

let dir: string;
let serving: Serving;
let io: FakeIo;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tw-cli-'));
  mkdirSync(join(dir, '.turnwire'));
  writeFileSync(join(dir, '.turnwire/instance.token'), `${INSTANCE}\n`, { mode: 0o600 });
  writeFileSync(join(dir, 'poem.txt'), 'Write a haiku.\n');
  writeFileSync(join(dir, 'numbers.json'), '[1, 2]');
  serving = await serveFake();
  io = fakeIo(dir);
});
afterEach(async () => {
  await serving.close();
  rmSync(dir, { recursive: true });
});

const cli = (...argv: string[]) => runCli([...argv, '--url', serving.url], io);
const called = (method: string) => serving.host.calls.filter(([name]) => name === method).map(([, ...given]) => given);

/** It stands so from one look to the next. */
function stands(...records: Partial<ExecutionRecord>[]): void {
  let looks = 0;
  serving.host.willExecute('read', async () => {
    const record = records[Math.min(looks, records.length - 1)];
    looks += 1;
    return { ...EXECUTION, ...record };
  });
}

const timeline = (...statuses: ExecutionRecord['status'][]) => ({
  status: statuses.at(-1) as ExecutionRecord['status'],
  timeline: statuses.map((status) => ({ status, at: AT })),
});
const succeeded = { ...timeline('queued', 'dispatching', 'running', 'succeeded'), result: 'five\nseven' };

describe('turnwire call', () => {
  it('tells what happens on standard error, and the result alone on standard output', async () => {
    const waiting = timeline('queued', 'dispatching', 'awaiting_restart');
    stands({}, waiting, succeeded);
    expect(await cli('call', 'laptop.reviewer', '--input', 'Write a haiku.', '--timeout', '90')).toBe(0);
    expect(io.stdout).toBe('five\nseven\n');
    expect(io.stderr.split('\n').slice(1)).toEqual([
      '03:04:05  queued',
      '03:04:05  sending it to the node',
      '03:04:05  the node does not take it now; waiting for it to come back',
      '',
    ]);
    expect(io.stderr).toContain(`turnwire executions exec_1 --url ${serving.url} shows it`);
    expect(called('executions.start')).toEqual([
      [{ target: 'laptop.reviewer', input: 'Write a haiku.', timeoutSeconds: 90 }, expect.any(String), undefined],
    ]);
  });

  it.each([
    ['{"a":1}', { a: 1 }],
    ['[1,', '[1,'],
    ['@poem.txt', 'Write a haiku.\n'],
    ['@numbers.json', [1, 2]],
    ['null', null],
  ])('takes --input %s', async (flag, input) => {
    expect(await cli('call', 'laptop.reviewer', '--input', flag, '--async')).toBe(0);
    expect(called('executions.start')[0]?.[0]).toEqual({ target: 'laptop.reviewer', input });
    expect(io.stdout).toBe('exec_1\n');
  });

  it.each(failureCategories)('says %s in words and ends with 1', async (category) => {
    const status = category === 'agent_timeout' ? 'timed_out' : category === 'cancelled' ? 'cancelled' : 'failed';
    stands({ ...timeline('queued', status), category, reason: 'because' });
    expect(await cli('call', 'laptop.reviewer')).toBe(1);
    expect(io.stderr).toMatch(new RegExp(`turnwire: exec_1 [a-z ]+ \\(${category}: [a-z].+\\): because\n$`));
    expect(io.stdout).toBe('');
  });

  it('prints JSON: what it accepted, or the record', async () => {
    expect(await cli('call', 'laptop.reviewer', '--async', '--json')).toBe(0);
    expect(JSON.parse(io.stdout)).toEqual({ executionId: 'exec_1', status: 'running' });
    io = fakeIo(dir);
    stands(succeeded);
    expect(await cli('call', 'laptop.reviewer', '--json')).toBe(0);
    expect(JSON.parse(io.stdout)).toMatchObject({ executionId: 'exec_1', status: 'succeeded', result: 'five\nseven' });
  });

  it.each([
    ['laptop', 2, /must be a node and an agent with one dot between them/],
    ['a.b.c', 2, /one dot/],
  ])('refuses the target %s', async (target, code, line) => {
    expect(await cli('call', target)).toBe(code);
    expect(io.stderr).toMatch(line);
    expect(called('executions.start')).toEqual([]);
  });

  it.each([
    ['target_not_found', 2, 'it has reviewer'],
    ['node_unavailable', 3, 'the node laptop is down'],
  ] as const)('says %s as the orchestrator does', async (code, exit, detail) => {
    serving.host.willExecute('start', async () => {
      throw new HostRefusal(code, detail);
    });
    expect(await cli('call', 'laptop.writer')).toBe(exit);
    expect(io.stderr).toBe(`turnwire: ${detail} (${code})\n`);
  });
});

describe('turnwire executions', () => {
  it('lists them, and shows one', async () => {
    stands({ ...succeeded, attempts: 2, instanceId: 'inst_1' });
    expect(await cli('executions')).toBe(0);
    expect(io.stdout).toBe(`exec_1  laptop.reviewer  running  ${AT}\n`);
    io = fakeIo(dir);
    expect(await cli('executions', 'exec_1')).toBe(0);
    expect(io.stdout).toContain('execution  exec_1, of laptop.reviewer\nstatus     succeeded\n');
    expect(io.stdout).toContain(`sent       2 times\nprocess    inst_1\ntimeline   ${AT}  queued\n`);
    expect(io.stdout).toContain('result\n  five\\nseven\n');
  });

  it('cancels one, or asks it again', async () => {
    expect(await cli('executions', 'exec_1', '--cancel', '--reason', 'enough')).toBe(0);
    expect(called('executions.cancel')).toEqual([['exec_1', 'enough']]);
    expect(await cli('executions', 'exec_1', '--replay')).toBe(0);
    expect(io.stdout).toBe('cancelled exec_1\nexec_1\n');
    expect(await cli('executions', '--cancel')).toBe(2);
    expect(await cli('executions', 'exec_none')).toBe(2);
    expect(io.stderr).toContain('there is no execution exec_none (unknown_execution)');
  });
});
