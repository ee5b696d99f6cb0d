/** A whole run: every check that was asked for, against one harness. */
import type { Report, Subject } from '../report/check.ts';
import type { CaseOutcome } from '../run/outcome.ts';
import { begun, nonce, reached } from '../run/reach.ts';
import { runSuite, type Suite, type SuiteOptions } from '../run/suite.ts';
import type { HarnessCase } from './case.ts';
import { contractAgent, forContractAgent, playedModel } from './contract-agent.ts';
import { loadHarnessCases } from './load.ts';
import { runCase } from './run-case.ts';
import { type Host, ProcessHost, Stage, type StageOptions, urlHost } from './stage.ts';
import { SubjectError } from './subject.ts';
import { controls } from './validate.ts';
import { send } from './wire.ts';

/** What one that is running already was started with. */
export interface UrlOptions {
  readonly url: string;
  /** The harness token. */
  readonly token: string;
  readonly orchestratorPort: number;
  readonly modelPort: number;
}

export interface HarnessRun extends StageOptions, SuiteOptions {
  /** Starts the subject, in a shell. */
  readonly command?: string;
  /** Or where it is already running, on the kit's ports and token. */
  readonly url?: string;
  /** Milliseconds that the subject may take to listen. */
  readonly timeoutMs: number;
}

/** Holds a harness to every case. Rejects with `SubjectError` when it cannot be started. */
export const runHarness = (options: HarnessRun): Promise<Report> => runSuite(new Harnesses(options), options);

interface Introduction {
  readonly software?: { readonly name?: string; readonly version?: string };
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

class Harnesses implements Suite<HarnessCase> {
  readonly mode = 'harness';
  readonly cases: readonly HarnessCase[];
  readonly alone = controls;
  readonly stage: Stage;
  /** Cases that need no process of their own share this one. */
  #common: Host | undefined;
  readonly #nonce: readonly string[];

  constructor(readonly options: HarnessRun) {
    this.#nonce = options.command === undefined ? [nonce()] : [];
    const agent = options.capabilities?.includes(contractAgent) === true;
    this.stage = new Stage({ ...options, contractAgent: agent });
    const cases = loadHarnessCases();
    this.cases = agent
      ? cases.map((of) => forContractAgent(of) ?? { ...of, needs: [...of.needs, playedModel] })
      : cases;
  }

  async open(cases: readonly HarnessCase[]): Promise<Subject> {
    await this.stage.open();
    const { command, url = '' } = this.options;
    const meets = cases.some((of) => !controls(of) || of.needs.length > 0);
    if (command === undefined) {
      await reached('harness', url, this.options.timeoutMs);
      this.#common = urlHost(url);
    } else if (meets) this.#common = await this.#started();
    const { software = {}, capabilities = {} } = this.#common ? await this.#introduction(this.#common) : {};
    return {
      command: command ?? url,
      ...software,
      capabilities: Object.keys(capabilities).filter((name) => capabilities[name] === true),
    };
  }

  needs(of: HarnessCase): readonly string[] {
    return of.needs;
  }

  whyNot(of: HarnessCase): string | undefined {
    const cannot = this.options.command === undefined && controls(of);
    return cannot ? 'it has to control the process: give --command' : undefined;
  }

  async run(of: HarnessCase): Promise<CaseOutcome> {
    const iid = ['kit', ...this.#nonce, of.id.replaceAll(/[^a-z0-9]+/g, '-')].join('-');
    if (!controls(of)) return runCase(this.stage, this.#common as Host, of, iid);
    let host: ProcessHost | undefined;
    try {
      host = await this.#started(of.own);
      return await runCase(this.stage, host, of, iid);
    } catch (error) {
      // One that never started is no subject; one that did and does not again has failed this check.
      if (!(error instanceof SubjectError) || (!host && !this.#common)) throw error;
      return { mismatches: [{ did: error.message, should: 'start' }], trace: host?.log.split('\n') ?? [] };
    } finally {
      await host?.close();
    }
  }

  async close(): Promise<void> {
    await this.#common?.process?.close();
    await this.stage.close();
  }

  /** What the subject says of itself; one that says nothing has no capability. */
  async #introduction({ url }: Host): Promise<Introduction> {
    const { token, answerMs } = this.stage;
    const asked = send({ path: '/.well-known/turnwire' }, { baseUrl: url, token, timeoutMs: answerMs });
    const { software, capabilities } = ((await asked.catch(() => undefined))?.json ?? {}) as Introduction;
    const { name, version } = software ?? {};
    const told = { ...(name !== undefined && { name }), ...(version !== undefined && { version }) };
    return { software: told, ...(capabilities && { capabilities }) };
  }

  async #started(settings?: Readonly<Record<string, string>>): Promise<ProcessHost> {
    const host = new ProcessHost(this.stage, this.options.command ?? '', this.options.timeoutMs);
    try {
      await host.start(settings);
      await begun(host.url, this.stage.answerMs, this.options.timeoutMs);
      return host;
    } catch (error) {
      await host.close();
      throw error;
    }
  }
}
