/** A turn belongs to the state that asked for it (TW-RUN-008): how it begins, and how it is over. */
import { ABORT_WAIT_MS, OWN_PICK_GRACE_MS } from '../limits.ts';
import { conversationOf, converse, fresh, noticesFor, owesAbort } from './conversations.ts';
import { answerOutstanding } from './deliveries.ts';
import { type Cause, changeIntent, type Draft } from './draft.ts';
import { endExecution } from './executions.ts';
import { parkOrStart } from './holding.ts';
import { askedOf, saveIntent, withdrawIntent } from './intents.ts';
import { isAtOrBelow, type StartAction } from './machines.ts';
import type { Conversation, Turn } from './state.ts';
import { stateName } from './texts.ts';
import { leaveUnread, wasRead } from './unread.ts';

export function openTurn(draft: Draft, start: StartAction): void {
  const { env, state } = draft;
  const agent = start.slot ?? start.src;
  const placement = env.workflow.agents[agent]?.placement ?? env.defaultPlacement;
  const asked = askedOf(draft, start.id, start.input);
  const { conversation, continued, freshBecause } = converse(draft, agent, placement, asked.continue);
  const turn: Turn = {
    turnId: env.newId('turn'),
    executionId: env.newId('execution'),
    executionStatus: 'queued',
    executionEnded: false,
    openedAt: env.now,
    agent,
    invokeId: start.id,
    stateId: start.stateId,
    iid: conversation.iid,
    placement,
    continued,
    phase: 'open',
    intent: { key: '', doubt: false },
    nudges: 0,
    reruns: 0,
    picks: [],
    taken: 0,
    tells: [],
  };
  if (owesAbort(draft, turn.iid)) turn.blockedUntil = env.now + ABORT_WAIT_MS;
  state.turns.push(turn);
  draft.opened.add(turn.turnId);
  saveTurnRow(draft, turn);
  parkOrStart(draft, turn);
  saveOpening(draft, turn, conversation, {
    prompt: asked.prompt,
    ...(freshBecause === undefined ? {} : { freshBecause }),
  });
}

/** The first message of the turn in this conversation: its prompt, and what its Agent has to be told with it. */
function saveOpening(
  draft: Draft,
  turn: Turn,
  conversation: Conversation | undefined,
  { prompt, freshBecause }: { prompt?: string; freshBecause?: string } = {},
): void {
  const { notices, tells } = conversation
    ? noticesFor(draft, conversation, stateName(draft.state.value), freshBecause)
    : { notices: [], tells: [] };
  saveIntent(draft, turn, { message: prompt ?? askedOf(draft, turn.invokeId).prompt, notices });
  turn.tells = tells;
}

/**
 * The same turn in a conversation of the next epoch: the old one cannot be gone on with, or is lost. Where there was one, its Agent
 * is told so and why (TW-RUN-019).
 */
export function moveToFresh(draft: Draft, turn: Turn, because: string): void {
  const begun = conversationOf(draft, turn.iid)?.begun === true;
  const conversation = fresh(draft, turn.agent, turn.placement);
  turn.iid = conversation.iid;
  turn.continued = false;
  delete turn.blockedUntil;
  saveTurnRow(draft, turn);
  saveOpening(draft, turn, conversation, begun ? { freshBecause: because } : {});
}

/** The turn before it is done: what it left unread is known now, so the first message is written anew. */
export function unblock(draft: Draft, turn: Turn): void {
  delete turn.blockedUntil;
  const conversation = conversationOf(draft, turn.iid);
  if (conversation?.lost) {
    replaceUnsent(draft, turn, 'the harness no longer has it');
    return;
  }
  withdrawIntent(draft, turn);
  saveOpening(draft, turn, conversation);
}

export function replaceUnsent(draft: Draft, turn: Turn, because: string): void {
  withdrawIntent(draft, turn);
  moveToFresh(draft, turn, because);
}

export function leaveInvocation(draft: Draft, invokeId: string, cause: Cause): void {
  const turn = draft.state.turns.find((one) => one.invokeId === invokeId && one.phase === 'open');
  if (turn) leaveTurn(draft, turn, cause, draft.failing ? 'run_ended' : cause.kind === 'timer' ? 'timed_out' : 'left');
}

