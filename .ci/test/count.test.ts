import { describe, expect, it } from 'vitest';
import { fromCheck, fromCoverage, fromGo, fromJunit, fromKit, fromSdk, fromVitest, none, sum, sumUp } from './count.ts';

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

  it("reads pytest's report", () => {
    const xml = '<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="2" tests="10" time="1">';
    expect(fromJunit(1, xml)).toEqual({ passed: 6, failed: 2, skipped: 2 });
    expect(fromJunit(0, undefined).failed).toBe(1);
  });

  it('reads what go test says', () => {
    const event = (Action: string, Test?: string) => JSON.stringify({ Action, ...(Test && { Test }) });
    const output = [
      event('run', 'A'),
      event('pass', 'A'),
      event('fail', 'B'),
      event('skip', 'C'),
      event('fail'),
      'noise',
    ];
    expect(fromGo(1, output.join('\n'))).toEqual({ passed: 1, failed: 1, skipped: 1 });
    expect(fromGo(2, 'does not compile').failed).toBe(1);
  });

  it("reads the kit's report, in which what was not tested has failed", () => {
    const report = JSON.stringify({
      checks: [{ verdict: 'passed' }, { verdict: 'failed' }, { verdict: 'not_tested' }],
    });
    expect(fromKit(1, report)).toEqual({ passed: 1, failed: 2, skipped: 0 });
    expect(fromKit(3, undefined).failed).toBe(1);
  });

  it('counts an SDK that left no report as a failure', () => {
    expect(fromSdk('go', 0, undefined).failed).toBe(1);
    expect(fromSdk('go', 0, { passed: 0, failed: 0, skipped: 1 })).toEqual({ ...none, skipped: 1 });
  });

  it('holds the coverage floor', () => {
    const at = (pct: number) => ({ total: { lines: { pct } } });
    expect(fromCoverage(at(85), 85).failed).toBe(0);
    expect(fromCoverage(at(84.9), 85).failed).toBe(1);
    expect(fromCoverage(undefined, 85).failed).toBe(1);
  });
});
