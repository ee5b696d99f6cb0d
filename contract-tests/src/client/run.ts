/** A whole run: every case and vector, against one SDK by way of its adapter. */
import type { Check, Report, Subject } from '../report/check.ts';
import type { CaseOutcome } from '../run/outcome.ts';
import { runSuite, type Suite, type SuiteOptions } from '../run/suite.ts';
import { Adapter, SubjectError } from './adapter.ts';
import type { ClientCase } from './case.ts';
import { needsOf } from './catalog.ts';
import { loadCases } from './load.ts';
import type { Introduction } from './protocol.ts';
import { runCase } from './run-case.ts';
import { runVector, type VectorCheck, vectorChecks } from './vectors.ts';

export interface ClientRun extends SuiteOptions {
  readonly command: string;
  readonly timeoutMs: number;
}

/** One check, with what it needs and how it is run. */
interface Task extends Check {
  readonly needs: readonly string[];
  readonly costMs: number;
  with(adapter: Adapter): Promise<CaseOutcome>;
}

/** Holds an SDK to every case and vector. Rejects with `SubjectError` when it cannot be started. */
export async function runClient(options: ClientRun): Promise<Report> {
  const { adapter, introduction } = await Adapter.start(options.command, options.timeoutMs);
  return runSuite(new Sdks(options, introduction, adapter), options);
}

/** Several adapter processes: a subject that went down is started again for the next check. */
class Sdks implements Suite<Task> {
  readonly mode = 'client';
  readonly cases: readonly Task[];
  readonly #idle: Adapter[];
  readonly #declared: ReadonlySet<string>;

  constructor(
    readonly options: ClientRun,
    readonly introduction: Introduction,
    adapter: Adapter,
  ) {
    this.#idle = [adapter];
    this.#declared = new Set([...introduction.features, ...(options.capabilities ?? [])]);
    this.cases = tasksOf(introduction, options);
  }

  async open(): Promise<Subject> {
    const { language, version, features } = this.introduction;
    return { command: this.options.command, language, version, capabilities: features };
  }

  /** Each has its adapter to itself. */
  alone(): boolean {
    return true;
  }

  cost({ costMs }: Task): number {
    return costMs;
  }

  /** A seat that an SDK does not have is a part of the spec that it does not speak: that is no capability to leave out. */
  whyNot({ needs }: Task): string | undefined {
    const missing = needs.filter((feature) => !this.#declared.has(feature));
    return missing.length > 0 ? `the subject does not declare ${missing.join(', ')}` : undefined;
  }

  async run(task: Task): Promise<CaseOutcome> {
    let adapter = this.#idle.pop();
    try {
      if (adapter?.alive !== true) {
        await adapter?.stop();
        adapter = (await Adapter.start(this.options.command, this.options.timeoutMs)).adapter;
      }
      return await task.with(adapter);
    } catch (error) {
      if (!(error instanceof SubjectError)) throw error;
      const trace = adapter?.errors.split('\n') ?? [];
      return { mismatches: [{ did: error.message, should: 'answer each command with one result' }], trace };
    } finally {
      if (adapter) this.#idle.push(adapter);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.map((adapter) => adapter.stop()));
  }
}

function tasksOf(introduction: Introduction, { timeoutMs, seed }: ClientRun): Task[] {
  const cases = loadCases().map((of): Task => {
    const { id, theme, says, requirements, level } = of;
    const check = { id, theme, says, requirements, level };
    return {
      ...check,
      needs: needsOf(of),
      costMs: costOf(of),
      with: (adapter) => runCase(adapter, of, timeoutMs, seed),
    };
  });
  const vectors = vectorChecks(introduction).map((check: VectorCheck): Task => {
    const run = async (adapter: Adapter) => ({ mismatches: await runVector(adapter, check, timeoutMs) });
    return { ...check, needs: check.feature === undefined ? [] : [check.feature], costMs: 0, with: run };
  });
  return [...cases, ...vectors];
}

/** A connect to a full queue lasts as long as the subject's connect timeout. */
const fullQueueMs = 10_000;

function costOf({ pauseMs, steps }: ClientCase): number {
  return pauseMs + (steps.some(({ fault }) => fault === 'full_queue') ? fullQueueMs : 0);
}
