import { beforeAll, expect, it } from 'vitest';
import { type DocumentName, documentNames } from '../prism/documents.ts';
import { type DocumentedExchange, documentedExchanges } from './documented.ts';
import { PrismWatch } from './prism.ts';
import type { Exchange } from './recorder.ts';

const watches = {} as Record<DocumentName, PrismWatch>;
beforeAll(async () => {
  for (const document of documentNames) watches[document] = await PrismWatch.of(document);
});

/** A documented exchange, made wrong in one place. */
interface Wrong {
  readonly what: string;
  readonly document: DocumentName;
  readonly of: string;
  readonly made: (right: DocumentedExchange) => Partial<Exchange>;
  readonly side: 'request' | 'response';
  readonly says: RegExp;
}

const reply = (change: (body: Record<string, unknown>) => object) => (right: DocumentedExchange) => ({
  responseBody: JSON.stringify(change(JSON.parse(right.responseBody))),
});
const ask = (change: (body: Record<string, unknown>) => unknown) => (right: DocumentedExchange) => ({
  requestBody: JSON.stringify(change(JSON.parse(right.requestBody))),
});
const without = (name: string) => (body: Record<string, unknown>) => {
  const { [name]: _, ...rest } = body;
  return rest;
};
const head = (headers: Record<string, string>) => (right: DocumentedExchange) => ({
  responseHeaders: { ...right.responseHeaders, ...headers },
});

const wrongs: readonly Wrong[] = [
  {
    what: 'an admission without its offset',
    document: 'harness',
    of: 'admit with_definition 202',
    made: reply(without('offset')),
    side: 'response',
    says: /offset/,
  },
  {
    what: 'a receipt without allowed',
    document: 'orchestrator',
    of: 'pick without_payload 200',
    made: reply(without('allowed')),
    side: 'response',
    says: /allowed/,
  },
  {
    what: 'a receipt whose moved is a text',
    document: 'custodian',
    of: 'pick without_payload 200',
    made: reply((body) => ({ ...body, moved: 'yes' })),
    side: 'response',
    says: /moved/,
  },
  {
    what: 'a problem without a code',
    document: 'orchestrator',
    of: 'getRun 404',
    made: reply(without('code')),
    side: 'response',
    says: /code/,
  },
  {
    what: 'a code that this answer never has',
    document: 'harness',
    of: 'readConversation 404',
    made: reply((body) => ({ ...body, code: 'turn_over' })),
    side: 'response',
    says: /code/,
  },
  {
    what: 'a header with another code than the body',
    document: 'orchestrator',
    of: 'startRun 422 workflow_refused',
    made: head({ 'turnwire-code': 'invalid' }),
    side: 'response',
    says: /turnwire-code/,
  },
  {
    what: 'a problem that calls itself plain JSON',
    document: 'orchestrator',
    of: 'getRun 404',
    made: head({ 'content-type': 'application/json' }),
    side: 'response',
    says: /content-type/,
  },
  {
    what: 'a page in our place',
    document: 'orchestrator',
    of: 'getRun 200',
    made: (right) => ({ ...head({ 'content-type': 'text/html' })(right), responseBody: '<html>' }),
    side: 'response',
    says: /media type/,
  },
  {
    what: 'a 204 with a body',
    document: 'harness',
    of: 'getHealth 204',
    made: () => ({ responseBody: 'fine' }),
    side: 'response',
    says: /empty/,
  },
  {
    what: 'a record of no type that there is',
    document: 'harness',
    of: 'readConversation 200',
    made: () => ({ responseBody: '[{"type":"submission.lost","submissionId":"s","at":"2026-03-01T09:00:00Z"}]' }),
    side: 'response',
    says: /body/,
  },
  {
    what: 'a stream page without an answer',
    document: 'harness',
    of: 'readConversation 200',
    made: () => ({ responseBody: '' }),
    side: 'response',
    says: /body/,
  },
  {
    what: 'broken JSON',
    document: 'orchestrator',
    of: 'listRuns 200',
    made: () => ({ responseBody: '{"items": [' }),
    side: 'response',
    says: /JSON/,
  },
  {
    what: 'a draining answer without Retry-After',
    document: 'harness',
    of: 'admit 503',
    made: (right) => ({
      responseHeaders: without('retry-after')(right.responseHeaders) as Exchange['responseHeaders'],
    }),
    side: 'response',
    says: /retry-after/i,
  },
  {
    what: 'an admission without a message',
    document: 'harness',
    of: 'admit with_definition 202',
    made: ask(without('message')),
    side: 'request',
    says: /message/,
  },
  {
    what: 'a pick without a turnId',
    document: 'custodian',
    of: 'pick without_payload 200',
    made: ask(without('turnId')),
    side: 'request',
    says: /turnId/,
  },
  {
    what: 'a pick of a number',
    document: 'orchestrator',
    of: 'pick without_payload 200',
    made: ask((body) => ({ ...body, event: 7 })),
    side: 'request',
    says: /event/,
  },
  {
    what: 'a run that is started with nothing',
    document: 'orchestrator',
    of: 'startRun 201',
    made: () => ({ requestBody: '' }),
    side: 'request',
    says: /[Bb]ody/,
  },
  {
    what: 'a request that is broken JSON',
    document: 'orchestrator',
    of: 'startRun 201',
    made: () => ({ requestBody: '{' }),
    side: 'request',
    says: /JSON/,
  },
  {
    what: 'a form in place of JSON',
    document: 'orchestrator',
    of: 'startRun 201',
    made: (right) => ({ requestHeaders: { ...right.requestHeaders, 'content-type': 'text/plain' } }),
    side: 'request',
    says: /content types/,
  },
  {
    what: 'a read without its view',
    document: 'harness',
    of: 'readConversation 200',
    made: (right) => ({ url: right.url.replace(/\?.*/, '') }),
    side: 'request',
    says: /view/,
  },
  {
    what: 'a wait of an hour',
    document: 'orchestrator',
    of: 'readDelivery 200',
    made: (right) => ({ url: right.url.replace(/\?.*/, '?wait=3600') }),
    side: 'request',
    says: /wait/,
  },
  {
    what: 'a key with a space in it',
    document: 'harness',
    of: 'admit 202',
    made: (right) => ({ requestHeaders: { ...right.requestHeaders, 'idempotency-key': 'a key' } }),
    side: 'request',
    says: /idempotency-key/,
  },
  {
    what: 'a path that no document has',
    document: 'custodian',
    of: 'readSurface 200',
    made: () => ({ url: '/runs' }),
    side: 'request',
    says: /route/i,
  },
  {
    what: 'a method that the path does not take',
    document: 'orchestrator',
    of: 'getRun 200',
    made: () => ({ method: 'DELETE' }),
    side: 'request',
    says: /route|method/i,
  },
];

it.each(wrongs.map((wrong) => [wrong.what, wrong] as const))(
  'catches %s',
  async (_, { document, of, made, side, says }) => {
    const words = of.split(' ');
    const right = documentedExchanges(document).find(({ name }) =>
      words.every((word) => name.split(' ').includes(word)),
    );
    if (right === undefined) throw new Error(`no exchange of ${document} is ${of}`);
    const violations = await watches[document].check({ ...right, ...made(right) });
    expect(violations).toContainEqual({
      where: expect.stringContaining(' '),
      side,
      message: expect.stringMatching(says),
    });
    expect(violations.filter((each) => each.side !== side)).toEqual([]);
  },
);
