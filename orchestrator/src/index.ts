/** `@turnwire/orchestrator`: what a workflow module is written with. Everything else of XState is used as it is. */
export { attemptKey } from './machine/attempt.ts';
export {
  type AgentDefinition,
  type AgentFault,
  type AgentInput,
  type AgentLimits,
  type AnswerArgs,
  type AnyEventDefinition,
  type CausedBy,
  defineAgent,
  defineEvent,
  type EventDefinition,
  type EventOf,
} from './machine/define.ts';
export type { AgentLogic, GateInput, GateLogic } from './machine/markers.ts';
export { gate, setup } from './machine/setup.ts';
export type { MachineActors, MachineEvents, MachineSetup, SetupOptions } from './machine/setup-types.ts';
