/**
 * The outbox: everything that the committed state owes to the world, read off the state itself. The shell keeps exactly
 * these going: what is new it starts, what is no longer there it stops. A restart starts them all.
 *
 * An effect's `id` is the same as long as it is the same piece of work.
 */
import { windowEnd } from '../executions/restart-wait.ts';
import type { NodeSeen } from '../nodes/port.ts';
import { nameOf } from './intents.ts';
import type { RunState, Turn } from './state.ts';

export type Effect =
  | {
      kind: 'admit';
      id: string;
      turnId: string;
      key: string;
      doubt: boolean;
      continued: boolean;
      placement: string;
      /** An attempt came to nothing: when, and how high the ladder is. */
      again?: { at: number; rung: number; until: number; tried: NodeSeen };
    }
  /** Until the node's record has changed, or that time is over. `learn`: the node is down then, unless its record moved since. */
  | { kind: 'hold'; id: string; turnId: string; placement: string; until: number; learn?: NodeSeen }
  | {
      kind: 'wait';
      id: string;
      turnId: string;
      placement: string;
      path: string;
      offset: string;
      submissionId: string;
      /** Where the Admission was made, when that is known. */
      address?: string;
    }
  /** Not before `at`. */
  | {
      kind: 'abort';
      id: string;
      turnId: string;
      at: number;
      agent: string;
      iid: string;
      placement: string;
      submissionId?: string;
      /** A copy without a fence may have arrived. */
      doubt: boolean;
      /** Where it was admitted, when that is known. */
      address?: string;
    }
  | { kind: 'unblock'; id: string; turnId: string; at: number }
  | { kind: 'actor'; id: string; actorId: string; key: string }
  /** The next deadline of the run: they fire in order. */
  | { kind: 'timer'; id: string; deadline: string; at: number }
  | { kind: 'act'; id: string; act: string };

export function owed(state: RunState): Effect[] {
  const effects = state.turns.flatMap((turn) => ofTurn(turn, nameOf(state, turn)));
  for (const { id, key } of state.actors) effects.push({ kind: 'actor', id: `actor ${key}`, actorId: id, key });
  const [next] = [...state.deadlines].sort((a, b) => a.at - b.at || a.order - b.order);
  if (next) effects.push({ kind: 'timer', id: `timer ${next.order}`, deadline: next.id, at: next.at });
  for (const { id } of state.acts) effects.push({ kind: 'act', id: `act ${id}`, act: id });
  return effects;
}

function ofTurn(turn: Turn, agent: string): Effect[] {
  const { turnId, iid, placement, admission } = turn;
  const effects: Effect[] = [];
  const send = sending(turn);
  if (send) effects.push(send);
  if (admission && !turn.settlement && !turn.deaf) {
    const { path, offset, submissionId, address } = admission;
    const at = { path, offset, submissionId, ...(address === undefined ? {} : { address }) };
    effects.push({ kind: 'wait', id: `wait ${submissionId}`, turnId, placement, ...at });
  }
  if (turn.phase === 'left' && turn.abortAt !== undefined) {
    const fence = admission === undefined ? {} : { submissionId: admission.submissionId };
    const where = admission?.address === undefined ? {} : { address: admission.address };
    const id = `abort ${turnId} ${fence.submissionId ?? ''}`;
    effects.push({
      kind: 'abort',
      id,
      turnId,
      at: turn.abortAt,
      agent,
      iid,
      placement,
      doubt: turn.abortDoubt ?? false,
      ...fence,
      ...where,
    });
  }
  return effects;
}

/** A left turn's admission is followed up only when its own pick proves that the Harness has it. */
function sending(turn: Turn): Effect | undefined {
  const { turnId, placement, intent, continued, wait } = turn;
  if (turn.admission || turn.heldFault || intent.fault !== undefined) return undefined;
  if (turn.parkedUntil !== undefined)
    return turn.phase === 'left'
      ? undefined
      : { kind: 'hold', id: `park ${turnId}`, turnId, placement, until: turn.parkedUntil };
  if (turn.blockedUntil !== undefined)
    return { kind: 'unblock', id: `unblock ${turnId}`, turnId, at: turn.blockedUntil };
  if (turn.phase === 'left' && !turn.leftByPick) return undefined;
  if (wait && wait.movedAt === undefined) {
    const id = `hold ${intent.key} ${wait.attempts}`;
    return { kind: 'hold', id, turnId, placement, until: wait.graceUntil, learn: wait.seen };
  }
  return {
    kind: 'admit',
    id: `admit ${intent.key}${wait ? ` ${wait.attempts}` : ''}`,
    ...(wait && { again: { at: wait.at, rung: wait.rung, until: windowEnd(wait), tried: wait.tried } }),
    turnId,
    key: intent.key,
    doubt: intent.doubt,
    continued,
    placement,
  };
}
