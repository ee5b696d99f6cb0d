/** A whole run: every check that was asked for, against one orchestrator. */
import { SubjectError } from '../harness/subject.ts';
import { send } from '../harness/wire.ts';
import type { Report, Subject } from '../report/check.ts';
import type { CaseOutcome } from '../run/outcome.ts';
import { begun, reached } from '../run/reach.ts';
import { runSuite, type Suite, type SuiteOptions } from '../run/suite.ts';
import { until } from '../run/until.ts';
import type { OrchestratorCase } from './case.ts';
import { costOf } from './cost.ts';
import { loadOrchestratorCases } from './load.ts';
import { runCase } from './run-case.ts';
import { type Host, ProcessHost, type UrlOptions, urlHost, type Waits } from './stage.ts';
import { controls } from './validate.ts';

export interface OrchestratorRun extends SuiteOptions {
  /** Starts the subject, in a shell. */
  readonly command?: string;
  /** Or where it is already running. */
  readonly at?: UrlOptions;
  /** Milliseconds that the subject may take to listen. */
  readonly timeoutMs: number;
  /** What is wrong on purpose need not be waited for as long as usual. */
  readonly waits?: Partial<Waits>;
}

/** Holds an orchestrator to every case. Rejects with `SubjectError` when it cannot be started. */
export const runOrchestrator = (options: OrchestratorRun): Promise<Report> =>
  runSuite(new Orchestrators(options), options);

class Orchestrators implements Suite<OrchestratorCase> {
  readonly mode = 'orchestrator';
  readonly cases = loadOrchestratorCases();
  readonly alone = controls;
  /** Cases that need no process of their own share this one. */
  #shared: Host | undefined;

  constructor(readonly options: OrchestratorRun) {}

  async open(cases: readonly OrchestratorCase[]): Promise<Subject> {
    const { command, at } = this.options;
    if (at) {
      this.#shared = await urlHost(at);
      await reached('orchestrator', at.url, this.options.timeoutMs);
      await introduced(this.#shared);
    } else if (cases.some((of) => !controls(of))) this.#shared = await this.#started();
    return { command: command ?? at?.url ?? '', ...(this.#shared && (await introduction(this.#shared))) };
  }

  cost(of: OrchestratorCase): number {
    return costOf(of);
  }

  whyNot(of: OrchestratorCase): string | undefined {
    const cannot = this.options.command === undefined && controls(of);
    return cannot ? 'it has to control the process: give --command' : undefined;
  }

  async run(of: OrchestratorCase): Promise<CaseOutcome> {
    if (!controls(of)) return runCase(this.#shared as Host, of);
    const host = await this.#started(of);
    try {
      return await runCase(host, of);
    } catch (error) {
      if (!(error instanceof SubjectError)) throw error;
      return { mismatches: [{ did: error.message, should: 'start' }], trace: host.log.split('\n') };
    } finally {
      await host.close();
    }
  }

  async close(): Promise<void> {
    await this.#shared?.close();
  }

  async #started(of?: OrchestratorCase): Promise<ProcessHost> {
    const { command = '', timeoutMs, waits } = this.options;
    const host = new ProcessHost(command, timeoutMs, waits);
    if (of?.harness?.mute !== undefined) host.harness.mute = of.harness.mute;
    if (of?.harness?.fencedAbort !== undefined) host.harness.fencedAbort = of.harness.fencedAbort;
    try {
      await host.start(of?.own);
      await begun(host.url, host.answerMs, timeoutMs);
      return host;
    } catch (error) {
      await host.close();
      throw error;
    }
  }
}

/** One that is running has found nobody at its Harness's address until now: a run makes it look again. */
async function introduced({ url, tokens, harness, answerMs }: Host): Promise<void> {
  if (harness.introduced > 0) return;
  const ask = (path: string, json: object) =>
    send({ path, json }, { baseUrl: url, token: tokens.instance, timeoutMs: answerMs }).catch(() => undefined);
  const begun = await ask('/workflows/flow/runs', { input: { task: `Look who is here. ${firstMark}` } });
  await until(() => harness.introduced > 0, meetingMs);
  const { runId } = (begun?.json ?? {}) as { runId?: string };
  if (runId !== undefined) await ask(`/runs/${runId}/cancel`, {});
}

/** The prompt of no case. */
const firstMark = '[kit:introduction]';
/** Milliseconds in which a subject that asks its Harness what it is has done so. */
const meetingMs = 10_000;

/** What the subject says of itself. */
async function introduction({ url, tokens, answerMs }: Host): Promise<{ name?: string; version?: string }> {
  const asked = send({ path: '/.well-known/turnwire' }, { baseUrl: url, token: tokens.instance, timeoutMs: answerMs });
  const answer = await asked.catch(() => undefined);
  const { name, version } = (answer?.json as { software?: Record<string, unknown> } | undefined)?.software ?? {};
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof version === 'string' && { version }),
  };
}
