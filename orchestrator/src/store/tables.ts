import type {
  DeliveryRow,
  ExecutionRow,
  FeedRow,
  IntentRow,
  KeyRow,
  PlacementRow,
  RunRow,
  TurnRow,
} from '../run/rows.ts';
import { table } from './table.ts';

export const runs = table<RunRow>('runs', [
  'runId',
  'workflow',
  'status',
  'live:flag',
  'startedAt',
  'endedAt',
  'document',
]);
export const turns = table<TurnRow>('turns', ['turnId', 'iid', 'runId', 'placement', 'openedAt', 'endedAt']);
export const deliveries = table<DeliveryRow>('deliveries', [
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
export const executions = table<ExecutionRow>('executions', [
  'executionId',
  'runId',
  'agent',
  'turnId',
  'iid',
  'placement',
  'status',
  'category',
  'reason',
  'startedAt',
  'endedAt',
]);
export const intents = table<IntentRow>('intents', [
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
export const keys = table<KeyRow>('keys', ['scope', 'key', 'runId', 'bodyHash', 'answer:json', 'at']);
export const feed = table<FeedRow>('feed', ['seq', 'runId', 'type', 'record', 'at', 'data:json']);
export const placements = table<PlacementRow>('placements', ['placement', 'store', 'capabilities:json', 'at']);
