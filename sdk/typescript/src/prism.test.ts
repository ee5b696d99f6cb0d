/** Every answer that the documents have, given by Prism's mocks of them, to every seat that may get it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Mock, startMock } from '../../../contract-tests/prism/mock.ts';
import { connect, protocol, TurnwireFault } from './index.ts';
import type { OperationRow } from './table.ts';
import { type Asked, asked, certaintyOf } from './testing/asked.ts';
import { type Documented, type DocumentName, documentedAnswers } from './testing/documented.ts';
import { handClock } from './testing/hand-clock.ts';

const operations: Readonly<Record<string, OperationRow>> = protocol.operations;
const documents: readonly DocumentName[] = ['harness', 'orchestrator', 'custodian'];

/** What a seat is not asked, and why. */
const excluded: readonly { seat: string; of: Partial<Documented>; why: string }[] = [
  { seat: 'readConversation/history', of: { media: 'text/event-stream' }, why: 'no seat asks for live=sse' },
  { seat: 'readConversation/stream', of: { media: 'text/event-stream' }, why: 'no seat asks for live=sse' },
  ...['catch_up', 'settled', 'failed', 'at_the_tail'].map((example) => ({
    seat: 'readConversation/history',
    of: { example },
    why: 'records are what view=updates is answered',
  })),
  { seat: 'readConversation/history', of: { status: 204 }, why: 'the answer to a long-poll' },
  { seat: 'readConversation/history', of: { status: 304 }, why: 'the answer to a conditional read of the stream' },
  { seat: 'readConversation/stream', of: { example: 'history' }, why: 'the answer to view=history' },
];

const isOf = (of: Partial<Documented>, answer: Documented): boolean =>
  Object.entries(of).every(([member, value]) => answer[member as keyof Documented] === value);

const whyNot = (seat: string, answer: Documented): string | undefined =>
  excluded.find((row) => row.seat === seat && isOf(row.of, answer))?.why;

const seatsOf = (operation: string): string[] =>
  Object.keys(operations[operation]?.seats ?? {}).map((seat) => `${operation}/${seat}`);

/** A row for each seat that may get an answer, by name. */
function matrix(document: DocumentName): [string, string, Documented][] {
  return documentedAnswers(document).flatMap((answer) =>
    seatsOf(answer.operation)
      .filter((seat) => whyNot(seat, answer) === undefined)
      .map(
        (seat) =>
          [`${seat} ${answer.status} ${answer.example ?? ''}`.trim(), seat, answer] satisfies [
            string,
            string,
            Documented,
          ],
      ),
  );
}

describe.each(documents)('against the mock of the %s', (document) => {
  let mock: Mock;
  beforeAll(async () => {
    mock = await startMock(document);
  });
  afterAll(() => mock.close());
  // The requests were what the document allows, and the answers too.
  afterEach(() => expect(mock.violations.splice(0)).toEqual([]));

  it.each(matrix(document))('%s', async (_, seat, answer) => {
    const { status, example, code } = answer;
    const row = rowOf(seat);
    const connection = connect({ baseUrl: mock.url, token: 'any', clock: handClock(), random: () => 0 });
    const headers = { prefer: `code=${status}${example === undefined ? '' : `, example=${example}`}` };
    const seen: unknown[] = [];
    // One attempt: what is asked again otherwise is judged as it came.
    const result = await row.ask(connection, answer, { windowMs: 0, headers }, seen).catch((error: unknown) => error);
    await connection.close();

    expect(seen).toEqual(row.seen?.(answer) ?? []);
    if (row.isGood?.(answer) ?? status < 400) return expect(plain(result)).toEqual(plain(row.value(answer)));
    expect(result).toBeInstanceOf(TurnwireFault);
    expect(result).toMatchObject({
      seat: seat.split('/')[1],
      status,
      code: row.fault?.(answer) ?? code,
      certainty: certaintyOf(answer),
      attempts: 1,
      problem: status < 400 ? undefined : answer.body,
    });
  });
});

describe('the matrix', () => {
  const answers = documents.flatMap((document) => documentedAnswers(document).map((answer) => ({ document, answer })));

  it('has a call for every seat of every operation, and no other', () => {
    expect(Object.keys(asked).sort()).toEqual(Object.keys(operations).flatMap(seatsOf).sort());
  });

  it('has every status of the generated table, and an example of every body', () => {
    const statuses = Object.entries(operations).flatMap(([operation, { responses }]) =>
      Object.keys(responses).map((status) => `${operation} ${status}`),
    );
    const seen = new Set(answers.map(({ answer }) => `${answer.operation} ${answer.status}`));
    expect([...seen].sort()).toEqual(statuses.sort());
  });

  it('gives every answer to a seat, but what is excluded by name', () => {
    const left = answers.filter(({ answer }) => seatsOf(answer.operation).every((seat) => whyNot(seat, answer)));
    expect(left.map(({ answer }) => `${answer.operation} ${answer.status} ${answer.media} ${answer.example}`)).toEqual([
      'readConversation 200 text/event-stream open',
      'readConversation 200 text/event-stream closing',
    ]);
  });

  it('excludes nothing that is not there', () => {
    for (const { seat, of } of excluded) {
      const some = answers.some(({ answer }) => seatsOf(answer.operation).includes(seat) && isOf(of, answer));
      expect(some, `${seat} ${JSON.stringify(of)}`).toBe(true);
    }
  });

  it('takes no answer for taken that the documents say was not, and none for refused that was', () => {
    for (const { answer } of answers) {
      const { operation, status, taken } = answer;
      const proved = certaintyOf(answer);
      if (taken === true) expect(proved, `${operation} ${status}`).not.toBe('unknown');
      if (taken === false) expect(proved, `${operation} ${status}`).not.toBe('delivered');
      if (proved === 'never_delivered') expect(taken, `${operation} ${status}`).toBe('unknown');
    }
  });
});

function rowOf(seat: string): Asked {
  const row = asked[seat];
  if (row === undefined) throw new Error(`no call for ${seat}: add one to testing/asked.ts`);
  return row;
}

/** Without what differs from run to run. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { elapsedMs: _, ...rest } = value as Record<string, unknown>;
  return rest;
}
