import { describe, expect, it } from 'vitest';
import { coverageText, isWhole } from './command.ts';
import { coverageOf, type Sources } from './coverage.ts';
import { operationAt, operations } from './documents.ts';
import { coverage } from './load.ts';

const check = { theme: 't', says: '', level: 'must', needs: [] } as const;
const sources = (more: Partial<Sources> = {}): Sources => ({
  requirements: new Map([
    ['TW-GEN-001', 'It MUST be so.'],
    ['TW-GEN-002', 'It SHOULD be so.'],
    ['TW-GEN-003', 'It MAY be so.'],
  ]),
  operations: [
    {
      ...{ document: 'harness', operationId: 'admit', method: 'POST', path: '/a', secured: true, takesBody: true },
      token: 'harnessToken',
      statuses: ['202', '400', '500'],
    },
  ],
  catalogs: [
    {
      mode: 'harness',
      everyCheck: ['TW-GEN-001'],
      checks: () => [{ ...check, id: 'a.b', requirements: ['TW-GEN-002'], reaches: ['harness admit 202'] }],
    },
  ],
  exclusions: [{ what: 'harness * 500', reason: 'cannot be brought about' }],
  ...more,
});
const standings = (rows: readonly { readonly what: string; readonly standing: string }[]) =>
  Object.fromEntries(rows.map(({ what, standing }) => [what, standing]));

describe('coverage', () => {
  it('says of each requirement and each documented answer whether it is tested, excluded or neither', () => {
    const { requirements, answers, problems } = coverageOf(sources());
    expect(standings(requirements)).toEqual({
      'TW-GEN-001': 'tested',
      'TW-GEN-002': 'tested',
      'TW-GEN-003': 'not_tested',
    });
    expect(standings(answers)).toEqual({
      'harness admit 202': 'tested',
      'harness admit 400': 'not_tested',
      'harness admit 500': 'excluded',
    });
    expect(requirements.map(({ level }) => level)).toEqual(['must', 'should', 'may']);
    expect(problems).toEqual([]);
  });

  it('reads a pattern of answers', () => {
    const entry = { ...check, id: 'a.c', requirements: ['TW-GEN-003'], reaches: ['harness * 400'] };
    const catalogs = [...sources().catalogs, { mode: 'harness', everyCheck: [], checks: () => [entry] }];
    expect(standings(coverageOf(sources({ catalogs })).answers)).toMatchObject({ 'harness admit 400': 'tested' });
  });

  it('finds what is wrong in the other direction', () => {
    const entry = { ...check, id: 'a.c', requirements: [], reaches: ['harness admit 418'] };
    const stray = { ...check, id: 'a.d', requirements: ['TW-NON-001'], reaches: [] };
    const catalogs = [...sources().catalogs, { mode: 'harness', everyCheck: [], checks: () => [entry, stray] }];
    const exclusions = [...sources().exclusions, { what: 'TW-GEN-001', reason: 'is tested' }];
    expect(coverageOf(sources({ catalogs, exclusions })).problems).toEqual([
      expect.stringContaining('a.c: names no requirement'),
      expect.stringContaining('a.d: TW-NON-001 is no requirement'),
      expect.stringContaining('a.c: expects harness admit 418'),
      expect.stringContaining('TW-GEN-001 excludes nothing'),
    ]);
  });

  it('prints a line for each, and the reasons', () => {
    const found = coverageOf(sources());
    const text = coverageText(found);
    expect(text).toContain('tested      TW-GEN-001  harness, in every check');
    expect(text).toContain('NOT TESTED  TW-GEN-003  It MAY be so.');
    expect(text).toContain('excluded    harness admit 500  cannot be brought about');
    expect(isWhole(found)).toBe(false);
  });
});

describe('the kit', () => {
  const found = coverage();

  it('has no check without a requirement, names none that is not, and excludes nothing that is tested', () => {
    expect(found.problems).toEqual([]);
  });

  it('tests every requirement and every documented answer, or says why not', () => {
    const untested = [...found.requirements, ...found.answers].filter(({ standing }) => standing === 'not_tested');
    expect(untested.map(({ what }) => what)).toEqual([]);
  });

  it('reads the operation of a request from the documents', () => {
    expect(operationAt('harness', 'POST', '/agents/a/b?x=1')?.operationId).toBe('admit');
    expect(operationAt('harness', 'GET', '/runs')).toBeUndefined();
    expect(operations.find(({ operationId }) => operationId === 'admit')).toMatchObject({ secured: true, takesBody: true });
  });
});
