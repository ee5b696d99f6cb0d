/** What one stage adds to the closing line. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const none: Count = { passed: 0, failed: 0, skipped: 0 };

/** A stage that left no report, or failed without naming a failure, is itself one failure. */
const orFailure = (count: Count, exitCode: number): Count =>
  exitCode !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;

export function fromVitest(name: string, exitCode: number, report: unknown): Count {
  const totals = report as
    | Record<'numPassedTests' | 'numFailedTests' | 'numPendingTests' | 'numTodoTests', number>
    | undefined;
  if (!totals) {
    process.stdout.write(`${name}: the test runner left no report\n`);
    return { ...none, failed: 1 };
  }
  const skipped = totals.numPendingTests + totals.numTodoTests;
  return orFailure({ passed: totals.numPassedTests, failed: totals.numFailedTests, skipped }, exitCode);
}

export function fromCheck(exitCode: number, report: unknown): Count {
  const checks = (report as { checks?: { ok: boolean }[] } | undefined)?.checks ?? [];
  const passed = checks.filter((check) => check.ok).length;
  return orFailure({ passed, failed: checks.length - passed, skipped: 0 }, exitCode);
}

/** The report of an SDK in another language: it has counted itself. */
export function fromSdk(name: string, exitCode: number, report: unknown): Count {
  if (report !== undefined) return orFailure(report as Count, exitCode);
  process.stdout.write(`${name}: left no report\n`);
  return { ...none, failed: 1 };
}

/** pytest's report: its suites say how many there were. */
export function fromJunit(exitCode: number, xml: string | undefined): Count {
  const total = (name: string) =>
    [...(xml ?? '').matchAll(new RegExp(`<testsuite\\b[^>]*\\b${name}="(\\d+)"`, 'g'))].reduce(
      (all, [, n]) => all + Number(n),
      0,
    );
  const failed = total('failures') + total('errors');
  const skipped = total('skipped');
  return orFailure(
    { passed: total('tests') - failed - skipped, failed, skipped },
    exitCode || (xml === undefined ? 1 : 0),
  );
}

/** `go test -json`: an event a line; those that name a test count. */
export function fromGo(exitCode: number, output: string): Count {
  const events = output.split('\n').flatMap((line) => {
    try {
      const { Action, Test } = JSON.parse(line) as { Action?: string; Test?: string };
      return Test === undefined ? [] : [Action];
    } catch {
      return [];
    }
  });
  const of = (action: string) => events.filter((each) => each === action).length;
  return orFailure({ passed: of('pass'), failed: of('fail'), skipped: of('skip') }, exitCode);
}

/** The kit's report. What it could not test is a failure: a MUST that is not tested is not conformant. */
export function fromKit(exitCode: number, json: string | undefined): Count {
  const { checks = [] } = (json === undefined ? {} : JSON.parse(json)) as { checks?: { verdict: string }[] };
  const passed = checks.filter(({ verdict }) => verdict === 'passed').length;
  return orFailure({ passed, failed: checks.length - passed, skipped: 0 }, exitCode || (json === undefined ? 1 : 0));
}

/** The coverage floor counts as one test of its own. */
export function fromCoverage(summary: unknown, floor: number): Count {
  const lines = (summary as { total?: { lines?: { pct?: number } } } | undefined)?.total?.lines?.pct ?? 0;
  const ok = lines >= floor;
  process.stdout.write(`coverage: ${lines} % of lines, floor ${floor} %${ok ? '' : ': TOO LOW'}\n`);
  return ok ? { ...none, passed: 1 } : { ...none, failed: 1 };
}

export const sum = (counts: readonly Count[]): Count =>
  counts.reduce(
    (total, count) => ({
      passed: total.passed + count.passed,
      failed: total.failed + count.failed,
      skipped: total.skipped + count.skipped,
    }),
    none,
  );

export const sumUp = ({ passed, failed, skipped }: Count): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;
