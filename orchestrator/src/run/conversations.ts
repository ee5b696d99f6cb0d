/** The conversations of a run: one line of them per Agent, numbered by epoch, each with its menu as it was when it began. */
import type { Draft } from './draft.ts';
import type { Conversation } from './state.ts';
import { text } from './texts.ts';
import { unreadNotices } from './unread.ts';

export interface Conversing {
  conversation: Conversation;
  continued: boolean;
  /** Why an asked-for continuation is not one. */
  freshBecause?: string;
}

export const conversationOf = (draft: Pick<Draft, 'state'>, iid: string): Conversation | undefined =>
  draft.state.conversations.find((conversation) => conversation.iid === iid);

/** The conversation for a turn that begins: the Agent's own if it asks to go on and can, else the next epoch (TW-RUN-019). */
export function converse(draft: Draft, agent: string, placement: string, wanted: boolean): Conversing {
  const current = draft.state.conversations.find((conversation) => conversation.agent === agent);
  if (!wanted || !current?.begun) return { conversation: fresh(draft, agent, placement), continued: false };
  const obstacle = obstacleTo(draft, current, placement);
  if (obstacle === undefined) return { conversation: current, continued: true };
  return { conversation: fresh(draft, agent, placement), continued: false, freshBecause: obstacle };
}

function obstacleTo(draft: Draft, current: Conversation, placement: string): string | undefined {
  const known = draft.env.placement(placement);
  if (current.lost) return 'the harness no longer has it';
  if (current.placement !== placement) return 'it was held in another place';
  if (current.store !== undefined && known.store !== undefined && current.store !== known.store) {
    return 'the harness has another store now';
  }
  if (draft.state.turns.some((turn) => turn.iid === current.iid && turn.phase === 'open')) return 'it is in use';
  if (isCutOff(draft, current)) return ABORTED;
  return undefined;
}

/** Why a conversation is not gone on with after an abort without a fence: it could end what is admitted next (TW-RET-015). */
export const ABORTED = 'its last turn was aborted';

export const isCutOff = (draft: Draft, { aborted, placement }: Conversation): boolean =>
  aborted === true && draft.env.placement(placement).fencedAbort !== true;

/** An earlier turn of this conversation is not known to be done. */
export const owesAbort = (draft: Draft, iid: string): boolean =>
  draft.state.turns.some((turn) => turn.iid === iid && turn.phase === 'left' && turn.abortAt !== undefined);

/** Replaces the Agent's conversation with one of the next epoch. */
export function fresh(draft: Draft, agent: string, placement: string): Conversation {
  const { state, env } = draft;
  const current = state.conversations.find((conversation) => conversation.agent === agent);
  const epoch = current === undefined ? 0 : current.epoch + 1;
  const conversation: Conversation = {
    agent,
    epoch,
    iid: iidOf(draft, agent, epoch),
    placement,
    menu: env.machines.menu(env.workflow, agent),
    begun: false,
    unread: current?.unread ?? [],
    unreadForgotten: current?.unreadForgotten ?? 0,
  };
  state.conversations = [...state.conversations.filter((other) => other !== current), conversation];
  return conversation;
}

/** URL-safe and at most 128 characters, whatever an author calls the Agent; told apart by its place in the workflow. */
function iidOf(draft: Draft, agent: string, epoch: number): string {
  const safe = agent.replaceAll(/[^A-Za-z0-9_-]/g, '-').slice(0, 48);
  const place = Object.keys(draft.env.workflow.agents).indexOf(agent);
  return safe === agent ? `${draft.state.runId}.${safe}.${epoch}` : `${draft.state.runId}.${safe}~${place}.${epoch}`;
}

/** What the first message of a turn says beside its prompt (TW-RUN-018, TW-RUN-019), and the turns that it tells of. */
export function noticesFor(
  draft: Draft,
  conversation: Conversation,
  stateName: string,
  freshBecause?: string,
): { notices: string[]; tells: string[] } {
  const fresh = freshBecause === undefined ? [] : [text('notice_fresh', { reason: freshBecause })];
  const { notices, tells } = unreadNotices(draft, conversation, stateName);
  return { notices: [...fresh, ...notices], tells };
}
