/**
 * What an answer of ours means, in the words and codes of the documents: no other module compares a status. Pure and without
 * a Node import.
 */
import { faults, type OutcomeCode, outcomes, type ProblemCode, protocol } from './gen/protocol.ts';
import type { AnswerMatch, OperationRow, OutcomeRow, ResponseRow } from './table.ts';

/** An answer, as far as its meaning goes. */
export interface Said {
  readonly status: number;
  readonly code?: string | undefined;
}

const operations: Readonly<Record<string, OperationRow>> = protocol.operations;

/** What the documents say of an answer to an operation; `undefined` where they do not know it. */
export function documented(operation: string, status: number): ResponseRow | undefined {
  return operations[operation]?.responses[`${status}`];
}

/** Whether it is in one of these rows. */
export function isListed(rows: readonly AnswerMatch[], { status, code }: Said): boolean {
  return rows.some(({ status: [from, to], codes }) => {
    if (status < from || status > to) return false;
    return codes === undefined || (code !== undefined && codes.includes(code));
  });
}

/** Whether it says one of these codes, and with the status that the code comes with: another one is no word of ours (TW-RET-026). */
export function says(said: Said | undefined, ...codes: readonly ProblemCode[]): boolean {
  return codes.some((code) => said?.code === code && said.status === protocol.problemCodes[code].status);
}

/** Whether it refuses the credential. */
export function refusesCredential({ code }: Said): boolean {
  const rows = Object.values(faults).filter(({ category }) => category === 'permission_denied');
  return code !== undefined && rows.some(({ answers }) => answers?.includes(code) === true);
}

const outcomeRows: Readonly<Record<OutcomeCode, OutcomeRow>> = outcomes;

/** The outcome of a pick that this answer refused. */
export function refusalOutcome(said: Said): OutcomeCode {
  const rows = Object.entries(outcomeRows) as [OutcomeCode, OutcomeRow][];
  return rows.find(([, { answers = [] }]) => isListed(answers, said))?.[0] ?? 'rejected';
}

/** Whether such an answer speaks of every copy of the pick: it is given after the look for a known id (TW-PIC-011). */
export function isOfEveryCopy(outcome: OutcomeCode): boolean {
  return outcomeRows[outcome].ofEveryCopy === true;
}
