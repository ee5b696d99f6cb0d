import { describe, expect, it } from 'vitest';
import type { Answer } from '../harness/wire.ts';
import { Document } from './document.ts';
import { judged } from './outcome.ts';

const orchestrator = new Document('orchestrator');
const json = { 'content-type': 'application/json' };
const pick = { turnId: 't-1', event: 'approve', input: {} };

describe('what a subject sends', () => {
  it.each([
    ['a pick', { method: 'POST', target: '/agents/c1/events', headers: json, body: pick }, undefined],
    [
      'a poll',
      { method: 'GET', target: '/agents/c1/deliveries/d%2F1?wait=25', headers: {}, body: undefined },
      undefined,
    ],
    ['no operation', { method: 'GET', target: '/nowhere', headers: {}, body: undefined }, /sent GET \/nowhere/],
    [
      'a wrong body',
      { method: 'POST', target: '/agents/c1/events', headers: json, body: { event: 7 } },
      /pick with a body/,
    ],
    ['no body', { method: 'POST', target: '/agents/c1/events', headers: json, body: undefined }, /pick without a body/],
    ['another type', { method: 'POST', target: '/agents/c1/events', headers: {}, body: pick }, /a body as nothing/],
    [
      'a long wait',
      { method: 'GET', target: '/agents/c1/deliveries/d?wait=90', headers: {}, body: undefined },
      /wait that must be <= 25/,
    ],
    [
      'a strange name',
      { method: 'GET', target: '/agents/a%20b/surface', headers: {}, body: undefined },
      /iid that must match/,
    ],
  ])('%s', (_, sent, problem) => {
    const [found] = orchestrator.requestViolations(sent);
    if (problem === undefined) expect(found).toBeUndefined();
    else
      expect(found).toMatchObject({
        did: expect.stringMatching(problem),
        requirement: expect.stringMatching(/^TW-GEN/),
      });
  });
});

describe('what a subject answers', () => {
  const headers = { 'turnwire-version': '1', 'turnwire-code': 'not_found', 'content-type': 'application/problem+json' };
  const json = { type: 'about:blank', title: 'x', status: 404, detail: 'x', code: 'not_found' };
  const times = { ms: 0, headMs: 0, whole: true };
  const answer: Answer = { method: 'GET', path: '/nowhere', status: 404, headers, text: 'x', json, ...times };

  it('is framed by a length or by chunks (TW-GEN-028)', () => {
    const did = 'answered GET /nowhere 404 up to the end of its connection';
    expect(orchestrator.violations(answer)).toMatchObject([{ did, requirement: 'TW-GEN-028' }]);
    for (const framed of [{ 'content-length': '1' }, { 'transfer-encoding': 'chunked' }])
      expect(orchestrator.violations({ ...answer, headers: { ...headers, ...framed } })).toEqual([]);
  });
});

describe('what a subject answers where it failed', () => {
  const headers = { 'turnwire-version': '1', 'turnwire-code': 'internal_error' };
  const problem = { type: 'about:blank', title: 'x', status: 500, code: 'internal_error' };
  const saying = (detail: string): Answer => {
    const text = JSON.stringify({ ...problem, detail });
    const framed = { 'content-type': 'application/problem+json', 'content-length': `${text.length}` };
    const said = { method: 'GET', path: '/nowhere', status: 500, text, json: JSON.parse(text) };
    return { ...said, headers: { ...headers, ...framed }, whole: true, ms: 0, headMs: 0 };
  };

  it.each([
    ['Node', String(new Error('x').stack)],
    ['Python', 'Traceback\n  File "app.py", line 7, in admit'],
    ['Go', 'panic: x\n\ngoroutine 1 [running]:\nmain.main()'],
    ['the JVM', 'x\n\tat a.b.C.run(C.java:7)'],
  ])('is no stack of %s (TW-GEN-035)', (_, stack) => {
    expect(orchestrator.violations(saying(stack))).toMatchObject([{ requirement: 'TW-GEN-035' }]);
  });

  it('may be a sentence', () => {
    expect(orchestrator.violations(saying('It failed at line 7,\nand nothing was taken.'))).toEqual([]);
  });
});

describe('what the kit itself says', () => {
  const said: Answer = {
    ...{ method: 'GET', path: '/agents/c1/surface', status: 200, text: '{}', json: {}, whole: true, ms: 0, headMs: 0 },
    headers: { 'turnwire-version': '1', etag: '"x"', ...json },
  };
  const check = { id: 'a.b', theme: 'a', says: 'x', requirements: ['TW-GEN-001'], level: 'must' } as const;

  it('was wrong on purpose where the subject should have refused it', () => {
    const sent = { method: 'POST', target: '/agents/c1/events', headers: json, body: { event: 7 } };
    const served = orchestrator.ownRequest({ ...said, sent });
    expect(judged({ mismatches: served }, check)).toMatchObject({ verdict: 'kit_error' });
    const mismatches = [...served, { did: 'took it', should: 'refuse it' }];
    expect(judged({ mismatches }, check)).toMatchObject({ verdict: 'failed', did: 'took it' });
  });

  it('is its own fault where no document has it, and says nothing of the subject', () => {
    const mismatches = orchestrator.ownViolations(said);
    expect(mismatches).toMatchObject([{ whose: 'kit', did: expect.stringContaining('200 with a body that') }]);
    const subjects = { did: 'fell over', should: 'stand' };
    expect(judged({ mismatches: [subjects, ...mismatches] }, check)).toMatchObject({
      verdict: 'kit_error',
      sentence: expect.stringMatching(/^the kit itself answered GET \/agents\/c1\/surface 200 .*defect of the kit/),
    });
  });

  it('is none where it is said in the place of somebody else', () => {
    expect(orchestrator.ownViolations({ ...said, headers: {}, status: 502 })).toEqual([]);
    expect(orchestrator.ownViolations({ ...said, text: '{"streamUrl": ', json: undefined })).toEqual([]);
  });

  it('is looked at in its requests that were served', () => {
    const sent = { method: 'POST', target: '/agents/c1/events', headers: json, body: {} };
    expect(orchestrator.ownRequest({ ...said, sent })).toMatchObject([{ whose: 'kit' }]);
    expect(orchestrator.ownRequest({ ...said, status: 422, sent })).toEqual([]);
  });
});
