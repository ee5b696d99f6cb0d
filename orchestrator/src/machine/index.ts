/** The Machine's side of the Orchestrator, as one object: what the run host is given. */
import { runActor } from './actors.ts';
import { allowedPicks } from './allowed.ts';
import { answerOf, checkInput, checkRunInput } from './answer.ts';
import { doneEvent, errorEvent, invocations } from './children.ts';
import { loadWorkflows } from './load.ts';
import { gateAccepts, menu, ownPicks } from './menu.ts';
import type { Machines } from './port.ts';
import { atRest, stateActive } from './rest.ts';
import { advance, begin, restore } from './step.ts';

export { loadWorkflow, loadWorkflows, workflowOf } from './load.ts';
export type * from './port.ts';

export const machines: Machines = {
  load: loadWorkflows,
  begin,
  restore,
  advance,
  doneEvent,
  errorEvent,
  runActor,
  invocations,
  menu,
  ownPicks,
  allowedPicks,
  gateAccepts,
  atRest,
  stateActive,
  checkRunInput,
  checkInput,
  answerOf,
};
