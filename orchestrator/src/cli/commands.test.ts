import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AT, GATE, RUN, snapshot } from '../api/host.fixture.ts';
import { INSTANCE, LOCAL, type Serving, serveFake } from '../api/serving.fixture.ts';
import { type FeedEvent, HostRefusal, type RunView } from '../host/port.ts';
import { type FakeIo, fakeIo } from './io.fixture.ts';
import { runCli } from './program.ts';

let dir: string;
let serving: Serving;
let io: FakeIo;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tw-cli-'));
  mkdirSync(join(dir, '.turnwire'));
  writeFileSync(join(dir, '.turnwire/instance.token'), `${INSTANCE}\n`, { mode: 0o600 });
  writeFileSync(join(dir, 'change.diff'), '--- a\n+++ b\n');
  serving = await serveFake();
  io = fakeIo(dir);
});
afterEach(async () => {
  await serving.close();
  rmSync(dir, { recursive: true });
});

/** Runs the command against the fake orchestrator, through the real SDK and real sockets. */
const cli = (...argv: string[]) => runCli([...argv, '--url', serving.url], io);
const json = () => JSON.parse(io.stdout) as unknown;
const called = (method: string) => serving.host.calls.filter(([name]) => name === method).map(([, ...given]) => given);

const ended = (status: RunView['status'], more: Partial<RunView> = {}): RunView => ({
  ...RUN,
  status,
  gates: [],
  endedAt: AT,
  ...more,
});

/** The run is active in the feed's snapshot, and ends as told. */
function runEndsAs(run: RunView, frames: FeedEvent[] = []): void {
  serving.host.will('run', () => Promise.resolve(run));
  serving.host.will('feed', async function* feed() {
    yield snapshot();
    yield* frames;
    const { workflow, status, value } = run;
    yield { id: '99', type: 'run.status', at: AT, runId: run.runId, data: { workflow, status, value } };
  });
}

