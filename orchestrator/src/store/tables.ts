import type {
  DeliveryRow,
  ExecutionRow,
  FeedRow,
  IntentRow,
  KeyRow,
  NodeAgentsRow,
  NodeRow,
  PlacementRow,
  RunRow,
  TurnRow,
} from '../run/rows.ts';
import { table } from './table.ts';

export const runs = table<RunRow>('runs', 1, [
  'runId',
  'workflow',
  'status',
  'live:flag',
  'startedAt',
  'endedAt',
  'document',
]);
export const turns = table<TurnRow>('turns', 1, ['turnId', 'iid', 'runId', 'placement', 'openedAt', 'endedAt']);
export const deliveries = table<DeliveryRow>('deliveries', 2, [
  'iid',
  'deliveryId',
  'runId',
  'turnId',
  'placement',
  'event',
  'bodyHash',
  'status',
  'transitions',
  'receipt:json',
  'at',
  'answeredAt',
]);
export const executions = table<ExecutionRow>('executions', 1, [
  'executionId',
  'runId',
  'agent',
  'turnId',
  'iid',
  'placement',
  'status',
  'category',
  'reason',
  'target',
  'input:json',
  'timeoutSeconds',
  'usageContext',
  'replayOf',
  'result:json',
  'instanceId',
  'attempts',
  'timeline:json',
  'startedAt',
  'endedAt',
]);
export const intents = table<IntentRow>('intents', 1, [
  'key',
  'runId',
  'turnId',
  'agent',
  'iid',
  'placement',
  'body',
  'address',
  'store',
  'savedAt',
  'sentAt',
  'admission:json',
  'settlement:json',
  'fault',
]);
export const keys = table<KeyRow>('keys', 2, ['scope', 'key', 'runId', 'bodyHash', 'answer:json', 'at']);
export const feed = table<FeedRow>('feed', 1, ['seq', 'runId', 'type', 'record', 'at', 'data:json']);
export const placements = table<PlacementRow>('placements', 1, ['placement', 'store', 'capabilities:json', 'at']);
export const nodes = table<NodeRow>('nodes', 1, [
  'nodeId',
  'instanceId',
  'baseUrl',
  'deployment',
  'version',
  'store',
  'capabilities:json',
  'health',
  'lifecycle',
  'registeredAt',
  'heardAt',
  'lastHeartbeatAt',
  'moves',
  'inactiveSince',
]);
export const nodeAgents = table<NodeAgentsRow>('node_agents', 1, ['nodeId', 'agents:json']);
