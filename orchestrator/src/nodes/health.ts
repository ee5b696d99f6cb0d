/**
 * What becomes of a node, as one pure step: `(state, event, now) → state and news`. Nothing here knows of a timer, of a
 * store or of a network; whoever calls it commits the result before anybody sees it.
 */
import { protocol } from '@turnwire/sdk';
import type { NodeLifecycle, NodeRecord, NodeRegistration, NodeSeen } from './port.ts';

const { leaseSeconds, probeAttempts, probeGoodMs } = protocol.constants;

export interface NodeState {
  readonly record: NodeRecord;
  /** Failed probes in a row since the node was heard last. */
  readonly failedProbes: number;
  /** Since when good probes alone have come. */
  readonly goodSince?: number;
  /** No lease ends before: the Orchestrator was away, and could not hear it (TW-NOD-021). */
  readonly leaseNotBefore: number;
}

export type NodeEvent =
  | { readonly type: 'register'; readonly nodeId: string; readonly registration: NodeRegistration }
  | { readonly type: 'heartbeat'; readonly instanceId: string; readonly lifecycle: NodeLifecycle }
  /** `seen` is what was read when the probe was sent, `at` when that was. */
  | { readonly type: 'probed'; readonly isGood: boolean; readonly seen: NodeSeen; readonly at: number }
  /** Looks whether the lease is over. */
  | { readonly type: 'lease' }
  /** A call waited for it in vain (TW-EXE-016). */
  | { readonly type: 'demote'; readonly seen: NodeSeen }
  | { readonly type: 'remove' };

export interface NodeStep {
  /** Absent: there is no such node. */
  readonly state?: NodeState;
  /** For the feed, in order; none: nobody has to be told. */
  readonly news: readonly NodeNews[];
  /** Whether the record differs, so that it has to be saved; what only this process counts does not. */
  readonly isChanged: boolean;
  readonly refused?: 'unknown_node' | 'stale_instance';
}

export interface NodeNews {
  readonly type: 'node.registered' | 'node.health' | 'node.removed';
  readonly record: NodeRecord;
  readonly reason?: string;
}

/** When the lease of a node is over, if it has one (TW-NOD-013, TW-NOD-017). */
export function leaseEnd({ record, leaseNotBefore }: NodeState): number {
  if (record.deployment === 'serverless') return Number.POSITIVE_INFINITY;
  return Math.max(record.heardAt + leaseSeconds * 1_000, leaseNotBefore);
}

/** A record as it was saved, at a start. */
export const restored = (record: NodeRecord, leaseNotBefore: number): NodeState => ({
  record,
  failedProbes: 0,
  leaseNotBefore,
});

export function step(state: NodeState | undefined, event: NodeEvent, now: number): NodeStep {
  if (event.type === 'register') return registered(state, event, now);
  if (!state) return { news: [], isChanged: false, refused: 'unknown_node' };
  switch (event.type) {
    case 'heartbeat':
      return heard(state, event, now);
    case 'probed':
      return event.isGood ? probedWell(state, event, now) : probedInVain(state, event, now);
    case 'lease':
      return now < leaseEnd(state) ? same(state) : down(state, `no heartbeat for ${leaseSeconds} s`, now);
    case 'demote':
      return hasMoved(state, event.seen) ? same(state) : down(state, 'it did not come back while a call waited', now);
    case 'remove':
      return { news: [{ type: 'node.removed', record: state.record }], isChanged: true };
  }
}

/** Whether the node was heard since (TW-NOD-014): what was decided on that is too late then. */
export const hasMoved = ({ record }: NodeState, seen: NodeSeen): boolean =>
  record.instanceId !== seen.instanceId || record.moves !== seen.moves;

function registered(
  before: NodeState | undefined,
  { nodeId, registration }: Extract<NodeEvent, { type: 'register' }>,
  now: number,
): NodeStep {
  const known = before?.record;
  const isSameProcess = known?.instanceId === registration.instanceId;
  const record: NodeRecord = {
    ...registration,
    nodeId,
    health: 'unknown',
    lifecycle: isSameProcess ? known.lifecycle : 'starting',
    registeredAt: isSameProcess ? known.registeredAt : now,
    heardAt: now,
    // Of a node that was removed nothing is known any more: time does not repeat a number that it had.
    moves: Math.max(known?.moves ?? 0, now) + 1,
  };
  return { state: restored(record, now), news: [{ type: 'node.registered', record }], isChanged: true };
}

function heard(
  state: NodeState,
  { instanceId, lifecycle }: Extract<NodeEvent, { type: 'heartbeat' }>,
  now: number,
): NodeStep {
  if (instanceId !== state.record.instanceId) return { ...same(state), refused: 'stale_instance' };
  const { inactiveSince: _, ...record } = state.record;
  const beaten: NodeRecord = {
    ...record,
    health: 'healthy',
    lifecycle,
    heardAt: now,
    lastHeartbeatAt: now,
    moves: record.moves + 1,
  };
  return changed(state, restored(beaten, state.leaseNotBefore), 'a heartbeat');
}

function probedWell(state: NodeState, { seen, at }: Extract<NodeEvent, { type: 'probed' }>, now: number): NodeStep {
  if (hasMoved(state, seen) || state.record.deployment === 'serverless') return same(state);
  const goodSince = state.goodSince ?? at;
  const good: NodeState = { ...state, failedProbes: 0, goodSince };
  // Without its lease it answers and no longer heartbeats: that does not heal by itself (TW-NOD-015).
  const isUp = at - goodSince >= probeGoodMs && now < leaseEnd(state);
  if (!isUp || state.record.health === 'healthy') return same(good);
  const { inactiveSince: _, ...record } = state.record;
  return changed(state, { ...good, record: { ...record, health: 'healthy' } }, 'good probes');
}

function probedInVain(state: NodeState, { seen }: Extract<NodeEvent, { type: 'probed' }>, now: number): NodeStep {
  if (hasMoved(state, seen) || state.record.deployment === 'serverless') return same(state);
  const { goodSince: _, ...rest } = state;
  const failing: NodeState = { ...rest, failedProbes: state.failedProbes + 1 };
  if (failing.failedProbes < probeAttempts) return same(failing);
  return down(failing, `${failing.failedProbes} failed probes in a row`, now);
}

function down(state: NodeState, reason: string, now: number): NodeStep {
  const { record } = state;
  if (record.health === 'inactive' || record.deployment === 'serverless') return same(state);
  const { goodSince: _, ...rest } = state;
  return changed(state, { ...rest, record: { ...record, health: 'inactive', inactiveSince: now } }, reason);
}

const same = (state: NodeState): NodeStep => ({ state, news: [], isChanged: false });

function changed(before: NodeState, state: NodeState, reason: string): NodeStep {
  const isNews = before.record.health !== state.record.health;
  return { state, news: isNews ? [{ type: 'node.health', record: state.record, reason }] : [], isChanged: true };
}
