/** The machine's port, as the ledger uses it. */
import type { MachineAction, MachineEvent, StartAction } from '../machine/port.ts';
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
