/** What a record of the log makes of a conversation. The state is a function of its log and of nothing else. */
import { MAX_FENCES } from '../limits.ts';
import type { ConversationState, LogRecord, Settlement, Submission } from './state.ts';
import { emptyConversation } from './state.ts';

type Of<T extends LogRecord['type']> = Extract<LogRecord, { type: T }>;

/** Applies one record. A log is read by folding this over it, from `private.created` on. */
export function evolve(state: ConversationState, record: LogRecord): ConversationState {
  switch (record.type) {
    case 'private.created':
      // A conversation that was freed and begins again has another incarnation, and none of the old one's state.
      return emptyConversation(record.iid, record.name, record.incarnation);
    case 'private.admitted':
      return admitted(state, record);
    case 'private.abort':
      return aborted(state, record);
    case 'private.menu':
      return { ...state, menu: record.menu };
    case 'private.pick':
      return picked(state, record);
    case 'private.freed':
      return { ...emptyConversation(record.iid, record.name, ''), settledAt: Date.parse(record.at), freed: true };
    case 'submission.started':
      return change(state, record.submissionId, (submission) => ({ ...submission, state: 'running' }));
    case 'submission.waiting':
      return change(state, record.submissionId, (submission) => ({ ...submission, state: 'waiting' }));
    case 'submission.settled':
      return settled(state, record);
    case 'message.appended':
      return { ...state, messages: [...state.messages, record.message] };
    case 'submission.queued':
    case 'message.delta':
    case 'tool.called':
    case 'tool.answered':
    case 'usage':
      return state;
  }
}

/** Applies records in order. */
export const evolveAll = (state: ConversationState, records: readonly LogRecord[]): ConversationState =>
  records.reduce(evolve, state);

function admitted(state: ConversationState, record: Of<'private.admitted'>): ConversationState {
  const { submissionId, turnId, key, digest, agentName, definition, message, notices, traceparent } = record;
  const admittedAt = Date.parse(record.at);
  const submission: Submission = {
    submissionId,
    ...(turnId === undefined ? {} : { turnId }),
    order: state.settled.length + state.live.length,
    state: 'queued',
    admittedAt,
    prompt: { agentName, definition, message, notices, ...(traceparent === undefined ? {} : { traceparent }) },
  };
  const keys = key === undefined ? state.keys : new Map(state.keys).set(key, { digest, submissionId });
  const fences = state.fences.filter(({ until }) => until > admittedAt);
  return { ...state, live: [...state.live, submission], keys, fences };
}

function aborted(state: ConversationState, record: Of<'private.abort'>): ConversationState {
  const ended = new Set(record.targets);
  const live = state.live.map(
    (submission): Submission => (ended.has(submission.submissionId) ? { ...submission, aborting: true } : submission),
  );
  // Bounded: the oldest goes first.
  const fences = record.remember ? [...state.fences, record.remember].slice(-MAX_FENCES) : state.fences;
  return { ...state, live, fences };
}

/** A pick that replaces or clears the last one ends the wait for it. */
function picked(state: ConversationState, record: Of<'private.pick'>): ConversationState {
  return change(state, record.submissionId, ({ pick: _answered, ...submission }) => ({
    ...submission,
    state: submission.state === 'waiting' ? 'running' : submission.state,
    ...(record.pick ? { pick: record.pick } : {}),
  }));
}

function settled(state: ConversationState, record: Of<'submission.settled'>): ConversationState {
  const found = state.live.find(({ submissionId }) => submissionId === record.submissionId);
  if (!found) return state;
  const { prompt: _prompt, pick: _pick, aborting: _aborting, ...kept } = found;
  const settlement: Settlement = {
    outcome: record.outcome,
    ...(record.error === undefined ? {} : { error: record.error }),
  };
  return {
    ...state,
    live: state.live.filter((submission) => submission !== found),
    settled: [...state.settled, { ...kept, state: 'settled', settlement }],
    settledAt: Date.parse(record.at),
  };
}

function change(
  state: ConversationState,
  submissionId: string,
  to: (submission: Submission) => Submission,
): ConversationState {
  const live = state.live.map((submission) => (submission.submissionId === submissionId ? to(submission) : submission));
  return { ...state, live };
}
