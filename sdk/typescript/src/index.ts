/**
 * `@turnwire/sdk`: the client of the three Turnwire APIs. `connect` to a peer, then call the seats; what a failure proves
 * about delivery, and whether a request may be sent again, is read from the tables of the spec.
 */

export { type AbortInput, abort } from './abort.ts';
export { type AdmitInput, type Admitted, admit } from './admit.ts';
export { type Answer, type Attempted, classify, isOurs, type Verdict } from './certainty.ts';
export { type CallOptions, type Connection, type ConnectionOptions, connect, type Retry } from './client.ts';
export { type Clock, systemClock } from './clock.ts';
export { type DeliverInput, deliver } from './deliver.ts';
export { nodeEvidence } from './evidence.ts';
export {
  type CancelExecutionInput,
  cancelExecution,
  type Executed,
  type ExecuteInput,
  type ExecutionFilter,
  execute,
  listExecutions,
  readExecution,
  replayExecution,
} from './executions.ts';
export { type FaultContext, TurnwireFault } from './fault.ts';
export { runEvents } from './feed.ts';
export * from './gen/protocol.ts';
export { history, type StreamTail, streamTail } from './history.ts';
export { harnessInfo, health, metrics, orchestratorInfo, readiness } from './info.ts';
export { heartbeat, listNodes, readNode, registerNode, removeNode } from './nodes.ts';
export type { Delivered } from './outcome.ts';
export { canonicalJson, outcomeText, render, type TemplateValues } from './outcomes.ts';
export { type Polled, poll } from './poll.ts';
export { readDelivery, receiptOutcome } from './receipt.ts';
export {
  type AttemptOutcome,
  type Decision,
  decide,
  type Fences,
  type RetryState,
  retryAfterMs,
  rungMs,
  windowLeft,
} from './retry.ts';
export type { RoutabilityLine } from './routability.ts';
export {
  answerGate,
  cancelRun,
  type GateAnswer,
  getRun,
  getWorkflow,
  listRuns,
  listWorkflows,
  type StartRunInput,
  startRun,
} from './runs.ts';
export { type Wait, type WaitOptions, wait } from './stream.ts';
export { type SurfaceRead, surface } from './surface.ts';
export type * from './table.ts';
export type * from './wire.ts';
