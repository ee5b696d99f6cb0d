import type { JsonObject } from '../run/json.ts';
import type { FeedRow } from '../run/rows.ts';
import { timeText } from '../run/view.ts';
import type { NodeNews } from './health.ts';
import type { NodeRecord } from './port.ts';

/** A node as readers see it (TW-NOD-019). */
export function nodeView(record: NodeRecord): JsonObject {
  const { moves: _, heardAt: __, registeredAt, lastHeartbeatAt, inactiveSince, ...said } = record;
  return {
    ...(said as unknown as JsonObject),
    registeredAt: timeText(registeredAt),
    ...(lastHeartbeatAt === undefined ? {} : { lastHeartbeatAt: timeText(lastHeartbeatAt) }),
    ...(inactiveSince === undefined ? {} : { inactiveSince: timeText(inactiveSince) }),
  };
}

/** What the feed says of it (TW-NOD-025). */
export function nodeFrame({ type, record, reason }: NodeNews, at: number): Omit<FeedRow, 'seq'> {
  const { nodeId, health, lifecycle, instanceId, baseUrl } = record;
  const data = { nodeId, health, lifecycle, instanceId, baseUrl, ...(reason === undefined ? {} : { reason }) };
  return { type, record: nodeId, at, data };
}
