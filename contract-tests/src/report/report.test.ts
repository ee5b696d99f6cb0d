import { describe, expect, it } from 'vitest';
import { type CheckResult, conforms, countsAt, type Report } from './check.ts';
import { junit } from './files.ts';
import { failureLines, summaryLines } from './lines.ts';

const check = (id: string, verdict: CheckResult['verdict'], more: Partial<CheckResult> = {}): CheckResult => ({
  ...{ id, theme: id.split('/')[0] ?? '', says: '', requirements: ['TW-CER-001'], level: 'must', verdict, ms: 12 },
  ...more,
});

const report = (checks: CheckResult[], knownFailing: Report['knownFailing'] = { failed: [], passed: [] }): Report => ({
  ...{ mode: 'client', level: 'must', subject: { command: './adapter' }, seed: 1, ms: 1500, checks, knownFailing },
});

describe('conformant', () => {
  it.each([
    [[check('a/1', 'passed')], true],
    [[], false],
    [[check('a/1', 'passed'), check('a/2', 'failed')], false],
    [[check('a/1', 'passed'), check('a/2', 'not_tested')], false],
    [[check('a/1', 'passed'), check('a/2', 'not_tested', { level: 'may' })], true],
  ])('%#', (checks, expected) => expect(conforms(report(checks))).toBe(expected));

  it('is a subject whose failures are all declared, and none of them passed', () => {
    const checks = [check('a/1', 'passed'), check('a/2', 'failed')];
    expect(conforms(report(checks, { failed: ['a/2'], passed: [] }))).toBe(true);
    expect(conforms(report(checks, { failed: ['a/2'], passed: ['a/1'] }))).toBe(false);
  });

  it('a MUST counts at each level, a MAY at its own', () => {
    expect([countsAt('must', 'may'), countsAt('may', 'must'), countsAt('should', 'should')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

it('junit.xml holds what XML can hold', () => {
  const sentence = 'says "<a>" & \u0000';
  const xml = junit(
    report([
      check('a/1', 'passed'),
      check('a/2', 'failed', { sentence, trace: ['one', '<two>'] }),
      check('b/1', 'not_tested'),
    ]),
  );
  expect(xml).toContain('<testsuite name="a" tests="2" failures="1" skipped="0">');
  expect(xml).toContain('<failure message="says &quot;&lt;a&gt;&quot; &amp; ?">one\n&lt;two&gt;</failure>');
  expect(xml).toContain('<testsuite name="b" tests="1" failures="0" skipped="1">');
});

it('a person reads one line a failure, and one at the end', () => {
  const failed = check('a/2', 'failed', { sentence: 'the subject did; it should.', trace: ['the wire'] });
  expect(failureLines(failed, false)).toEqual(['failed  a/2: the subject did; it should.']);
  expect(failureLines(failed, true)).toHaveLength(2);
  expect(summaryLines(report([check('a/1', 'passed'), failed]))).toEqual([
    '1 passed, 1 failed in 1.5 s: not conformant',
  ]);
});
