/** A whole run: every check that was asked for, against one subject. */
import { matches } from '../faults/choose.ts';
import type { CaseOutcome } from '../harness/run-case.ts';
import { SubjectError } from '../harness/subject.ts';
import { send } from '../harness/wire.ts';
import { type CheckResult, countsAt, type Level, type Report } from '../report/check.ts';
import { declaredFailures, sentence } from '../run/outcome.ts';
import type { OrchestratorCase } from './case.ts';
import { loadOrchestratorCases } from './load.ts';
import { runCase } from './run-case.ts';
import { answerMs, type Host, ProcessHost, type UrlOptions, urlHost } from './stage.ts';
import { controls } from './validate.ts';

export interface OrchestratorRun {
  /** Starts the subject, in a shell. */
  readonly command?: string;
  /** Or where it is already running. */
  readonly at?: UrlOptions;
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

/** Holds an orchestrator to every case. Rejects with `SubjectError` when it cannot be started. */
export async function runOrchestrator(options: OrchestratorRun): Promise<Report> {
  const startedAt = performance.now();
  const { checks, subject } = await new Run(options).all();
  const ms = Math.round(performance.now() - startedAt);
  const knownFailing = declaredFailures(checks, options.knownFailing ?? []);
  return { mode: 'orchestrator', level: options.level, subject, seed: options.seed, ms, checks, knownFailing };
}

class Run {
  /** Cases that need no process of their own share this one. */
  #shared: Host | undefined;
  readonly #results = new Map<string, CheckResult>();

  constructor(readonly options: OrchestratorRun) {}

  async all(): Promise<{ checks: CheckResult[]; subject: Report['subject'] }> {
    const { command, at, jobs, timeoutMs } = this.options;
    const cases = loadOrchestratorCases().filter((of) => isWanted(of, this.options));
    const own = cases.filter(controls);
    const shared = cases.filter((of) => !controls(of));
    if (at) this.#shared = await urlHost(at);
    else if (shared.length > 0) this.#shared = await started(command ?? '', timeoutMs);
    let version: string | undefined;
    try {
      version = this.#shared && (await versionOf(this.#shared));
      await Promise.all([...this.#workers(own, jobs), ...this.#workers(shared, jobs * 4)]);
    } finally {
      await this.#shared?.close();
    }
    const checks = cases.flatMap(({ id }) => this.#results.get(id) ?? []);
    return { checks, subject: { command: command ?? at?.url ?? '', ...(version === undefined ? {} : { version }) } };
  }

  #workers(cases: readonly OrchestratorCase[], jobs: number): Promise<void>[] {
    const queue = [...cases];
    return Array.from({ length: Math.max(1, jobs) }, async () => {
      for (let of = queue.shift(); of !== undefined; of = queue.shift()) await this.#check(of);
    });
  }

  async #check(of: OrchestratorCase): Promise<void> {
    const startedAt = performance.now();
    const { id, theme, says, requirements, level } = of;
    const check = { id, theme, says, requirements, level };
    const untested = this.options.command === undefined && controls(of);
    const outcome = untested ? undefined : await this.#outcome(of);
    const ms = Math.round(performance.now() - startedAt);
    const result: CheckResult =
      outcome === undefined
        ? { ...check, verdict: 'not_tested', sentence: 'it has to control the process: give --command', ms }
        : outcome.mismatches.length === 0
          ? { ...check, verdict: 'passed', ms }
          : { ...check, verdict: 'failed', ms, sentence: sentence(outcome.mismatches, check), trace: outcome.trace };
    this.#results.set(id, result);
    this.options.onResult?.(result);
  }

  async #outcome(of: OrchestratorCase): Promise<CaseOutcome> {
    if (!controls(of)) return runCase(this.#shared as Host, of);
    const host = await started(this.options.command ?? '', this.options.timeoutMs, of);
    try {
      return await runCase(host, of);
    } catch (error) {
      if (!(error instanceof SubjectError)) throw error;
      return { mismatches: [{ did: error.message, should: 'start' }], trace: host.log.split('\n') };
    } finally {
      await host.close();
    }
  }
}

async function started(command: string, timeoutMs: number, of?: OrchestratorCase): Promise<ProcessHost> {
  const host = new ProcessHost(command, timeoutMs);
  if (of?.harness?.mute !== undefined) host.harness.mute = of.harness.mute;
  if (of?.harness?.fencedAbort !== undefined) host.harness.fencedAbort = of.harness.fencedAbort;
  try {
    await host.start(of?.own);
    return host;
  } catch (error) {
    await host.close();
    throw error;
  }
}

async function versionOf({ url, tokens }: Host): Promise<string | undefined> {
  const asked = send({ path: '/.well-known/turnwire' }, { baseUrl: url, token: tokens.instance, timeoutMs: answerMs });
  const answer = await asked.catch(() => undefined);
  const version = (answer?.json as { software?: { version?: unknown } } | undefined)?.software?.version;
  return typeof version === 'string' ? version : undefined;
}

function isWanted({ id, level }: OrchestratorCase, { only, skip, level: asked }: OrchestratorRun): boolean {
  const named = (patterns: readonly string[]) => patterns.some((pattern) => matches(pattern, id));
  return countsAt(level, asked) && (only === undefined || named(only)) && (skip === undefined || !named(skip));
}
