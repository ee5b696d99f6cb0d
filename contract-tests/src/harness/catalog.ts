/** The checks of a harness without a subject: what each needs and which answers it expects. */
import type { CatalogEntry, ModeCatalog } from '../catalog.ts';
import { answerOf, operationAt } from '../coverage/documents.ts';
import type { AnswerExpected, Call, HarnessCase, Step } from './case.ts';
import { loadHarnessCases } from './load.ts';
import { controls } from './validate.ts';

/** Held in `validity.ts`, `records.ts` and `conversation.ts`, of every answer and every stream. */
const everyCheck = [
  ...['TW-GEN-001', 'TW-GEN-004', 'TW-GEN-005', 'TW-GEN-006', 'TW-GEN-013', 'TW-GEN-028', 'TW-GEN-029'],
  ...['TW-ADM-001', 'TW-STR-001', 'TW-STR-030', 'TW-STR-032', 'TW-STR-033', 'TW-STR-035', 'TW-STR-036'],
];

export const harnessCatalog: ModeCatalog = {
  mode: 'harness',
  everyCheck,
  checks: () => loadHarnessCases().map(entryOf),
};

function entryOf(of: HarnessCase): CatalogEntry {
  const { id, theme, says, requirements, level, needs, reaches = [] } = of;
  const derived = of.steps.flatMap(reachedBy);
  return {
    ...{ id, theme, says, requirements, level },
    needs: [...(controls(of) ? ['process'] : []), ...needs],
    reaches: [...new Set([...derived, ...reaches.map((each) => `harness ${each}`)])],
  };
}

/** Of one step: the answers that it is over with. */
function reachedBy({ admit, call, abort, history, follow, expect }: Step): string[] {
  const { status } = (expect ?? {}) as AnswerExpected;
  const of = (operationId: string, usual: number) => [answerOf('harness', operationId, Number(status ?? usual))];
  if (admit) return of('admit', 202);
  if (abort) return of('abortConversation', 200);
  if (history) return [answerOf('harness', 'readConversation', 200)];
  if (follow) return [answerOf('harness', 'readConversation', 200)];
  return call && typeof status === 'number' ? called(call, status) : [];
}

function called({ method, path, url, json, text, bytes, nested }: Call, status: number): string[] {
  const hasBody = [json, text, bytes, nested].some((each) => each !== undefined);
  // A URL that the subject gave is that of a stream.
  const target = url === undefined ? (path ?? '/') : '/agents/name/iid';
  const verb = method ?? (hasBody ? 'POST' : 'GET');
  const operation = operationAt('harness', verb, target)?.operationId;
  if (operation !== undefined) return [answerOf('harness', operation, status)];
  // What the document says of a method that a path does not have stands with the one that writes there.
  return status === 405 ? [answerOf('harness', 'admit', 405), answerOf('harness', 'readConversation', 405)] : [];
}
