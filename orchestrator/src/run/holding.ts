/** A turn whose node cannot take it now: parked before it has a record, or held until the node is back (nodes.md, the three rules). */
import {
  isAbsorbed,
  moved,
  type Refusal,
  type RestartWait,
  refused,
  type Standing,
  standing,
} from '../executions/restart-wait.ts';
import { ADMISSION_WINDOW_MS } from '../limits.ts';
import { type Draft, type KnownPlacement, turnById } from './draft.ts';
import { countAttempt, moveExecution, startExecution } from './executions.ts';
import { fail } from './faults.ts';
import type { Turn } from './state.ts';
import { dropUnsent, endIntent } from './turns.ts';

export interface RefusedEvent extends Refusal {
  turnId: string;
  key: string;
}

/** Why nothing can be sent to a placement now. A serverless node never says that it lives, so nothing says that it does not. */
function obstacleAt({ baseUrl, node }: KnownPlacement): 'target_not_found' | 'node_unavailable' | undefined {
  if (node === undefined) return baseUrl === undefined ? 'target_not_found' : undefined;
  return node.health === 'inactive' && node.deployment === 'resident' ? 'node_unavailable' : undefined;
}

/** TW-EXE-008: nobody waits on a socket for a Run's turn, so it waits for its node; its record begins when it can be sent. */
export function parkOrStart(draft: Draft, turn: Turn): void {
  if (obstacleAt(draft.env.placement(turn.placement))) turn.parkedUntil = draft.env.now + ADMISSION_WINDOW_MS;
  else startExecution(draft, turn);
}

/** An attempt came to nothing, and it is for the ledger to say what follows. */
export function refusedByNode(draft: Draft, event: RefusedEvent): RestartWait | undefined {
  const turn = turnById(draft, event.turnId);
  if (!turn || turn.intent.key !== event.key || turn.admission || turn.heldFault) return undefined;
  if (turn.intent.fault !== undefined) return undefined;
  draft.changed = true;
  if (turn.phase === 'left') {
    // Its own pick says that its Harness has it; else it is proved that it has not, or its abort is owed.
    if (turn.leftByPick || event.inDoubt) endIntent(draft, turn, 'turn_over');
    else dropUnsent(draft, turn);
    return undefined;
  }
  countAttempt(turn);
  const seen = seenBy(draft, turn);
  turn.intent = { ...turn.intent, doubt: event.inDoubt };
  turn.wait = refused(turn.wait, event, seen);
  if (turn.executionStatus === 'queued') moveExecution(draft, turn, 'dispatching');
  if (!event.inDoubt && isAbsorbed(seen)) moveExecution(draft, turn, 'awaiting_restart', event.reason);
  return !event.inDoubt && !isAbsorbed(seen) ? giveUp(draft, turn, 'down') : lookAgain(draft, turn);
}

/** The node's record may have changed, or a time may be over: level-triggered, so that nothing is missed in between. */
export function look(draft: Draft, { turnId }: { turnId: string }): RestartWait | undefined {
  const turn = turnById(draft, turnId);
  if (turn?.phase !== 'open' || turn.heldFault || turn.admission) return undefined;
  if (turn.parkedUntil === undefined) return lookAgain(draft, turn);
  unpark(draft, turn, turn.parkedUntil);
  return undefined;
}

function unpark(draft: Draft, turn: Turn, until: number): void {
  const obstacle = obstacleAt(draft.env.placement(turn.placement));
  if (obstacle === undefined) {
    draft.changed = true;
    delete turn.parkedUntil;
    startExecution(draft, turn);
    return;
  }
  if (draft.env.now < until) return;
  const what = obstacle === 'target_not_found' ? 'there is no node of that name' : 'its record says that it is down';
  const reason = `nothing was sent to ${turn.placement} in ${ADMISSION_WINDOW_MS / 1_000} s: ${what}`;
  fail(draft, turn, { code: obstacle, reason, gone: true });
}

/** @returns the wait, if it is over without an Admission */
function lookAgain(draft: Draft, turn: Turn): RestartWait | undefined {
  if (!turn.wait) return undefined;
  const stands = standing(turn.wait, seenBy(draft, turn));
  if (stands !== 'hold' && stands !== 'send') {
    // What is in doubt waits for no record: the window of its seat is all that ends it.
    return turn.intent.doubt && stands !== 'window' ? undefined : giveUp(draft, turn, stands);
  }
  const next = stands === 'send' ? moved(turn.wait, draft.env.now) : turn.wait;
  if (next !== turn.wait) draft.changed = true;
  turn.wait = next;
  return undefined;
}

const seenBy = (draft: Draft, turn: Turn) => ({
  now: draft.env.now,
  node: draft.env.placement(turn.placement).node,
  graceMs: draft.env.restartGraceMs,
});

const ended: Record<Exclude<Standing, 'hold' | 'send'>, (draft: Draft) => string> = {
  over: ({ env }) => `its node did not come back within ${env.restartGraceMs / 1_000} s`,
  down: () => 'its node is down',
  window: () => `it was not taken within ${ADMISSION_WINDOW_MS / 1_000} s`,
};

function giveUp(draft: Draft, turn: Turn, because: Exclude<Standing, 'hold' | 'send'>): RestartWait | undefined {
  const { wait, intent } = turn;
  if (!wait) return undefined;
  const draining = because === 'window' && wait.code === 'draining';
  const code = intent.doubt ? 'admission_unknown' : draining ? 'draining' : 'agent_unreachable';
  const spent = `${wait.attempts} attempt${wait.attempts === 1 ? '' : 's'} in ${draft.env.now - wait.since} ms`;
  const why = because === 'down' && !isAbsorbed(seenBy(draft, turn)) ? '' : `${ended[because](draft)}; `;
  fail(draft, turn, { code, reason: `${why}${wait.reason} (${spent})`, gone: !intent.doubt });
  return wait;
}
