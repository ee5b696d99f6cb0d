import { matches } from '../faults/choose.ts';
import { type Check, type CheckResult, countsAt, type Level, type Report } from '../report/check.ts';
import { declaredFailures, sentence } from '../run/outcome.ts';
import { Adapter, SubjectError } from './adapter.ts';
import type { ClientCase } from './case.ts';
import { loadCases } from './load.ts';
import type { Introduction } from './protocol.ts';
import { runCase } from './run-case.ts';
import type { Mismatch } from './seen.ts';
import { runVector, type VectorCheck, vectorChecks } from './vectors.ts';

export interface ClientRun {
  readonly command: string;
  readonly level: Level;
  /** Ids of checks, `*` standing for any characters; all when absent. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly knownFailing?: readonly string[];
  readonly timeoutMs: number;
  readonly jobs: number;
  readonly seed: number;
  /** Hears of each result as it comes. */
  readonly onResult?: (result: CheckResult) => void;
}

type Task = {
  readonly check: Check;
  readonly needs: readonly string[];
  readonly costMs: number;
  run(adapter: Adapter): Promise<Outcome>;
};
type Outcome = { readonly mismatches: readonly Mismatch[]; readonly trace?: readonly string[] };

/** Holds an SDK to every case and vector. Rejects with `SubjectError` when it cannot be started. */
export async function runClient(options: ClientRun): Promise<Report> {
  const startedAt = performance.now();
  const { adapter, introduction } = await Adapter.start(options.command, options.timeoutMs);
  const tasks = tasksOf(introduction, options);
  const results = new Map<string, CheckResult>();
  // What takes longest begins first, so that nobody waits for it at the end.
  const queue = [...tasks].sort((one, other) => other.costMs - one.costMs);
  const first = new Worker(options, introduction, adapter);
  const others = Array.from({ length: Math.max(0, options.jobs - 1) }, () => new Worker(options, introduction));
  await Promise.all([first, ...others].map((worker) => worker.work(queue, results)));
  const checks = tasks.flatMap(({ check }) => results.get(check.id) ?? []);
  const { level, seed, command } = options;
  const { language, version } = introduction;
  const ms = Math.round(performance.now() - startedAt);
  return {
    mode: 'client',
    level,
    subject: { command, language, version },
    seed,
    ms,
    checks,
    knownFailing: declaredFailures(checks, options.knownFailing ?? []),
  };
}

function tasksOf(introduction: Introduction, options: ClientRun): Task[] {
  const { timeoutMs, seed } = options;
  const cases = loadCases().map((of): Task => {
    const needs = [of.call.command, ...(of.cancel === undefined ? [] : ['cancel'])];
    return { check: of, needs, costMs: costOf(of), run: (adapter) => runCase(adapter, of, timeoutMs, seed) };
  });
  const vectors = vectorChecks(introduction).map((check: VectorCheck): Task => {
    const run = async (adapter: Adapter) => ({ mismatches: await runVector(adapter, check, timeoutMs) });
    return { check, needs: check.feature === undefined ? [] : [check.feature], costMs: 0, run };
  });
  return [...cases, ...vectors].filter(({ check }) => isWanted(check, options));
}

function isWanted({ id, level }: Check, { only, skip, level: asked }: ClientRun): boolean {
  const named = (patterns: readonly string[]) => patterns.some((pattern) => matches(pattern, id));
  return countsAt(level, asked) && (only === undefined || named(only)) && (skip === undefined || !named(skip));
}

/** A connect to a full queue lasts as long as the subject's connect timeout. */
const fullQueueMs = 10_000;

function costOf({ pauseMs, steps }: ClientCase): number {
  return pauseMs + (steps.some(({ fault }) => fault === 'full_queue') ? fullQueueMs : 0);
}

/** One adapter process after another: a subject that went down is started again for the next check. */
class Worker {
  readonly #options: ClientRun;
  readonly #introduction: Introduction;
  #adapter: Adapter | undefined;

  constructor(options: ClientRun, introduction: Introduction, adapter?: Adapter) {
    this.#options = options;
    this.#introduction = introduction;
    this.#adapter = adapter;
  }

  async work(queue: Task[], results: Map<string, CheckResult>): Promise<void> {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      const result = await this.#check(task);
      results.set(task.check.id, result);
      this.#options.onResult?.(result);
    }
    await this.#adapter?.stop();
  }

  async #check({ check, needs, run }: Task): Promise<CheckResult> {
    const startedAt = performance.now();
    const { id, theme, says, requirements: named, level } = check;
    const of = { id, theme, says, requirements: named, level };
    const missing = needs.filter((feature) => !this.#introduction.features.includes(feature));
    if (missing.length > 0)
      return { ...of, verdict: 'not_tested', ms: 0, sentence: `the subject does not declare ${missing.join(', ')}` };
    const { mismatches, trace } = await this.#attempt(run);
    const ms = Math.round(performance.now() - startedAt);
    if (mismatches.length === 0) return { ...of, verdict: 'passed', ms };
    return { ...of, verdict: 'failed', ms, sentence: sentence(mismatches, check), ...(trace && { trace }) };
  }

  async #attempt(run: Task['run']): Promise<Outcome> {
    try {
      if (this.#adapter?.alive !== true) await this.#restart();
      return await run(this.#adapter as Adapter);
    } catch (error) {
      if (!(error instanceof SubjectError)) throw error;
      const trace = this.#adapter?.errors.split('\n') ?? [];
      return { mismatches: [{ did: error.message, should: 'answer each command with one result' }], trace };
    }
  }

  async #restart(): Promise<void> {
    await this.#adapter?.stop();
    this.#adapter = (await Adapter.start(this.#options.command, this.#options.timeoutMs)).adapter;
  }
}
