/** A whole run: every check that was asked for, against one subject, whatever the mode. */
import { matches } from '../faults/choose.ts';
import type { CaseOutcome } from '../harness/run-case.ts';
import { type Check, type CheckResult, countsAt, type Level, type Report } from '../report/check.ts';
import { declaredFailures, sentence } from './outcome.ts';

export interface SuiteOptions {
  readonly level: Level;
  /** Ids of checks, `*` standing for any characters; all when absent. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly knownFailing?: readonly string[];
  /** Cases with a process of their own that run side by side. */
  readonly jobs: number;
  readonly seed: number;
  readonly onResult?: (result: CheckResult) => void;
}

/** What a mode is made of. */
export interface Suite<Case extends Check> {
  readonly mode: string;
  readonly cases: readonly Case[];
  /** It has processes of its own, which is heavy: fewer of them at a time. */
  alone(of: Case): boolean;
  /** Why it cannot be asked of this subject. */
  whyNot(of: Case): string | undefined;
  /** Before the first of these cases. */
  open(cases: readonly Case[]): Promise<Report['subject']>;
  run(of: Case): Promise<CaseOutcome>;
  close(): Promise<void>;
}

/** Light cases that run side by side for each heavy one. */
const lightPerJob = 4;

/** Rejects with `SubjectError` when the subject cannot be started. */
export async function runSuite<Case extends Check>(suite: Suite<Case>, options: SuiteOptions): Promise<Report> {
  const startedAt = performance.now();
  const cases = suite.cases.filter((of) => isWanted(of, options));
  try {
    const subject = await suite.open(cases);
    const checks = await checkAll(suite, cases, options);
    const ms = Math.round(performance.now() - startedAt);
    const knownFailing = declaredFailures(checks, options.knownFailing ?? []);
    return { mode: suite.mode, level: options.level, subject, seed: options.seed, ms, checks, knownFailing };
  } finally {
    await suite.close();
  }
}

async function checkAll<Case extends Check>(
  suite: Suite<Case>,
  cases: readonly Case[],
  { jobs, onResult }: SuiteOptions,
): Promise<CheckResult[]> {
  const results = new Map<string, CheckResult>();
  let over = false;
  const work = async (queue: Case[]) => {
    for (let of = queue.shift(); of !== undefined && !over; of = queue.shift()) {
      const result = await checkOne(suite, of);
      results.set(of.id, result);
      onResult?.(result);
    }
  };
  const heavy = cases.filter((of) => suite.alone(of));
  const light = cases.filter((of) => !suite.alone(of));
  const workers = [
    ...Array.from({ length: Math.max(1, jobs) }, () => work(heavy)),
    ...Array.from({ length: Math.max(1, jobs) * lightPerJob }, () => work(light)),
  ].map((worker) =>
    worker.catch((error: unknown) => {
      over = true;
      throw error;
    }),
  );
  // All of them, also when one gave up: none is left at work.
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return cases.flatMap(({ id }) => results.get(id) ?? []);
}

async function checkOne<Case extends Check>(suite: Suite<Case>, of: Case): Promise<CheckResult> {
  const startedAt = performance.now();
  const { id, theme, says, requirements, level } = of;
  const check = { id, theme, says, requirements, level };
  const untested = suite.whyNot(of);
  const outcome = untested === undefined ? await suite.run(of) : undefined;
  const ms = Math.round(performance.now() - startedAt);
  if (outcome === undefined) return { ...check, verdict: 'not_tested', sentence: untested ?? '', ms };
  if (outcome.mismatches.length === 0) return { ...check, verdict: 'passed', ms };
  return { ...check, verdict: 'failed', ms, sentence: sentence(outcome.mismatches, check), trace: outcome.trace };
}

function isWanted({ id, level }: Check, { only, skip, level: asked }: SuiteOptions): boolean {
  const named = (patterns: readonly string[]) => patterns.some((pattern) => matches(pattern, id));
  return countsAt(level, asked) && (only === undefined || named(only)) && (skip === undefined || !named(skip));
}
