/** A whole run: every check that was asked for, against one custodian. */

import { SubjectError } from '../harness/subject.ts';
import type { Report } from '../report/check.ts';
import type { CaseOutcome } from '../run/outcome.ts';
import { reached } from '../run/reach.ts';
import { runSuite, type Suite, type SuiteOptions } from '../run/suite.ts';
import type { CustodianCase } from './case.ts';
import { loadCustodianCases } from './load.ts';
import { runCase } from './run-case.ts';
import { type Host, ProcessHost, type UrlOptions, urlHost } from './stage.ts';
import { controls } from './validate.ts';

export interface CustodianRun extends SuiteOptions {
  /** Starts the subject, in a shell. */
  readonly command?: string;
  /** Or where it is already running. */
  readonly at?: UrlOptions;
  /** Milliseconds that the subject may take to listen. */
  readonly timeoutMs: number;
  /** Milliseconds that any answer may take. */
  readonly answerMs?: number;
}

/** Holds a custodian to every case. Rejects with `SubjectError` when it cannot be started. */
export const runCustodian = (options: CustodianRun): Promise<Report> => runSuite(new Custodians(options), options);

class Custodians implements Suite<CustodianCase> {
  readonly mode = 'custodian';
  readonly cases = loadCustodianCases();
  readonly alone = controls;
  /** Cases that need no process of their own share this one. */
  #shared: Host | undefined;

  constructor(readonly options: CustodianRun) {}

  async open(cases: readonly CustodianCase[]): Promise<Report['subject']> {
    const { command, at, timeoutMs } = this.options;
    if (at) {
      this.#shared = await urlHost(at);
      await reached('custodian', at.url, timeoutMs);
    } else if (cases.some((of) => !controls(of))) {
      const host = new ProcessHost(command ?? '', timeoutMs, 'orchestrator', this.options.answerMs);
      this.#shared = host;
      await host.open();
      await host.start();
    }
    return { command: command ?? at?.url ?? '' };
  }

  whyNot(of: CustodianCase): string | undefined {
    const cannot = this.options.command === undefined && controls(of);
    return cannot ? 'it has to control the process: give --command' : undefined;
  }

  async run(of: CustodianCase): Promise<CaseOutcome> {
    if (!controls(of)) return runCase(this.#shared as Host, of);
    const { command = '', timeoutMs, answerMs } = this.options;
    const host = new ProcessHost(command, timeoutMs, of.place, answerMs);
    try {
      await host.open();
      if (of.token) host.put(of.token);
      return await runCase(host, of);
    } catch (error) {
      if (!(error instanceof SubjectError)) throw error;
      return { mismatches: [{ did: error.message, should: 'start' }], trace: host.running.log.split('\n') };
    } finally {
      await host.close();
    }
  }

  async close(): Promise<void> {
    await this.#shared?.close();
  }
}