/** In the words of the receipt (TW-DLV-005); a fault has its own way. */
type EndedBy = 'left' | 'timed_out' | 'cancelled' | 'run_ended';

/** The state is left: the turn is over with this commit. What is still owed to its Harness stays in the ledger. */
export function leaveTurn(draft: Draft, turn: Turn, cause: Cause, endedBy: EndedBy): void {
  if (draft.opened.has(turn.turnId)) {
    withdrawTurn(draft, turn);
    return;
  }
  const own = isOwn(draft, turn, cause);
  turn.leftByPick = own;
  if (turn.outstanding) {
    const moved = cause.kind === 'pick' && own ? true : turn.outstanding.moved;
    answerOutstanding(draft, turn, { moved, turnComplete: true, ...(own ? {} : { endedBy }) });
  }
  endExecution(draft, turn, executionEnd(own, cause));
  closeTurn(draft, turn);
  oweAbort(draft, turn, own ? draft.env.now + OWN_PICK_GRACE_MS : draft.env.now);
}

/** Its registration is gone; the next message to this Agent says what it may not have read. */
export function closeTurn(draft: Draft, turn: Turn): void {
  turn.phase = 'left';
  delete turn.blockedUntil;
  saveTurnRow(draft, turn, draft.env.now);
  const read = turn.settlement?.outcome === 'completed';
  if (mayBeThere(turn) && !read) leaveUnread(draft, turn);
}

/** TW-RUN-014 … TW-RUN-016. */
export function oweAbort(draft: Draft, turn: Turn, at: number): void {
  const there = mayBeThere(turn);
  if (!there) withdrawIntent(draft, turn);
  if (!there || turn.settlement) {
    dropTurn(draft, turn);
    return;
  }
  turn.abortAt = at;
}

/** The Harness has it, or may. */
const mayBeThere = ({ intent, admission }: Turn): boolean => intent.doubt || admission !== undefined;

/** Left by something else than its own pick, and its Harness never had it. */
export function dropUnsent(draft: Draft, turn: Turn): void {
  wasRead(draft, turn);
  withdrawIntent(draft, turn);
  dropTurn(draft, turn);
}

/** Nothing of it is owed any more. */
export function dropTurn(draft: Draft, turn: Turn): void {
  draft.state.turns = draft.state.turns.filter((other) => other !== turn);
}

/** Entered and left in one step: it was never asked for. */
function withdrawTurn(draft: Draft, turn: Turn): void {
  dropTurn(draft, turn);
  draft.turns.delete(turn.turnId);
  draft.executions.delete(turn.executionId);
  draft.intents.delete(turn.intent.key);
  draft.feed = draft.feed.filter((frame) => frame.record !== turn.executionId);
}

/** Its own pick left the state, or the work that its outstanding pick had started inside the state did. */
function isOwn(draft: Draft, turn: Turn, cause: Cause): boolean {
  if (cause.kind === 'pick') return cause.turnId === turn.turnId;
  if (cause.kind !== 'inside' || !turn.outstanding) return false;
  return isAtOrBelow(draft.env.workflow, cause.stateId, turn.stateId);
}

function executionEnd(own: boolean, cause: Cause): Parameters<typeof endExecution>[2] {
  if (own) return { status: 'succeeded' };
  if (cause.kind === 'timer') return { status: 'timed_out', category: 'agent_timeout' };
  return { status: 'cancelled', category: 'cancelled' };
}

function saveTurnRow(draft: Draft, turn: Turn, endedAt?: number): void {
  const { turnId, iid, placement, openedAt } = turn;
  const row = { turnId, iid, runId: draft.state.runId, placement, openedAt };
  draft.turns.set(turnId, endedAt === undefined ? row : { ...row, endedAt });
}

/** The intent's end, when its turn goes without an Admission. */
export function endIntent(draft: Draft, turn: Turn, fault: string): void {
  if (turn.admission || turn.intent.fault !== undefined) return;
  turn.intent = { ...turn.intent, fault };
  changeIntent(draft, turn.intent.key, { fault });
}