describe('turnwire run', () => {
  const review = ['run', 'review', '--input', '@change.diff', '--title', 'T'];

  it('starts a run on a diff and a title, shows what happens, and is 0 when it is done', async () => {
    const opened = {
      id: '2',
      type: 'gate.opened',
      at: AT,
      runId: 'run_1',
      data: { gate: { ...GATE, gateId: 'gate_2' } as never },
    };
    runEndsAs(ended('done', { output: { merged: true } }), [opened]);
    expect(await cli(...review)).toBe(0);
    expect(called('start')).toEqual([
      ['review', { title: 'T', diff: '--- a\n+++ b\n' }, expect.any(String), undefined],
    ]);
    expect(io.stdout).toMatch(
      `run_1 started; Ctrl-C leaves it running, and turnwire logs run_1 -f --url ${serving.url} follows it again\n`,
    );
    expect(io.stdout).toContain('          run_1 is active in reviewing.waiting\n');
    expect(io.stdout).toContain(`turnwire send run_1 merge_decision merge --url ${serving.url}\n`);
    expect(io.stdout).toMatch(/done: \{"merged":true\}\n$/);
    expect(io.stderr).toBe('');
  });

  it.each<[RunView['status'], string]>([
    ['error', 'run_1 is error: no_signal in reviewing: why'],
    ['cancelled', 'run_1 is cancelled'],
  ])('is 1 when the run ends %s', async (status, line) => {
    runEndsAs(
      ended(status, status === 'error' ? { fault: { code: 'no_signal', state: 'reviewing', reason: 'why' } } : {}),
    );
    expect(await cli(...review)).toBe(1);
    expect(io.stderr).toBe(`turnwire: ${line}\n`);
  });

  it('is 1 when the run has drifted, which nothing ends', async () => {
    serving.host.will('run', () => Promise.resolve(ended('drifted')));
    serving.host.will('feed', async function* feed(_runId, signal) {
      yield { ...snapshot(), data: { runs: [{ ...RUN, status: 'drifted' }] as never } };
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    });
    expect(await cli(...review)).toBe(1);
    expect(io.stderr).toContain('is drifted');
  });

  it('leaves with the runId under --detach', async () => {
    expect(await cli(...review, '--detach')).toBe(0);
    expect(io.stdout).toBe('run_1\n');
    expect(called('feed')).toEqual([]);
  });

  it('prints JSON: the runId, or every frame and last the run', async () => {
    expect(await cli(...review, '--detach', '--json')).toBe(0);
    expect(json()).toEqual({ runId: 'run_1' });
    io = fakeIo(dir);
    runEndsAs(ended('done'));
    expect(await cli(...review, '--json')).toBe(0);
    const lines = io.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ event, runId }) => event ?? runId)).toEqual(['snapshot', 'run.status', 'run_1']);
  });

  it('goes on when the orchestrator comes back', async () => {
    let opened = 0;
    serving.host.will('feed', async function* feed() {
      yield snapshot();
      if (++opened === 1) return;
      yield {
        id: '9',
        type: 'run.status',
        at: AT,
        runId: 'run_1',
        data: { workflow: 'review', status: 'done', value: 'merged' },
      };
    });
    serving.host.will('run', () => Promise.resolve(ended('done')));
    expect(await cli(...review)).toBe(0);
    expect(opened).toBe(2);
    expect(io.stderr).toMatch(
      /^turnwire: lost the orchestrator \(its feed was cut\); looking for it\nturnwire: the orchestrator is back\n$/,
    );
  });

  it('leaves the run alone at Ctrl-C', async () => {
    serving.host.will('feed', async function* feed(_runId, signal) {
      yield snapshot();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    });
    const running = cli(...review);
    await expect.poll(() => io.stdout).toContain('is active');
    io.interrupt();
    expect(await running).toBe(130);
    expect(called('cancel')).toEqual([]);
  });

  it.each<[string, string[], RegExp]>([
    [
      'an unreadable file',
      ['run', 'review', '--input', '@nowhere.diff', '--title', 'T'],
      /^turnwire: nowhere\.diff cannot be read \(ENOENT\); .*\n$/,
    ],
    ['invalid JSON', ['run', 'review', '--input', '{'], /^turnwire: --input is not JSON: .*\n$/],
    [
      'an unknown workflow',
      ['run', 'nope', '--input', '@change.diff'],
      /^turnwire: there is no workflow nope; there are: review, broken \(refused\)\n$/,
    ],
    [
      'a refused workflow',
      ['run', 'broken', '--input', '@change.diff'],
      /^turnwire: the workflow broken is refused: broken: state coding has no .*; add one\n$/,
    ],
    ['no workflow', ['run'], /^turnwire: missing required argument 'WORKFLOW'\n$/],
    ['a name that is none', ['run', 'a/b'], /^turnwire: .*'a\/b'.*1 to 128.*\n$/],
    ['an unknown option', ['run', 'review', '--nope'], /^turnwire: unknown option '--nope'\n$/],
  ])('is 2 with one line for %s', async (_name, argv, line) => {
    expect(await cli(...argv)).toBe(2);
    expect(io.stderr).toMatch(line);
    expect(io.stdout).toBe('');
    expect(called('start')).toEqual([]);
  });

  it('is 2 with each problem of a wrong input and its path', async () => {
    const problems = [
      { path: '/title', message: 'Invalid input: expected string, received undefined' },
      { path: '/comments/0/file', message: 'must be string' },
    ];
    serving.host.will('start', () => Promise.reject(new HostRefusal('invalid', 'wrong', { problems })));
    expect(await cli('run', 'review', '--input', '{}')).toBe(2);
    expect(io.stderr).toBe('turnwire: invalid: title is missing; comments.0.file: must be string\n');
  });
});

