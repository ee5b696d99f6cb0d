/**
 * What a sweep finds in one execution, as a pure step: an orphan, a node that stays down, or silence for too long. All of it is read from
 * the records, so that a restart of this process loses no sweep (TW-EXE-039).
 */
import { ACTIVITY_SAVED_MS, NODE_DOWN_MS, ORPHAN_GRACE_MS, STALE_MS, STREAM_SILENT_MS } from '../limits.ts';
import type { Swept } from '../run/ending-executions.ts';
import type { Turn } from '../run/state.ts';
import type { NodeNow } from './restart-wait.ts';

/** What is known beside the turn itself. Times are milliseconds since the epoch. */
export interface Seen {
  now: number;
  node: NodeNow | undefined;
  /** When its stream answered this process last. */
  heardAt: number | undefined;
  /** When this process began to listen. */
  since: number;
  /** A gate is open inside its Agent's state. */
  atGate: boolean;
}

export type Finding = Omit<Swept, 'executionId' | 'submissionId'>;

export function sweep(turn: Turn, seen: Seen): Finding | undefined {
  if (turn.settlement) return undefined;
  // Left, and its abort acknowledged: nobody will ever say how it ended.
  if (turn.phase === 'left') return turn.abortAt === undefined && !turn.deaf ? orphaned(turn, seen) : undefined;
  if (turn.executionEnded || turn.heldFault) return undefined;
  return orphaned(turn, seen) ?? abandoned(turn, seen) ?? stale(turn, seen);
}

/** Its stream answers nowhere, neither where it was admitted nor where its node is now. */
const isSilent = ({ now, heardAt, since }: Seen): boolean => now - Math.max(heardAt ?? 0, since) >= STREAM_SILENT_MS;

/** TW-EXE-034, TW-EXE-035: without an Admission it is the Orchestrator's own, whatever process there is. */
function orphaned({ admission }: Turn, seen: Seen): Finding | undefined {
  const { node, now } = seen;
  if (admission?.instanceId === undefined || node === undefined || node.instanceId === admission.instanceId)
    return undefined;
  if (now < node.registeredAt + ORPHAN_GRACE_MS || !isSilent(seen)) return undefined;
  const reason = `${admission.instanceId} had it, ${node.instanceId} has registered since, and its stream answers at neither`;
  return { code: 'agent_restart_orphaned', reason };
}

/** TW-EXE-043. */
function abandoned({ admission }: Turn, seen: Seen): Finding | undefined {
  const { node, now } = seen;
  if (admission?.instanceId === undefined || node?.inactiveSince === undefined) return undefined;
  if (now < node.inactiveSince + NODE_DOWN_MS || !isSilent(seen)) return undefined;
  return {
    code: 'node_unavailable',
    reason: `its node is down for ${NODE_DOWN_MS / 60_000} min, and its stream does not answer`,
  };
}

/** TW-EXE-036, TW-EXE-037. A turn before it in its conversation is a queue, too. */
function stale(turn: Turn, seen: Seen): Finding | undefined {
  const waits = turn.wait ?? turn.outstanding ?? turn.parkedUntil ?? turn.blockedUntil;
  if (waits !== undefined || seen.atGate) return undefined;
  const last = Math.max(lastActivity(turn), seen.heardAt ?? 0);
  if (seen.now - last < STALE_MS) return undefined;
  return { code: 'agent_timeout', reason: `nothing was heard of it for ${STALE_MS / 60_000} min` };
}

const lastActivity = ({ timeline, openedAt, heardAt }: Turn): number =>
  Math.max(timeline?.at(-1)?.at ?? openedAt, heardAt ?? 0);

/** Whether that its stream answered is worth a commit: the next process counts from what is saved. */
export const isWorthSaving = (turn: Turn, heardAt: number | undefined): boolean =>
  turn.phase === 'open' && heardAt !== undefined && heardAt - lastActivity(turn) >= ACTIVITY_SAVED_MS;
