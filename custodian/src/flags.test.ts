import { protocol } from '@turnwire/sdk';
import { describe, expect, it } from 'vitest';
import { type Attempt, flagsOf } from './flags.ts';

type Evidence = Attempt['evidence'];
const { custodian, evidence: rows } = protocol;
const attempt = (evidence: Evidence, written = true): Attempt => ({ evidence, written });
const proving = (flags: readonly string[]) =>
  flags.length > 0 && flags.every((flag) => custodian.provingFlags.some((proof) => proof === flag));

describe('each row of the table, in the words of the spec', () => {
  it.each<[Evidence, string]>([
    ['connect_failed', 'UF'],
    ['lookup_failed', 'DF'],
    ['connect_timeout', 'UF'],
    ['tls_rejected', 'UF'],
  ])('%s is %s, and proof', (evidence, flag) => {
    expect(flagsOf([attempt(evidence, false)])).toEqual([flag]);
    expect(proving([flag])).toBe(true);
  });

  it.each<[Evidence, string]>([
    ['tls_failed', 'UPE'],
    ['reset', 'UR'],
    ['closed', 'UC'],
    ['unparsable', 'UPE'],
    ['headers_timeout', 'UMSDR'],
    ['body_timeout', 'UMSDR'],
    ['body_truncated', 'UPE'],
    ['attempt_timeout', 'UMSDR'],
    ['caller_aborted', 'LR'],
    ['transport_failed', 'UC'],
    ['unexplained', 'UC'],
  ])('%s is %s once the request was written, and no proof', (evidence, flag) => {
    expect(flagsOf([attempt(evidence)])).toEqual([flag]);
    expect(proving([flag])).toBe(false);
    // Nothing was written, whatever came after: the one flag that says so.
    expect(flagsOf([attempt(evidence, false)])).toEqual(['URX']);
  });

  it('has no other rows', () => {
    expect(Object.keys(custodian.flags).sort()).toEqual(Object.keys(rows).sort());
    expect(Object.keys(rows)).toHaveLength(15);
  });
});

describe('several attempts', () => {
  it.each<[string, readonly Attempt[], readonly string[]]>([
    ['refused three times', [1, 2, 3].map(() => attempt('connect_failed', false)), ['UF', 'URX']],
    [
      'two dead sockets and a refusal',
      [attempt('reset', false), attempt('closed', false), attempt('connect_failed', false)],
      ['UF', 'URX'],
    ],
    ['a refusal, then written and reset', [attempt('connect_failed', false), attempt('reset')], ['UF', 'UR']],
    ['written and reset, then a refusal', [attempt('reset'), attempt('connect_failed', false)], ['UR', 'UF']],
    ['reset twice', [attempt('reset'), attempt('reset')], ['UR']],
  ])('%s', (_, attempts, flags) => {
    expect(flagsOf(attempts)).toEqual(flags);
  });

  it('prove that nothing was written if and only if nothing was', () => {
    const names = Object.keys(rows) as Evidence[];
    const single = names.flatMap((name) => [attempt(name), attempt(name, false)]);
    for (const first of single) {
      for (const second of single) {
        const attempts = [first, second];
        expect(proving(flagsOf(attempts)), JSON.stringify(attempts)).toBe(attempts.every(({ written }) => !written));
      }
    }
  });
});

it.each([
  ['gone', 'LR'],
  ['malformed', 'DPE'],
] as const)('what the caller did is never proof: %s', (caller, flag) => {
  for (const written of [true, false])
    expect(flagsOf([{ evidence: 'connect_failed', written, caller }])).toEqual([flag]);
});
