/** A whole run: every check that was asked for, against one subject. */
import { matches } from '../faults/choose.ts';
import { type CheckResult, countsAt, type Level, type Report } from '../report/check.ts';
import { declaredFailures, sentence } from '../run/outcome.ts';
import type { HarnessCase } from './case.ts';
import { loadHarnessCases } from './load.ts';
import { type CaseOutcome, runCase } from './run-case.ts';
import { type Host, ProcessHost, Stage, type StageOptions, urlHost } from './stage.ts';
import { SubjectError } from './subject.ts';
import { controls } from './validate.ts';
import { send } from './wire.ts';

export interface HarnessRun extends StageOptions {
  /** Starts the subject, in a shell. */
  readonly command?: string;
  /** Or where it is already running, on the kit's ports and token. */
  readonly url?: string;
  readonly level: Level;
  /** Ids of checks, `*` standing for any characters; all when absent. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly knownFailing?: readonly string[];
  /** Milliseconds that the subject may take to listen. */
  readonly timeoutMs: number;
  readonly jobs: number;
  readonly seed: number;
  readonly onResult?: (result: CheckResult) => void;
}

/** Holds a harness to every case. Rejects with `SubjectError` when it cannot be started. */
export async function runHarness(options: HarnessRun): Promise<Report> {
  const startedAt = performance.now();
  const stage = new Stage(options);
  await stage.open();
  try {
    const run = new Run(stage, options);
    const { checks, subject } = await run.all();
    const ms = Math.round(performance.now() - startedAt);
    const knownFailing = declaredFailures(checks, options.knownFailing ?? []);
    return { mode: 'harness', level: options.level, subject, seed: options.seed, ms, checks, knownFailing };
  } finally {
    await stage.close();
  }
}

interface Introduction {
  readonly software?: { readonly name?: string; readonly version?: string };
  readonly capabilities?: Readonly<Record<string, boolean>>;
}

class Run {
  /** Cases that need no process of their own share this one. */
  #common: Host | undefined;
  #introduction: Introduction = {};
  /** It cannot go on: no further process is started. */
  #over = false;
  readonly #results = new Map<string, CheckResult>();

  constructor(
    readonly stage: Stage,
    readonly options: HarnessRun,
  ) {}

  async all(): Promise<{ checks: CheckResult[]; subject: Report['subject'] }> {
    const { command, url = '' } = this.options;
    const cases = loadHarnessCases().filter((of) => isWanted(of, this.options));
    // Those with a process of their own are heavy: they begin first, and fewer of them at a time.
    const own = cases.filter(controls);
    const shared = cases.filter((of) => !controls(of));
    const meets = shared.length > 0 || cases.some(({ needs }) => needs.length > 0);
    if (command === undefined) this.#common = urlHost(url);
    else if (meets) this.#common = await started(this.stage, command, this.options.timeoutMs);
    try {
      if (this.#common) await this.#meet(this.#common);
      await this.#finished([...this.#workers(own, this.options.jobs), ...this.#workers(shared, this.options.jobs * 4)]);
    } finally {
      await this.#common?.process?.close();
    }
    const checks = cases.flatMap(({ id }) => this.#results.get(id) ?? []);
    const { version } = this.#introduction.software ?? {};
    return { checks, subject: { command: command ?? url, ...(version === undefined ? {} : { version }) } };
  }

  /** All of them, also when one gave up: none is left at work. */
  async #finished(workers: readonly Promise<void>[]): Promise<void> {
    const watched = workers.map((worker) =>
      worker.catch((error: unknown) => {
        this.#over = true;
        throw error;
      }),
    );
    const failed = (await Promise.allSettled(watched)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** What the subject says of itself; one that says nothing has no capability, and every check is asked of it. */
  async #meet({ url }: Host): Promise<void> {
    const { token } = this.stage;
    const asked = send({ path: '/.well-known/turnwire' }, { baseUrl: url, token, timeoutMs: this.stage.answerMs });
    const answer = await asked.catch(() => undefined);
    this.#introduction = (answer?.json as Introduction | undefined) ?? {};
  }

  #workers(cases: readonly HarnessCase[], jobs: number): Promise<void>[] {
    const queue = [...cases];
    return Array.from({ length: Math.max(1, jobs) }, async () => {
      for (let of = queue.shift(); of !== undefined && !this.#over; of = queue.shift()) await this.#check(of);
    });
  }

  async #check(of: HarnessCase): Promise<void> {
    const startedAt = performance.now();
    const { id, theme, says, requirements, level } = of;
    const check = { id, theme, says, requirements, level };
    const untested = this.#whyNot(of);
    const outcome = untested === undefined ? await this.#outcome(of) : undefined;
    const ms = Math.round(performance.now() - startedAt);
    const result: CheckResult =
      outcome === undefined
        ? { ...check, verdict: 'not_tested', sentence: untested ?? '', ms }
        : outcome.mismatches.length === 0
          ? { ...check, verdict: 'passed', ms }
          : { ...check, verdict: 'failed', ms, sentence: sentence(outcome.mismatches, check), trace: outcome.trace };
    this.#results.set(id, result);
    this.options.onResult?.(result);
  }

  #whyNot(of: HarnessCase): string | undefined {
    const { capabilities = {} } = this.#introduction;
    const missing = of.needs.filter((capability) => capabilities[capability] !== true);
    if (missing.length > 0) return `the subject does not announce ${missing.join(', ')}`;
    return this.options.command === undefined && controls(of)
      ? 'it has to control the process: give --command'
      : undefined;
  }

  async #outcome(of: HarnessCase): Promise<CaseOutcome> {
    const iid = `kit-${of.id.replaceAll(/[^a-z0-9]+/g, '-')}`;
    if (!controls(of)) return runCase(this.stage, this.#common as Host, of, iid);
    const { command = '', timeoutMs } = this.options;
    let host: ProcessHost | undefined;
    try {
      host = await started(this.stage, command, timeoutMs, of.own);
      return await runCase(this.stage, host, of, iid);
    } catch (error) {
      // One that never started is no subject; one that did and does not again has failed this check.
      if (!(error instanceof SubjectError) || (!host && !this.#common)) throw error;
      return { mismatches: [{ did: error.message, should: 'start' }], trace: host?.log.split('\n') ?? [] };
    } finally {
      await host?.close();
    }
  }
}

async function started(
  stage: Stage,
  command: string,
  timeoutMs: number,
  settings?: Readonly<Record<string, string>>,
): Promise<ProcessHost> {
  const host = new ProcessHost(stage, command, timeoutMs);
  try {
    await host.start(settings);
    return host;
  } catch (error) {
    await host.close();
    throw error;
  }
}

function isWanted({ id, level }: HarnessCase, { only, skip, level: asked }: HarnessRun): boolean {
  const named = (patterns: readonly string[]) => patterns.some((pattern) => matches(pattern, id));
  return countsAt(level, asked) && (only === undefined || named(only)) && (skip === undefined || !named(skip));
}
