/** The checks of an SDK without a subject: what each needs and which answers it is given. */
import type { CatalogEntry, ModeCatalog } from '../catalog.ts';
import { answerOf, operationAt, operations } from '../coverage/documents.ts';
import type { ClientCase } from './case.ts';
import { loadCases } from './load.ts';
import { protocol } from './spec.ts';
import { vectorChecks } from './vectors.ts';

/** Held in `invariants.ts`, of every case. */
const everyCheck = [
  ...['TW-CER-001', 'TW-CER-002', 'TW-CER-008', 'TW-GEN-010', 'TW-GEN-029', 'TW-OUT-001', 'TW-OUT-018'],
  ...['TW-RET-009', 'TW-RET-016', 'TW-RET-021', 'TW-RET-022', 'TW-RET-024'],
];

export const clientCatalog: ModeCatalog = {
  mode: 'client',
  everyCheck,
  checks: () => [...loadCases().map(entryOf), ...vectors()],
};

/** Of the languages only the one whose native errors are data so far; a subject is given those of its own. */
function vectors(): CatalogEntry[] {
  const introduction = { language: 'typescript', version: '', features: [], vectors: 'node' };
  return vectorChecks(introduction).map(({ id, theme, says, requirements, level, feature }) => ({
    ...{ id, theme, says, requirements, level },
    needs: feature === undefined ? [] : [feature],
    reaches: [],
  }));
}

/** What an adapter must declare for a case. */
export const needsOf = ({ call, cancel }: ClientCase): string[] => [
  call.command,
  ...(cancel === undefined ? [] : ['cancel']),
];

function entryOf(of: ClientCase): CatalogEntry {
  const { id, theme, says, requirements, level } = of;
  return { id, theme, says, requirements, level, needs: needsOf(of), reaches: of.steps.flatMap(answered) };
}

/** The answer of ours that a step gives in the peer's place; by which document depends on who has such a status. */
function answered(step: ClientCase['steps'][number]): string[] {
  if (step.on !== 'request' || step.answer?.headers?.[protocol.headers.version ?? ''] === undefined) return [];
  const { status } = step.answer;
  const [method = '', path = ''] = (step.match ?? '').split(' ');
  return (['harness', 'orchestrator', 'custodian'] as const).flatMap((document) => {
    const operationId = operationAt(document, method, path)?.operationId;
    const has = operations.some(
      (each) => each.document === document && each.operationId === operationId && each.statuses.includes(`${status}`),
    );
    return has && operationId !== undefined ? [answerOf(document, operationId, status)] : [];
  });
}
