/** The machine's port, as the ledger uses it. */
import type { MachineAction, MachineEvent, StartAction, Workflow } from '../machine/port.ts';
import type { JsonObject } from './json.ts';

export type {
  Invocation,
  MachineEvent,
  Machines,
  Snapshot,
  StartAction,
  StepResult,
  Workflow,
} from '../machine/port.ts';
export type CustomAction = Extract<MachineAction, { kind: 'custom' }>;
export type { MachineAction };

/** What starting and re-finding an actor have in common. */
export type Started = Omit<StartAction, 'kind'>;

/** As it will be read back after a restart. */
export function asJson(event: MachineEvent): JsonObject {
  try {
    return JSON.parse(JSON.stringify(event)) as JsonObject;
  } catch {
    return { type: event.type };
  }
}

/** Whether one state is the other or lies below it, whatever ids their author gave them. */
export function isAtOrBelow(workflow: Workflow, inner: string, outer: string): boolean {
  const below = pathOf(workflow, inner);
  return pathOf(workflow, outer).every((key, depth) => below[depth] === key);
}

const pathOf = (workflow: Workflow, stateId: string): readonly string[] =>
  workflow.machine.getStateNodeById(stateId).path;
