/** From the intent to the Admission, and from there to the Settlement: what the Harness's side reports, as events of the ledger. */

import type { RestartWait } from '../executions/restart-wait.ts';
import { conversationOf, owesAbort } from './conversations.ts';
import { changeIntent, type Draft, turnById } from './draft.ts';
import { countAttempt, moveExecution } from './executions.ts';
import { fail, faultFor, isFaultCode, markLost } from './faults.ts';
import type { Settlement, Turn } from './state.ts';
import { dropTurn, dropUnsent, endIntent, moveToFresh, replaceUnsent } from './turns.ts';
import { wasPutToModel, wasRead } from './unread.ts';

export interface CopyEvent {
  turnId: string;
  key: string;
  /** The store that the copy names. */
  store?: string;
}

/**
 * A copy is about to leave: from this commit on it may have. @returns whether it may: the turn is still wanted and nothing stands
 * before it
 */
export function dispatch(draft: Draft, event: CopyEvent): boolean {
  const turn = turnById(draft, event.turnId);
  if (!turn || turn.intent.key !== event.key || turn.admission || turn.heldFault) return false;
  if (turn.intent.doubt) return true;
  if (turn.phase !== 'open' || turn.blockedUntil !== undefined) return false;
  draft.changed = true;
  const { store: _, ...intent } = turn.intent;
  const named = event.store === undefined ? {} : { store: event.store };
  turn.intent = { ...intent, ...named, doubt: true };
  changeIntent(draft, event.key, { sentAt: draft.env.now, ...named });
  dispatching(draft, turn);
  return true;
}

/** It is proved of every copy so far that it was not taken: the intent is as good as one that was never sent (TW-DUR-025). */
export function notTaken(draft: Draft, event: Omit<CopyEvent, 'store'>): void {
  const turn = turnById(draft, event.turnId);
  if (!turn || turn.intent.key !== event.key || turn.admission || turn.intent.fault !== undefined) return;
  // A dial that came to nothing: there was no doubt, and what readers see is the same from the second one on.
  if (!turn.intent.doubt && turn.executionStatus !== 'queued') return;
  // Its own pick says that its Harness has it.
  if (turn.leftByPick) return;
  draft.changed = true;
  turn.intent = { ...turn.intent, doubt: false };
  if (turn.phase === 'open') {
    dispatching(draft, turn);
    return;
  }
  dropUnsent(draft, turn);
}

function dispatching(draft: Draft, turn: Turn): void {
  const { executionStatus } = turn;
  if (executionStatus === 'queued' || executionStatus === 'awaiting_restart') moveExecution(draft, turn, 'dispatching');
}

export interface AdmittedEvent {
  turnId: string;
  key: string;
  admission: { streamUrl: string; offset: string; submissionId: string };
  store?: string;
  /** Where it was sent, if that is not the placement's address by now. */
  address?: string;
  /** Of a node: the process that was there by its record. */
  instanceId?: string;
}

/** TW-DUR-018: the intent has its one Admission, whatever became of the turn meanwhile. @returns the wait that is over with it */
export function admitted(draft: Draft, event: AdmittedEvent): RestartWait | undefined {
  const turn = turnById(draft, event.turnId);
  if (!turn || turn.intent.key !== event.key || turn.admission) return undefined;
  const { wait } = turn;
  draft.changed = true;
  countAttempt(turn);
  const { offset, submissionId, streamUrl } = event.admission;
  const address = event.address ?? draft.env.placement(turn.placement).baseUrl;
  const path = pathOn(address, streamUrl);
  if (path === undefined) {
    // TW-RUN-013: the bearer goes to the placement's own origin alone.
    fail(draft, turn, {
      code: 'bad_response',
      reason: `the stream of ${submissionId} is on another origin`,
      gone: false,
    });
    return wait;
  }
  turn.admission = { path, offset, submissionId, ...ofNode(event) };
  delete turn.wait;
  changeIntent(draft, event.key, { admission: turn.admission });
  begun(draft, turn, event.store);
  if (turn.phase === 'open') moveExecution(draft, turn, 'running');
  return wait;
}

/** A wait follows a node to another address, and has to know which process it waits for. */
function ofNode({ instanceId, address }: AdmittedEvent) {
  return instanceId === undefined ? {} : { instanceId, ...(address === undefined ? {} : { address }) };
}

function begun(draft: Draft, turn: Turn, store: string | undefined): void {
  const conversation = conversationOf(draft, turn.iid);
  if (!conversation) return;
  conversation.begun = true;
  if (store !== undefined) conversation.store = store;
}

function pathOn(baseUrl: string | undefined, streamUrl: string): string | undefined {
  if (baseUrl === undefined || !URL.canParse(streamUrl, baseUrl)) return undefined;
  const url = new URL(streamUrl, baseUrl);
  return url.origin === new URL(baseUrl).origin ? url.pathname + url.search : undefined;
}

export interface AdmissionFault {
  turnId: string;
  key: string;
  code: string;
  reason: string;
  certainty: string;
  /** An earlier copy than those of this call may have arrived. */
  inDoubt: boolean;
}

