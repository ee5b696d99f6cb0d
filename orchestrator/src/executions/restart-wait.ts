/**
 * What an admission to a node waits for when it was not taken, as pure steps. A resident node is usually about to come back,
 * so its record is waited for and not its port: another process registered, or the same one was heard again (TW-EXE-011).
 *
 * Everything is derived from what is saved, so that a wait goes on for what is left of it after a death of this process.
 */
import { ADMISSION_WINDOW_MS } from '../limits.ts';
import type { NodeRecord, NodeSeen } from '../nodes/port.ts';

/** The node's record as a wait reads it. Times are milliseconds since the epoch. */
export type NodeNow = NodeSeen & Pick<NodeRecord, 'deployment' | 'health' | 'registeredAt' | 'inactiveSince'>;

/** The hold of one admission. It exists as long as the admission is neither taken nor given up. */
export interface RestartWait {
  /** The first attempt came to nothing: the window of the seat began. */
  since: number;
  /** The record as it was read before that attempt. */
  seen: NodeSeen;
  /** A record that has not moved by then is not waited for any more. */
  graceUntil: number;
  /** The record has moved: from then on it is sent on the ladder. */
  movedAt?: number;
  /** The last attempt: when it came to nothing, why, and the record before it. */
  at: number;
  tried: NodeSeen;
  rung: number;
  attempts: number;
  code: string;
  reason: string;
  /** One word for the line that says what it cost: an errno, or the code of an answer. */
  last: string;
}

/** One attempt that was not taken. */
export interface Refusal {
  /** The record as it was read before the attempt. */
  tried: NodeSeen;
  /** `draining`, or `unreachable`; of a copy in doubt, `unknown`. */
  code: string;
  reason: string;
  last: string;
  /** A copy may have been taken: it is sent again under its key to its store, and no record has to move for that. */
  inDoubt: boolean;
}

export interface Now {
  now: number;
  node: NodeNow | undefined;
  /** Milliseconds; negative: a restart is not waited for. */
  graceMs: number;
}

/** `hold`: for the record; `send`: on the ladder; `over`: the grace is over; `down`: the record says so; `window`: 90 s are over. */
export type Standing = 'hold' | 'send' | 'over' | 'down' | 'window';

/** Whether a restart of this node is waited for at all. */
export const isAbsorbed = ({ node, graceMs }: Pick<Now, 'node' | 'graceMs'>): boolean =>
  node?.deployment === 'resident' && graceMs >= 0;

/** An attempt was not taken: the wait as it is from here on. */
export function refused(before: RestartWait | undefined, refusal: Refusal, { now, graceMs }: Now): RestartWait {
  const { tried, code, reason, last, inDoubt } = refusal;
  const attempt = { at: now, tried, code, reason, last };
  if (before === undefined) {
    const began = { since: now, seen: tried, graceUntil: now + graceMs, rung: 0, attempts: 1, ...attempt };
    return inDoubt ? { ...began, movedAt: now } : began;
  }
  const { movedAt = inDoubt ? now : undefined, ...wait } = before;
  // Another process than the one that was tried last: it begins at the foot of the ladder.
  const rung = wait.tried.instanceId === tried.instanceId ? wait.rung + 1 : 0;
  return { ...wait, ...attempt, rung, attempts: wait.attempts + 1, ...(movedAt === undefined ? {} : { movedAt }) };
}

/** Where a wait stands by the record as it is now. */
export function standing(wait: RestartWait, { now, node }: Pick<Now, 'now' | 'node'>): Standing {
  if (now >= windowEnd(wait)) return 'window';
  const over = wait.movedAt === undefined && now >= wait.graceUntil;
  if (node === undefined || node.health === 'inactive') return over ? 'over' : 'down';
  if (wait.movedAt !== undefined || hasMoved(wait.seen, node)) return 'send';
  return over ? 'over' : 'hold';
}

/** The record moved: what was a hold is a ladder, and the first rung begins now. */
export function moved(wait: RestartWait, now: number): RestartWait {
  return wait.movedAt === undefined ? { ...wait, movedAt: now, at: now, rung: 0 } : wait;
}

export const windowEnd = ({ since }: RestartWait): number => since + ADMISSION_WINDOW_MS;

/** Another process, or a heartbeat since. */
export function hasMoved(seen: NodeSeen, now: NodeSeen): boolean {
  return now.instanceId !== seen.instanceId || now.moves !== seen.moves;
}
