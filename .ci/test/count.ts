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
