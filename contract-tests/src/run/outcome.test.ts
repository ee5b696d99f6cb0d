import { expect, it } from 'vitest';
import { judged } from './outcome.ts';

const check = { id: 'a.b', theme: 'a', says: 'It is so.', requirements: ['TW-GEN-001'], level: 'must' } as const;
const wrong = (did: string) => ({ did, should: 'not' });

it('a failure is one sentence: what it did, what it should do, and where the spec says so; the others stand behind its trace', () => {
  const mismatches = [wrong('fell'), { ...wrong('cried'), requirement: 'TW-GEN-004' }];
  const { sentence, trace, requirement } = judged({ mismatches, trace: ['  1 ms  step'] }, check);
  expect(sentence).toMatch(
    /^the subject fell; it should not \(and 1 more\)\. It is so\. TW-GEN-001, spec\/protocol\.md: "Every response/,
  );
  expect(trace).toEqual(['  1 ms  step', 'also: it cried; it should not (TW-GEN-004)']);
  expect(requirement).toBe('TW-GEN-001');
});

it('no credential of a subject stands in a report, whoever told it', () => {
  const secret = 'local.abcdefghijklmnopqrstuvwxyz';
  const told = `Bearer ${secret}`;
  const wire = [{ atMs: 0, from: 'kit', to: 'subject', label: 'GET /', body: told } as const];
  const result = judged(
    { mismatches: [wrong(`said ${told}`), wrong(told)], trace: [told], wire, secrets: [secret] },
    check,
  );
  expect(JSON.stringify(result)).not.toContain('abcdef');
  expect(result.did).toBe('said Bearer loca…');
});
