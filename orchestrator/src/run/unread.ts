/** What a model may not have read: kept until it is known that a model had the notice of it (TW-RUN-018). */
import { TAKEN_TOLD, UNREAD_TURNS_TOLD } from '../limits.ts';
import { type Draft, turnById } from './draft.ts';
import type { JsonValue } from './json.ts';
import type { Conversation, PickOutcome, Turn } from './state.ts';
import { text } from './texts.ts';

/** A pick of this turn is answered. */
export function recordPick(turn: Turn, pick: PickOutcome): void {
  turn.picks = [...turn.picks, pick].slice(-TAKEN_TOLD);
}

/** The picks of a turn as the texts say them: what moved apart from what did not, and how many are not named. */
export function picksSaid({ picks, taken }: Pick<Turn, 'picks' | 'taken'>): Record<string, JsonValue> {
  const names = (moved: boolean) => picks.filter((pick) => pick.moved === moved).map(({ event }) => event);
  const moved = names(true);
  const unmoved = names(false);
  return {
    ...(moved.length === 0 ? {} : { moved }),
    ...(unmoved.length === 0 ? {} : { unmoved }),
    ...(taken > picks.length ? { earlier: taken - picks.length } : {}),
  };
}

/** The Agent's line of conversations: what is unread is told in whichever of them comes next. */
const lineOf = (draft: Draft, agent: string): Conversation | undefined =>
  draft.state.conversations.find((conversation) => conversation.agent === agent);

/** A turn is over, and nobody knows whether its last receipt was read. */
export function leaveUnread(draft: Draft, { agent, turnId, picks, taken }: Turn): void {
  const line = lineOf(draft, agent);
  if (!line) return;
  const all = [...line.unread.filter((other) => other.turnId !== turnId), { turnId, picks, taken }];
  line.unread = all.slice(-UNREAD_TURNS_TOLD);
  line.unreadForgotten += all.length - line.unread.length;
}

/** That turn read its own last receipt. */
export function wasRead(draft: Draft, { agent, turnId }: Turn): void {
  const line = lineOf(draft, agent);
  if (line) line.unread = line.unread.filter((one) => one.turnId !== turnId);
}

/**
 * A model had the first message of this turn: it picked, or its turn was completed. Nothing less proves it; a turn that was
 * aborted while it was queued, or whose surface could not be read, was never put to a model.
 */
export function wasPutToModel(draft: Draft, turn: Turn): void {
  if (turn.tells.length === 0) return;
  const line = lineOf(draft, turn.agent);
  if (line) {
    line.unread = line.unread.filter((one) => !turn.tells.includes(one.turnId));
    line.unreadForgotten = 0;
  }
  turn.tells = [];
}

/** The notices of what is unread, oldest first, and the turns that they tell of. */
export function unreadNotices(
  draft: Draft,
  { unread, unreadForgotten }: Conversation,
  state: string,
): { notices: string[]; tells: string[] } {
  // A turn that its own pick ended a moment ago is just reading its receipt.
  const told = unread.filter(({ turnId }) => !isReading(turnById(draft, turnId), draft.env.now));
  const more = unreadForgotten === 0 ? [] : [text('notice_unread_more', { turns: unreadForgotten })];
  const each = told.map((one) => text('notice_unread', { state, ...picksSaid(one) }));
  return { notices: [...more, ...each], tells: told.map(({ turnId }) => turnId) };
}

const isReading = (turn: Turn | undefined, now: number): boolean =>
  turn?.leftByPick === true && !turn.settlement && turn.abortAt !== undefined && now < turn.abortAt;
