/** The checks of a custodian without a subject: what each needs and which answers it expects. */
import type { CatalogEntry, ModeCatalog } from '../catalog.ts';
import { answerOf, operationAt } from '../coverage/documents.ts';
import type { AnswerExpected, Ask, CustodianCase, Step } from './case.ts';
import { loadCustodianCases } from './load.ts';
import { documentedAnswers } from './programs/documented.ts';
import { controls } from './validate.ts';

/** Held in `run/document.ts` and `scene.ts`, of every answer of its own. */
const everyCheck = ['TW-GEN-001', 'TW-GEN-004', 'TW-GEN-005', 'TW-GEN-006', 'TW-GEN-013', 'TW-GEN-028', 'TW-GEN-029'];

export const custodianCatalog: ModeCatalog = {
  mode: 'custodian',
  everyCheck,
  checks: () => loadCustodianCases().map(entryOf),
};

function entryOf(of: CustodianCase): CatalogEntry {
  const { id, theme, says, requirements, level, reaches = [] } = of;
  return {
    ...{ id, theme, says, requirements, level },
    needs: controls(of) ? ['process'] : [],
    reaches: [...new Set([...of.steps.flatMap(reachedBy), ...reaches.map((each) => `custodian ${each}`)])],
  };
}

const routes: Readonly<Record<string, string>> = {
  ...{
    surface: 'readSurface',
    pick: 'pick',
    poll: 'readDelivery',
    register: 'registerNode',
    heartbeat: 'heartbeatNode',
  },
};

/** Of one step: the answers that it is over with. */
function reachedBy(step: Step): string[] {
  if (step.together) return step.together.flatMap(reachedBy);
  if (step.run === 'every_answer')
    return documentedAnswers.map(({ operationId, status }) => answerOf('custodian', operationId, status));
  if (!step.ask) return [];
  const { status = 200, foreign, none } = (step.expect ?? {}) as AnswerExpected;
  // An answer that is not ours is none of the document.
  if (foreign || none) return [];
  const operation = operationOf(step.ask);
  return typeof status === 'number' && operation !== undefined ? [answerOf('custodian', operation, status)] : [];
}

function operationOf({ route, method = 'GET', target, health }: Ask): string | undefined {
  if (health) return 'getHealth';
  return target === undefined ? routes[route ?? ''] : operationAt('custodian', method, target)?.operationId;
}
