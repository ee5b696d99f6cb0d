/**
 * The end of each step: what follows from what is known now. Receipts that can be given are given, faults that were held
 * back are raised, a turn that decided nothing is asked again, one that waited for another goes on. Level-triggered: it
 * does not matter which event brought it about.
 */

import { MAX_NUDGES } from '../limits.ts';
import { ABORTED, conversationOf, isCutOff, owesAbort } from './conversations.ts';
import { allowedNow, answerOutstanding } from './deliveries.ts';
import type { Draft } from './draft.ts';
import { fail, raise, tellRetry } from './faults.ts';
import { saveIntent } from './intents.ts';
import type { Outstanding, Turn } from './state.ts';
import { stateName, text } from './texts.ts';
import { replaceUnsent, unblock } from './turns.ts';
import { picksSaid } from './unread.ts';

export function conclude(draft: Draft): void {
  // Each round ends a turn, answers a delivery or sends one on its way, so there is a last one.
  while (draft.state.status === 'active' && draft.state.turns.some((turn) => concludeTurn(draft, turn)))
    draft.changed = true;
}

/** @returns whether something followed */
function concludeTurn(draft: Draft, turn: Turn): boolean {
  if (turn.phase !== 'open') return false;
  if (turn.outstanding) return rested(draft, turn);
  if (turn.heldFault) {
    raise(draft, turn, turn.heldFault);
    return true;
  }
  if (turn.settlement?.outcome === 'completed') {
    noSignal(draft, turn);
    return true;
  }
  return turn.blockedUntil !== undefined && goesOn(draft, turn);
}

/** What it waited for is known: the turn before it is done, or was aborted where that puts an end to the conversation. */
function goesOn(draft: Draft, turn: Turn): boolean {
  const conversation = conversationOf(draft, turn.iid);
  if (conversation && isCutOff(draft, conversation)) replaceUnsent(draft, turn, ABORTED);
  else if (owesAbort(draft, turn.iid)) return false;
  else unblock(draft, turn);
  return true;
}

/** TW-PIC-001: the workflow has no work of its own left inside the Agent's state. */
function rested(draft: Draft, turn: Turn): boolean {
  const { machines, workflow } = draft.env;
  const { outstanding } = turn;
  if (!outstanding || !machines.atRest(workflow, draft.snapshot, turn.invokeId)) return false;
  const over = turn.heldFault !== undefined;
  answerOutstanding(draft, turn, {
    moved: outstanding.moved,
    turnComplete: over,
    ...(over ? { endedBy: 'fault' } : answerFor(draft, outstanding)),
  });
  return true;
}

/** TW-DLV-008. A pick that nothing took has no answer of the workflow's. */
function answerFor(draft: Draft, { event, input, moved }: Outstanding) {
  const { machines, workflow } = draft.env;
  if (!moved) return {};
  const checked = machines.checkInput(workflow, event, input);
  return machines.answerOf(workflow, event, draft.snapshot, { type: event, input: checked.ok ? checked.value : input });
}

/** TW-RUN-009: completed, its turn open, and nothing of it outstanding. */
function noSignal(draft: Draft, turn: Turn): void {
  if (turn.nudges >= MAX_NUDGES) {
    const reason = `the agent ended its turn ${turn.nudges + 1} times without a pick that settles it`;
    fail(draft, turn, { code: 'no_signal', reason, gone: true });
    return;
  }
  turn.nudges += 1;
  const message = text('nudge', {
    state: stateName(draft.state.value),
    allowed: allowedNow(draft, turn),
    ...picksSaid(turn),
  });
  saveIntent(draft, turn, { message, notices: [] });
  turn.continued = conversationOf(draft, turn.iid)?.begun ?? false;
  tellRetry(draft, turn, 'nudge', turn.nudges);
}