describe('turnwire runs, status, logs', () => {
  it('lists', async () => {
    expect(await cli('runs', '--workflow', 'review', '--status', 'active', '--limit', '3', '--cursor', 'c')).toBe(0);
    expect(io.stdout).toBe(`run_1  review  active  ${AT}  waits for merge_decision\n`);
    expect(called('runs')).toEqual([[{ workflow: 'review', status: 'active', limit: 3, cursor: 'c' }]]);
  });

  it('says that there is none, and that there is more', async () => {
    serving.host.will('runs', () => Promise.resolve({ items: [] }));
    await cli('runs');
    serving.host.will('runs', () =>
      Promise.resolve({ items: [ended('done', { value: { a: 'x', b: { c: 'y' } } })], nextCursor: 'next' }),
    );
    await cli('runs', '--status', 'done', '--limit', '1', '--workflow', 'review', '--cursor', 'this');
    const more = `turnwire runs --cursor next --url ${serving.url} --workflow review --status done --limit 1`;
    expect(io.stdout).toBe(`no runs\nrun_1  review  done  ${AT}  a.x + b.c.y\nmore: ${more}\n`);
  });

  describe('runs that are only a call', () => {
    const call = (runId: string) => ({ ...RUN, runId, workflow: 'turnwire.call', gates: [] });
    /** Pages of the list, each named by its cursor. */
    const pages = (given: Record<string, { items: (typeof RUN)[]; nextCursor?: string }>) =>
      serving.host.will('runs', ({ cursor = 'first' }) => Promise.resolve(given[cursor] ?? { items: [] }));
    const ids = () => io.stdout.split('\n').flatMap((line) => /^\w+_\d/.exec(line) ?? []);

    it('are left out, and the list is as long as was asked for all the same', async () => {
      pages({
        first: { items: [call('call_1'), RUN], nextCursor: 'second' },
        second: { items: [{ ...RUN, runId: 'run_2' }], nextCursor: 'third' },
      });
      expect(await cli('runs', '--limit', '2')).toBe(0);
      expect(ids()).toEqual(['run_1', 'run_2']);
      expect(called('runs')).toEqual([[{ limit: 2 }], [{ limit: 1, cursor: 'second' }]]);
      expect(io.stdout).toContain(`1 call left out: turnwire executions --url ${serving.url}\nmore: `);
    });

    it.each([['--all'], ['--workflow', 'turnwire.call']])('are listed with %s', async (...more) => {
      pages({ first: { items: [call('call_1'), RUN], nextCursor: 'second' }, second: { items: [] } });
      await cli('runs', ...more, '--limit', '2');
      expect(ids()).toEqual(['call_1', 'run_1']);
      expect(io.stdout).toMatch(/--all$|--all\n|--workflow turnwire.call/m);
    });

    it('do not keep it looking for ever', async () => {
      pages({
        first: { items: [call('call_1')], nextCursor: 'again' },
        again: { items: [call('call_2')], nextCursor: 'again' },
      });
      await cli('runs', '--json');
      expect(JSON.parse(io.stdout)).toEqual({ items: [], nextCursor: 'again' });
      expect(called('runs')).toHaveLength(20);
    });
  });

  it('shows one run with its gate and how to answer it', async () => {
    expect(await cli('status', 'run_1')).toBe(0);
    expect(io.stdout).toContain('state     reviewing.waiting');
    expect(io.stdout).toContain('turnwire send run_1 merge_decision merge');
  });

  it('shows how one ended', async () => {
    serving.host.will('run', () =>
      Promise.resolve(ended('error', { fault: { code: 'runaway', reason: 'too many' }, output: 1 })),
    );
    await cli('status', 'run_1');
    expect(io.stdout).toContain(`ended     ${AT}\nfault     runaway: too many\n`);
    expect(io.stdout).toContain('output    1\n');
  });

  it('follows', async () => {
    runEndsAs(RUN);
    serving.host.will('run', () => Promise.resolve(ended('cancelled')));
    runEndsAs(ended('cancelled'));
    expect(await cli('logs', 'run_1', '-f')).toBe(0);
    expect(io.stdout).toContain('run is cancelled');
  });

  it.each<[string[], unknown]>([
    [['runs'], { items: [RUN] }],
    [['status', 'run_1'], RUN],
    [['logs', 'run_1'], RUN],
    [['send', 'run_1', 'merge_decision', 'merge'], { ok: true, moved: true }],
    [['cancel', 'run_1'], { ok: true }],
  ])('%j is JSON with --json', async (argv, expected) => {
    expect(await cli(...argv, '--json')).toBe(0);
    expect(json()).toEqual(expected);
  });

  it.each([['status'], ['logs'], ['cancel']])('%s of an unknown run is 2', async (command) => {
    serving.host.will('cancel', () => Promise.reject(new HostRefusal('unknown_run', 'there is no run run_2')));
    expect(await cli(command, 'run_2')).toBe(2);
    expect(io.stderr).toBe('turnwire: there is no run run_2 (unknown_run)\n');
  });
});

