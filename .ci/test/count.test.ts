import { describe, expect, it } from 'vitest';
import { fromCheck, fromCoverage, fromVitest, none, sum, sumUp } from './count.ts';

const report = (passed: number, failed: number, pending = 0) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: pending,
  numTodoTests: 0,
});

describe('the closing line', () => {
  it('adds the stages up', () => {
    const total = sum([fromVitest('a', 0, report(3, 0, 1)), fromCheck(0, { checks: [{ ok: true }] }), none]);
    expect(sumUp(total)).toBe('4 passed, 0 failed, 1 skipped');
  });

  it('counts a stage without a report as a failure', () => {
    expect(fromVitest('a', 0, undefined).failed).toBe(1);
    expect(fromCheck(1, undefined).failed).toBe(1);
  });

  it('counts a stage that failed without naming a test', () => {
    expect(fromVitest('a', 1, report(3, 0))).toEqual({ passed: 3, failed: 1, skipped: 0 });
  });

  it('holds the coverage floor', () => {
    const at = (pct: number) => ({ total: { lines: { pct } } });
    expect(fromCoverage(at(85), 85).failed).toBe(0);
    expect(fromCoverage(at(84.9), 85).failed).toBe(1);
    expect(fromCoverage(undefined, 85).failed).toBe(1);
  });
});
