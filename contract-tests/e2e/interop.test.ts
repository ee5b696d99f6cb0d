/** A harness double in Python and a caller in Go, the Orchestrator and its Custodian in TypeScript, and a SIGKILL in between. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { diffs, root, type Stage, stage } from './stage.ts';

const python = join(root, '.venv/bin/python');
const missing = !existsSync(python)
  ? 'there is no .venv: `npm run tools` makes it'
  : spawnSync('go', ['version']).status !== 0 && 'go is not installed';

type Line = { readonly event: string; readonly [member: string]: unknown };

/** A program of another language, and the JSON lines that it writes. */
class Program {
  readonly lines: Line[] = [];
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();
  errors = '';

  constructor(program: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
    this.#child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stderr?.on('data', (piece: Buffer) => {
      this.errors += piece.toString();
    });
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.lines.push(JSON.parse(line) as Line);
      for (const look of this.#waiting) look();
    });
    this.ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  all(event: string): Line[] {
    return this.lines.filter((line) => line.event === event);
  }

  /** The first line of an event; rejects when the program ends without it. */
  async first(event: string): Promise<Line> {
    let look = () => {};
    const found = new Promise<Line>((resolve) => {
      look = () => {
        const [line] = this.all(event);
        if (line !== undefined) resolve(line);
      };
    });
    this.#waiting.add(look);
    look();
    const over = this.ended.then(() => Promise.reject(new Error(`ended without \`${event}\`: ${this.errors}`)));
    over.catch(() => {});
    return Promise.race([found, over]).finally(() => this.#waiting.delete(look));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

const programs: Program[] = [];
let opened: Stage | undefined;
afterEach(() => {
  for (const program of programs.splice(0)) program.kill();
  opened?.clear();
});

function run(...of: ConstructorParameters<typeof Program>): Program {
  const program = new Program(...of);
  programs.push(program);
  return program;
}

it.skipIf(missing)(
  'completes the turn of the demo in three languages, the Orchestrator killed under an outstanding pick',
  { timeout: 180_000 },
  async () => {
    opened = await stage();
    const { cast } = opened;
    const slow = { REVIEW_CHECKS_TAKE_MS: '1500' };
    const orchestrator = await cast.orchestrator(slow);
    await cast.custodian();
    const harness = run(python, ['sdk/interop/harness.py'], root, {
      PYTHONPATH: join(root, 'sdk/python/src'),
      TURNWIRE_CUSTODIAN_URL: cast.url('custodian'),
      TURNWIRE_PORT: String(cast.ports.harness),
    });
    await harness.first('listening');
    const caller = run('go', ['run', './internal/interop'], join(root, 'sdk/go'), {
      TURNWIRE_URL: cast.url('orchestrator'),
      TURNWIRE_INSTANCE_TOKEN: cast.instanceToken,
      INTEROP_DIFF: diffs('order-discounts.diff'),
    });
    await harness.first('outstanding');
    await orchestrator.stop('SIGKILL');
    await cast.orchestrator(slow);
    const ended = await caller.first('ended');
    expect([await caller.ended, caller.errors]).toEqual([0, '']);

    expect(ended).toMatchObject({ status: 'done', context: { verdict: 'approve', decision: 'merge' }, executions: 1 });
    expect(caller.all('answered')).toEqual([{ event: 'answered', moved: true }]);
    // Each pick was taken once, and the model of the double was told so in the spec's words.
    const told = harness.all('delivered').map(({ pick, code, attempts }) => ({ pick, code, attempts }));
    expect(told).toEqual([
      { pick: 'run_checks', code: 'moved', attempts: 1 },
      { pick: 'approve', code: 'turn_complete', attempts: 1 },
    ]);
    expect(harness.all('delivered').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^The workflow took the pick `run_checks`\.\nIts answer: \{/),
      'The workflow took the pick `approve`. The turn is over: there is nothing more to call.',
    ]);
    // The death was absorbed, and it was not free.
    expect(harness.all('routability').map(({ msg }) => msg)).toContainEqual(
      expect.stringContaining('seat=delivery_poll'),
    );
  },
);