describe('turnwire send and cancel', () => {
  it('answers a gate', async () => {
    writeFileSync(join(dir, 'answer.json'), '{"reason":"r"}');
    expect(await cli('send', 'run_1', 'merge_decision', 'merge')).toBe(0);
    expect(await cli('send', 'run_1', 'gate_1', 'decline', '{"reason":"r"}')).toBe(0);
    expect(await cli('send', 'run_1', 'gate_1', 'decline', '@answer.json')).toBe(0);
    expect(called('answerGate').map((given) => given.slice(0, 4))).toEqual([
      ['run_1', 'merge_decision', 'merge', {}],
      ['run_1', 'gate_1', 'decline', { reason: 'r' }],
      ['run_1', 'gate_1', 'decline', { reason: 'r' }],
    ]);
    expect(io.stdout).toContain('merge was taken');
  });

  it('says when nothing moved', async () => {
    serving.host.will('answerGate', () => Promise.resolve({ moved: false, replayed: false }));
    expect(await cli('send', 'run_1', 'merge_decision', 'merge')).toBe(0);
    expect(io.stdout).toBe('merge was received, and no transition took it\n');
  });

  it('cancels with a reason', async () => {
    expect(await cli('cancel', 'run_1', '--reason', 'late')).toBe(0);
    expect(called('cancel')).toEqual([['run_1', 'late']]);
  });

  it.each<[string, string[], HostRefusal | undefined, RegExp]>([
    [
      'a closed gate',
      ['send', 'run_1', 'g', 'merge'],
      new HostRefusal('gate_closed', 'g is not open', { openGates: [] }),
      /^turnwire: g is not open \(gate_closed\); no gate of this run is open\n$/,
    ],
    [
      'a wrong answer',
      ['send', 'run_1', 'g', 'merge'],
      new HostRefusal('refused', 'no', {
        problems: [{ path: '/event', message: 'is not taken' }],
        accepts: [...GATE.accepts, { name: 'decline', input: {} }],
      }),
      /^turnwire: refused: event: is not taken; it accepts: merge, decline\n$/,
    ],
    [
      'a wrong input',
      ['send', 'run_1', 'g', 'decline'],
      new HostRefusal('refused', 'no', {
        problems: [{ path: '/reason', message: 'is required' }],
        accepts: [...GATE.accepts],
      }),
      /^turnwire: refused: reason is missing\n$/,
    ],
    [
      'a gate that is not the open one',
      ['send', 'run_1', 'g', 'merge'],
      new HostRefusal('gate_closed', 'g is not open', { openGates: [GATE] }),
      /^turnwire: g is not open \(gate_closed\); open: merge_decision \(merge\)\n$/,
    ],
    ['invalid JSON', ['send', 'run_1', 'g', 'merge', '{'], undefined, /^turnwire: the input \{ is not JSON: .*\n$/],
    [
      'an empty name',
      ['send', 'run_1', '', 'merge'],
      undefined,
      /^turnwire: .*It must be a name of 1 to 256 characters\.\n$/,
    ],
    [
      'an ended run',
      ['cancel', 'run_1'],
      new HostRefusal('already_ended', 'run_1 is done'),
      /^turnwire: run_1 is done \(already_ended\)\n$/,
    ],
  ])('is 2 with one line for %s', async (_name, argv, refusal, line) => {
    if (refusal) {
      serving.host.will('answerGate', () => Promise.reject(refusal));
      serving.host.will('cancel', () => Promise.reject(refusal));
    }
    expect(await cli(...argv)).toBe(2);
    expect(io.stderr).toMatch(line);
  });
});

describe('the way to the orchestrator', () => {
  it('is 3 with one line when there is none', async () => {
    await serving.close();
    expect(await cli('runs')).toBe(3);
    expect(io.stderr).toMatch(
      /^turnwire: cannot reach the orchestrator at http:\/\/127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\); start it with `turnwire dev`.*\n$/,
    );
  });

  it('is 3 when it is stopping', async () => {
    serving.service.stop();
    expect(await cli('runs')).toBe(3);
    expect(io.stderr).toMatch(/^turnwire: the orchestrator at .* is not ready: .* \(503 stopping\)\n$/);
  });

  it.each([
    ['a wrong token', 'wrong', /refused the instance token \(unauthorized\)/],
    ['a token of another kind', LOCAL, /refused the instance token \(forbidden\)/],
    ['a token that is none', 'two words', /holds a space or a character that no token has/],
  ])('is 2 with %s, which is not repeated', async (_name, token, line) => {
    expect(await cli('runs', '--instance-token', token)).toBe(2);
    expect(io.stderr).toMatch(line);
    expect(io.stderr).not.toContain(token);
  });

  it('is 2 without a token', async () => {
    rmSync(join(dir, '.turnwire/instance.token'));
    expect(await cli('runs')).toBe(2);
    expect(io.stderr).toMatch(
      /^turnwire: no instance token: .*instance\.token is missing; start everything in this folder with `turnwire dev`, or .* set TURNWIRE_INSTANCE_TOKEN, or --state-dir .*\n$/,
    );
  });

  it('is 2 with a token file that others can read', async () => {
    rmSync(join(dir, '.turnwire/instance.token'));
    writeFileSync(join(dir, '.turnwire/instance.token'), INSTANCE, { mode: 0o644 });
    expect(await cli('runs')).toBe(2);
    expect(io.stderr).toMatch(/can be read by others \(mode 0644\); run: chmod 600/);
  });

  it('is found through the state dir of turnwire dev', async () => {
    writeFileSync(join(dir, '.turnwire/orchestrator.url'), `${serving.url}\n4711\n`);
    expect(await runCli(['runs'], io)).toBe(0);
  });

  it('is 2 with a URL that is none', async () => {
    expect(await runCli(['runs', '--url', 'nope'], io)).toBe(2);
    expect(io.stderr).toMatch(/^turnwire: .*'nope'.*\n$/);
  });
});

describe('the program', () => {
  it.each([[['--help']], [['--version']], [['run', '--help']]])('%j is 0', async (argv) => {
    expect(await runCli(argv, io)).toBe(0);
    expect(io.stdout).not.toBe('');
  });

  it.each([
    [['nope']],
    [[]],
    [['runs', '--status', 'odd']],
    [['runs', '--limit', '0']],
    [['runs', '--workflow', '']],
    [['runs', '--cursor', '']],
    [['executions', '--cursor', '']],
    [['cancel', 'run_1', '--reason', '']],
    [['executions', 'exec_1', '--cancel', '--reason', ' ']],
  ])('%j is 2', async (argv) => {
    expect(await runCli(argv, io)).toBe(2);
  });
});
