/** The checks of an orchestrator without a subject: what each needs and which answers it expects. */
import type { CatalogEntry, ModeCatalog } from '../catalog.ts';
import { answerOf, operationAt } from '../coverage/documents.ts';
import type { AnswerExpected, Call, OrchestratorCase, Step } from './case.ts';
import { loadOrchestratorCases } from './load.ts';
import { controls } from './validate.ts';

/** Held in `validity.ts` and `scene.ts`, of every answer and of everything that it sends to a Harness. */
const everyCheck = [
  ...['TW-GEN-001', 'TW-GEN-004', 'TW-GEN-005', 'TW-GEN-006', 'TW-GEN-013', 'TW-GEN-017', 'TW-GEN-028', 'TW-GEN-029'],
];

export const orchestratorCatalog: ModeCatalog = {
  mode: 'orchestrator',
  everyCheck,
  checks: () => loadOrchestratorCases().map(entryOf),
};

function entryOf(of: OrchestratorCase): CatalogEntry {
  const { id, theme, says, requirements, level, reaches = [] } = of;
  const steps = [...(of.workflow === undefined ? [] : [{ begin: {} }]), ...of.steps];
  return {
    ...{ id, theme, says, requirements, level },
    needs: controls(of) ? ['process'] : [],
    reaches: [...new Set([...steps.flatMap(reachedBy), ...reaches.map((each) => `orchestrator ${each}`)])],
  };
}

const operationOf: Readonly<Record<string, readonly [string, number]>> = {
  begin: ['startRun', 201],
  pick: ['pick', 200],
  poll: ['readDelivery', 200],
  surface: ['readSurface', 200],
  gate: ['answerGate', 200],
  cancel: ['cancelRun', 200],
  view: ['getRun', 200],
  register: ['registerNode', 200],
  node: ['registerNode', 200],
  beat: ['heartbeatNode', 200],
  nodeView: ['readNode', 200],
  execute: ['startExecution', 202],
  execution: ['readExecution', 200],
  cancelExecution: ['cancelExecution', 200],
  replay: ['replayExecution', 202],
};

/** What they expect is of the body that they wait for. */
const polls = ['view', 'nodeView', 'execution'];

/** Of one step: the answers that it is over with. */
function reachedBy(step: Step): string[] {
  if (step.together) return step.together.flatMap(reachedBy);
  if (step.feed) return [answerOf('orchestrator', step.feed.all ? 'readEvents' : 'readRunEvents', 200)];
  const { status } = (step.expect ?? {}) as AnswerExpected;
  // A list is that of copies that are sent at once.
  const statuses = [status].flat().filter((each) => typeof each === 'number');
  for (const [name, [operationId, usual]] of Object.entries(operationOf)) {
    if (!(name in step)) continue;
    if (polls.includes(name) || status === undefined) return [answerOf('orchestrator', operationId, usual)];
    return statuses.map((each) => answerOf('orchestrator', operationId, each));
  }
  return step.call ? called(step.call, statuses) : [];
}

function called({ method, path = '/', json, text, bytes, nested }: Call, statuses: readonly number[]): string[] {
  const hasBody = [json, text, bytes, nested].some((each) => each !== undefined);
  const operation = operationAt('orchestrator', method ?? (hasBody ? 'POST' : 'GET'), path);
  return operation ? statuses.map((status) => answerOf('orchestrator', operation.operationId, status)) : [];
}