export function admissionFailed(draft: Draft, event: AdmissionFault): RestartWait | undefined {
  const turn = turnById(draft, event.turnId);
  if (!turn || turn.intent.key !== event.key || turn.admission) return undefined;
  const { wait } = turn;
  draft.changed = true;
  countAttempt(turn);
  fault(draft, turn, event);
  return wait;
}

function fault(draft: Draft, turn: Turn, event: AdmissionFault): void {
  const taken = event.certainty === 'unknown' || event.certainty === 'delivered' || event.inDoubt;
  if (turn.phase === 'left') {
    endIntent(draft, turn, admissionCode(event));
    return;
  }
  // TW-RUN-019: another store has no such conversation. The next copy is another prompt, so it is another intent.
  if (event.code === 'store_changed' && !taken && turn.nudges === 0) {
    endIntent(draft, turn, 'store_changed');
    moveToFresh(draft, turn, 'the harness has another store now');
    return;
  }
  if (event.code === 'store_changed' && turn.nudges > 0) {
    markLost(draft, turn);
    fail(draft, turn, { code: 'conversation_lost', reason: event.reason, gone: true });
    return;
  }
  fail(draft, turn, { code: admissionCode(event), reason: event.reason, gone: !taken });
}

/** TW-RET-003: what is in doubt stays in doubt, whatever the last copy was told. */
function admissionCode(event: AdmissionFault): string {
  if (event.inDoubt && event.certainty !== 'answered') return 'admission_unknown';
  const answer = faultFor('answers', event.code);
  if (answer !== undefined) return answer;
  return faultFor('certainties', event.certainty) ?? 'bad_response';
}

export function settled(draft: Draft, event: { turnId: string; submissionId: string; settlement: Settlement }): void {
  const turn = turnById(draft, event.turnId);
  if (!turn || turn.admission?.submissionId !== event.submissionId || turn.settlement) return;
  draft.changed = true;
  turn.settlement = event.settlement;
  changeIntent(draft, turn.intent.key, { settlement: event.settlement });
  if (event.settlement.outcome === 'completed') wasPutToModel(draft, turn);
  if (turn.phase === 'left') {
    settledAfter(draft, turn);
    return;
  }
  if (event.settlement.outcome === 'completed') return; // The conclusion of the step asks what is next.
  const word = event.settlement.error?.code ?? event.settlement.outcome;
  const reason = event.settlement.error?.message ?? `the harness settled it ${event.settlement.outcome}`;
  fail(draft, turn, { code: faultFor('settlements', word) ?? 'internal_error', reason, gone: true });
}

/** A left turn is done: it read its receipt if it completed. */
function settledAfter(draft: Draft, turn: Turn): void {
  if (turn.settlement?.outcome === 'completed') wasRead(draft, turn);
  dropTurn(draft, turn);
}

export interface StreamFault {
  turnId: string;
  submissionId: string;
  code: string;
  reason: string;
}

/** The wait for a Settlement ended with knowledge of another kind: TW-RUN-021. */
export function streamFailed(draft: Draft, event: StreamFault): void {
  const turn = turnById(draft, event.turnId);
  if (!turn || turn.admission?.submissionId !== event.submissionId || turn.settlement || turn.deaf) return;
  draft.changed = true;
  turn.deaf = true;
  const code = isFaultCode(event.code) ? event.code : (faultFor('answers', event.code) ?? 'bad_response');
  const gone = code === 'conversation_lost';
  if (gone || code === 'stream_gone') markLost(draft, turn);
  changeIntent(draft, turn.intent.key, { fault: code });
  if (turn.phase === 'open') {
    fail(draft, turn, { code, reason: event.reason, gone });
    return;
  }
  // Proved gone, or unreadable for ever: what is left to do for it is its abort.
  if (gone || turn.abortAt === undefined) dropTurn(draft, turn);
}

/**
 * An abort without a fence is about to leave, or is proved not to have arrived. What continues its conversation does so elsewhere from
 * here on. @returns whether it is still owed
 */
export function aborting(draft: Draft, event: { turnId: string; doubt: boolean }): boolean {
  const turn = turnById(draft, event.turnId);
  if (turn?.phase !== 'left' || turn.abortAt === undefined) return false;
  draft.changed = true;
  turn.abortDoubt = event.doubt;
  const conversation = conversationOf(draft, turn.iid);
  if (conversation) conversation.aborted = true;
  return true;
}

/** An owed abort was acknowledged (TW-RUN-014). */
export function abortAcknowledged(draft: Draft, event: { turnId: string; fence: string }): void {
  const turn = turnById(draft, event.turnId);
  if (turn?.phase !== 'left' || turn.abortAt === undefined) return;
  draft.changed = true;
  endIntent(draft, turn, 'turn_over');
  if (turn.admission && !turn.settlement && !turn.deaf) delete turn.abortAt;
  else dropTurn(draft, turn);
}

/** TW-RUN-017: it has waited long enough for the turn before it. */
export function blockedTooLong(draft: Draft, event: { turnId: string }): void {
  const turn = turnById(draft, event.turnId);
  if (!turn?.blockedUntil || draft.env.now < turn.blockedUntil || !owesAbort(draft, turn.iid)) return;
  draft.changed = true;
  replaceUnsent(draft, turn, 'its last turn could not be ended');
}
