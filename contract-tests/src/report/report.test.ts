import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { type CheckResult, conforms, countsAt, type Report } from './check.ts';
import { claimOf, claimText } from './claim.ts';
import { reportJson, writeReport } from './files.ts';
import { junit } from './junit.ts';
import { failureLines, summaryLines } from './lines.ts';
import { Progress } from './progress.ts';
import { sequence } from './sequence.ts';
import { badge, summary } from './summary.ts';
import { Wire } from './wire.ts';

const check = (id: string, verdict: CheckResult['verdict'], more: Partial<CheckResult> = {}): CheckResult => ({
  ...{ id, theme: id.split('/')[0] ?? '', says: '', requirements: ['TW-CER-001'], level: 'must', verdict, ms: 12 },
  ...more,
});

const report = (checks: CheckResult[], knownFailing: Report['knownFailing'] = { failed: [], passed: [] }): Report => ({
  ...{ mode: 'client', level: 'must', subject: { command: './adapter' }, seed: 1, ms: 1500, checks, knownFailing },
  ...{ startedAt: '2026-01-01T00:00:00.000Z', claim: claimOf('must') },
});

describe('conformant', () => {
  it.each([
    [[check('a/1', 'passed')], true],
    [[], false],
    [[check('a/1', 'passed'), check('a/2', 'failed')], false],
    [[check('a/1', 'passed'), check('a/2', 'not_tested')], false],
    [[check('a/1', 'passed'), check('a/2', 'not_tested', { level: 'may' })], true],
    [[check('a/1', 'passed'), check('a/2', 'skipped')], true],
    [[check('a/2', 'skipped')], false],
    [[check('a/1', 'passed'), check('a/2', 'kit_error', { level: 'may' })], false],
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

const wire = new Wire(0);
wire.message('kit', 'subject', 'POST /agents/coder/<a>', '{"a":1}', 12);
wire.message('subject', 'kit', '500', '<html>', 30);
wire.remark('the subject is killed');
const sentence = 'the subject says "<a>" & \u0000; it should not.';
const mixed = report([
  check('a/1', 'passed', { wire: wire.events }),
  check('a/2', 'failed', {
    sentence,
    did: 'says <a>',
    should: 'be silent',
    requirement: 'TW-CER-001',
    trace: ['one', '<two>'],
    wire: wire.events,
  }),
  check('b/1', 'not_tested', { sentence: 'it has to control the process' }),
  check('b/2', 'skipped', { sentence: 'the subject does not declare fencedAbort' }),
  check('b/3', 'kit_error', { sentence: 'the kit itself broke down' }),
]);

it('junit.xml holds what XML can hold', () => {
  const xml = junit(mixed);
  expect(xml).toContain('<testsuite name="a" tests="2" failures="1" errors="0" skipped="0">');
  expect(xml).toContain('says &quot;&lt;a&gt;&quot; &amp; ?; it should not.">one\n&lt;two&gt;</failure>');
  expect(xml).toContain('<testsuite name="b" tests="3" failures="0" errors="1" skipped="2">');
  expect(xml).toContain('<error message="the kit itself broke down">');
});

it('report.json is what its schema in the spec says', () => {
  const schema = createRequire(import.meta.url).resolve('@turnwire/spec/report.schema.json');
  const ajv = new Ajv2020({ strict: true });
  addFormats.default(ajv);
  const validate = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')));
  const written: unknown = JSON.parse(JSON.stringify(reportJson(mixed)));
  expect(validate(written), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ ...(written as object), version: 2 })).toBe(false);
});

it('a sequence has a lane for each party, an arrow for each message, and its time', () => {
  const svg = sequence(wire.events);
  expect(svg.match(/class="lane"/g)).toHaveLength(2);
  expect(svg.match(/class="arrow"/g)).toHaveLength(2);
  expect(svg).toContain('0.012 s');
  expect(svg).toContain('POST /agents/coder/&lt;a&gt;\n{&quot;a&quot;:1}</title>');
});

it('summary.md and badge.json say it in a few words', () => {
  expect(summary(mixed)).toContain('## Turnwire client: not conformant');
  expect(summary(mixed)).toContain('| a | 1 | 1 | 0 |');
  expect(summary(mixed)).toMatch(/- \*\*failed\*\* `a\/2`: the subject says "\\<a\\>"/);
  expect(badge(mixed)).toMatchObject({ schemaVersion: 1, message: '3 of 5 not passed', color: 'red' });
  expect(badge(report([check('a/1', 'passed')]))).toMatchObject({ message: 'conformant (must)', color: 'brightgreen' });
});

it('the claim names the kit, the spec, the level and what was known to fail', () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwire-claim-'));
  writeFileSync(join(folder, 'known'), 'a/1\n');
  const claim = claimOf('should', join(folder, 'known'));
  expect(claim).toMatchObject({ specRevision: expect.stringMatching(/^1-[0-9a-f]{12}$/), level: 'should' });
  expect(claim.knownFailing).toMatch(/^[0-9a-f]{64}$/);
  expect(claimText(claimOf('must'))).toMatch(
    /^kit \d+\.\d+\.\d+, spec revision 1-\w+, level must, known failing: none$/,
  );
  expect(claimText(claimOf('must', undefined, true))).toMatch(/, selected checks alone$/);
  writeReport(join(folder, 'made', 'here'), mixed);
  expect(readdirSync(join(folder, 'made', 'here')).sort()).toEqual([
    'badge.json',
    'junit.xml',
    'report.html',
    'report.json',
    'summary.md',
  ]);
  rmSync(folder, { recursive: true });
});

it('a person reads one line a failure, and one at the end', () => {
  const failed = check('a/2', 'failed', { sentence: 'the subject did; it should.', trace: ['the wire'] });
  expect(failureLines(failed, false)).toEqual(['failed  a/2: the subject did; it should.']);
  expect(failureLines(failed, true)).toHaveLength(2);
  expect(summaryLines(report([check('a/1', 'passed'), failed]))).toEqual([
    '1 passed, 1 failed in 1.5 s: not conformant',
    expect.stringMatching(/^\(kit .*\)$/),
  ]);
});

describe('progress', () => {
  const shown = (isTTY: boolean): string => {
    let text = '';
    const progress = new Progress({ isTTY, write: (piece) => (text += piece) }, false);
    progress.planned(mixed.checks);
    for (const result of mixed.checks) progress.result(result);
    progress.end();
    return text;
  };

  it('on a terminal is a line for each theme, drawn again as it changes', () => {
    const text = shown(true);
    expect(text).toContain('\u001b[2A\u001b[J');
    expect(text.split('\u001b[J').at(-1)).toMatch(
      /^not ok {2}a +2\/2, 1 wrong {2}[\d.]+ s\nnot ok {2}b +3\/3, 1 wrong, 1 not tested/,
    );
  });

  it('elsewhere is a plain line for each failure and each theme that is over', () => {
    expect(shown(false)).toMatch(
      /^failed {2}a\/2: .*\nnot ok {2}a .*\nnot tested {2}b\/1: .*\nKIT ERROR {2}b\/3: .*\nnot ok {2}b .*\n$/,
    );
  });
});
