/** A whole run: every check that was asked for, against one subject, whatever the mode. */
import { matches } from '../faults/choose.ts';
import { SubjectError } from '../harness/subject.ts';
import { UsageError } from '../model/command.ts';
import { type Check, type CheckResult, countsAt, type Level, type Report, type Subject } from '../report/check.ts';
import { claimOf } from '../report/claim.ts';
import { brokeDown, type CaseOutcome, declaredFailures, judged } from './outcome.ts';

export interface SuiteOptions {
  readonly level: Level;
  /** Ids of checks, `*` standing for any characters; all when absent. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** What the subject has beyond what it announces itself. */
  readonly capabilities?: readonly string[];
  readonly knownFailing?: readonly string[];
  /** Where those ids stand. */
  readonly knownFailingFile?: string;
  /** Cases with a process of their own that run side by side. */
  readonly jobs: number;
  readonly seed: number;
  /** Hears of what will be checked, and of each result as it comes. */
  readonly onPlan?: (checks: readonly Check[]) => void;
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
  /** Capabilities without which a check does not apply. */
  needs?(of: Case): readonly string[];
  /** Milliseconds that it is known to take: what takes longest begins first, so that nobody waits for it at the end. */
  cost?(of: Case): number;
  /** Before the first of these cases. */
  open(cases: readonly Case[]): Promise<Subject>;
  /** @throws SubjectError when the subject cannot be started */
  run(of: Case): Promise<CaseOutcome>;
  close(): Promise<void>;
}

/** Light cases that run side by side for each heavy one. */
const lightPerJob = 4;

/** Rejects with `SubjectError` when the subject cannot be started, with `UsageError` when nothing is asked of it. */
export async function runSuite<Case extends Check>(suite: Suite<Case>, options: SuiteOptions): Promise<Report> {
  const startedAt = new Date();
  const { mode, cases: all } = suite;
  const { level, seed, knownFailing = [], knownFailingFile } = options;
  const cases = all.filter((of) => isWanted(of, options));
  try {
    if (cases.length === 0) throw new UsageError('no check is left to run: look at --level, --only and --skip');
    const opened = await suite.open(cases);
    const capabilities = [...new Set([...(opened.capabilities ?? []), ...(options.capabilities ?? [])])];
    options.onPlan?.(cases);
    const checks = await checkAll(suite, cases, capabilities, options);
    return {
      ...{ mode, level, subject: { ...opened, capabilities }, seed, startedAt: startedAt.toISOString() },
      ms: Date.now() - startedAt.getTime(),
      claim: claimOf(level, knownFailingFile, options.only !== undefined || options.skip !== undefined),
      checks,
      knownFailing: declaredFailures(checks, knownFailing),
    };
  } finally {
    await suite.close();
  }
}

async function checkAll<Case extends Check>(
  suite: Suite<Case>,
  cases: readonly Case[],
  capabilities: readonly string[],
  { jobs, onResult }: SuiteOptions,
): Promise<CheckResult[]> {
  const results = new Map<string, CheckResult>();
  let over = false;
  const work = async (queue: Case[]) => {
    for (let of = queue.shift(); of !== undefined && !over; of = queue.shift()) {
      const result = await checkOne(suite, of, capabilities);
      results.set(of.id, result);
      onResult?.(result);
    }
  };
  const byCost = [...cases].sort((one, other) => (suite.cost?.(other) ?? 0) - (suite.cost?.(one) ?? 0));
  const heavy = byCost.filter((of) => suite.alone(of));
  const light = byCost.filter((of) => !suite.alone(of));
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

async function checkOne<Case extends Check>(
  suite: Suite<Case>,
  of: Case,
  capabilities: readonly string[],
): Promise<CheckResult> {
  const startedAt = performance.now();
  const { id, theme, says, requirements, level } = of;
  const check = { id, theme, says, requirements, level };
  const missing = (suite.needs?.(of) ?? []).filter((capability) => !capabilities.includes(capability));
  if (missing.length > 0)
    return { ...check, verdict: 'skipped', sentence: `the subject does not declare ${missing.join(', ')}`, ms: 0 };
  const untested = suite.whyNot(of);
  if (untested !== undefined) return { ...check, verdict: 'not_tested', sentence: untested, ms: 0 };
  const outcome = await suite.run(of).then((seen) => judged(seen, check), unlessSubject);
  return { ...check, ...outcome, ms: Math.round(performance.now() - startedAt) };
}

function unlessSubject(error: unknown): ReturnType<typeof brokeDown> {
  if (error instanceof SubjectError) throw error;
  return brokeDown(error);
}

function isWanted({ id, level }: Check, { only, skip, level: asked }: SuiteOptions): boolean {
  const named = (patterns: readonly string[]) => patterns.some((pattern) => matches(pattern, id));
  return countsAt(level, asked) && (only === undefined || named(only)) && (skip === undefined || !named(skip));
}
