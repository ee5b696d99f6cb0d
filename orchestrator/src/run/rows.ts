/** What one step writes beside the run itself. Rows are whole: writing one again replaces it. Times are milliseconds since the epoch. */
import type { NodeAgent, NodeRecord } from '../nodes/port.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { AdmissionState, Settlement } from './state.ts';
import type { ExecutionStatus, Receipt, RunStatus, UsageContext } from './views.ts';

export interface RunRow {
  runId: string;
  workflow: string;
  status: Exclude<RunStatus, 'drifted'>;
  /** The host must load it at a restart. */
  live: boolean;
  startedAt: number;
  endedAt?: number;
  /** The RunState as JSON text. */
  document: string;
}

/** Finds the run of a conversation, even when its document cannot be read. */
export interface TurnRow {
  turnId: string;
  iid: string;
  runId: string;
  placement: string;
  openedAt: number;
  endedAt?: number;
}

export interface DeliveryRow {
  iid: string;
  deliveryId: string;
  runId: string;
  turnId: string;
  placement: string;
  event: string;
  /** SHA-256 of the body as a JSON value. */
  bodyHash: string;
  status: 'outstanding' | 'delivered';
  /** How often the machine took the event: once, or not at all when every guard refused. */
  transitions: 0 | 1;
  receipt?: Receipt;
  at: number;
  answeredAt?: number;
}

/** A status that a record was given, and when. */
export interface StatusChange {
  status: ExecutionStatus;
  at: number;
}

/** One dispatched turn, whoever asked for it. */
export interface ExecutionRow {
  executionId: string;
  runId: string;
  agent: string;
  turnId: string;
  iid: string;
  placement: string;
  status: ExecutionStatus;
  category?: string;
  reason?: string;
  /** Of an ad-hoc call alone: `node.agent`, and what was asked. */
  target?: string;
  input?: JsonValue;
  timeoutSeconds?: number;
  usageContext?: UsageContext;
  /** The execution that it asks again. */
  replayOf?: string;
  /** What the Agent answered an ad-hoc call. */
  result?: JsonValue;
  /** The process that has its Admission. */
  instanceId?: string;
  /** How often its prompt was sent, or tried to be. */
  attempts?: number;
  /** Absent: written before there were any. */
  timeline?: StatusChange[];
  startedAt: number;
  endedAt?: number;
}

export interface ExecutionQuery {
  status?: ExecutionStatus;
  target?: string;
  placement?: string;
  agent?: string;
  runId?: string;
  usageContext?: UsageContext;
  /** The last row of the page before. */
  after?: { startedAt: number; executionId: string };
  limit: number;
}

export interface IntentRow {
  key: string;
  runId: string;
  turnId: string;
  agent: string;
  iid: string;
  placement: string;
  /** The exact text that every copy carries. */
  body: string;
  address?: string;
  store?: string;
  savedAt: number;
  /** When a copy may have left last, also if it is known by now that it was not taken. */
  sentAt?: number;
  admission?: AdmissionState;
  settlement?: Settlement;
  /** Its named fault; `unsent`: it ended before it was sent. */
  fault?: string;
}

export interface KeyRow {
  scope: string;
  key: string;
  runId: string;
  bodyHash: string;
  answer: JsonObject;
  at: number;
}

export interface FeedRow {
  /** Given by the store at the commit; grows. */
  seq: number;
  runId?: string;
  type: string;
  /** The id of the record that it speaks of. */
  record: string;
  at: number;
  data: { [key: string]: JsonValue };
}

export interface PlacementRow {
  placement: string;
  store?: string;
  capabilities?: { idempotentAdmissions: boolean; fencedAbort: boolean; submissionStreams: boolean };
  at: number;
}

/** A node without its agents: they change with a registration alone, and the rest with every heartbeat. */
export type NodeRow = Omit<NodeRecord, 'agents'>;

export interface NodeAgentsRow {
  nodeId: string;
  agents: readonly NodeAgent[];
}

/** Changes of an intent that is already saved; what is absent stays. */
export type IntentChange = Pick<IntentRow, 'key'> &
  Partial<Pick<IntentRow, 'sentAt' | 'store' | 'admission' | 'settlement' | 'fault'>>;

/** Everything that one step saves, all or nothing. */
export interface Writes {
  run?: RunRow;
  turns?: readonly TurnRow[];
  deliveries?: readonly DeliveryRow[];
  executions?: readonly ExecutionRow[];
  intents?: readonly IntentRow[];
  intentChanges?: readonly IntentChange[];
  keys?: readonly KeyRow[];
  feed?: readonly Omit<FeedRow, 'seq'>[];
  placements?: readonly PlacementRow[];
  nodes?: readonly NodeRow[];
  nodeAgents?: readonly NodeAgentsRow[];
  removedNodes?: readonly string[];
}
