/** An execution in words: where it stands, and why it ended as it did. */
import type { ExecutionRecord, FailureCategory } from '@turnwire/sdk';

type Status = ExecutionRecord['status'];

const STATUS_WORDS: Record<Status, string> = {
  queued: 'queued',
  dispatching: 'sending it to the node',
  awaiting_restart: 'the node does not take it now; waiting for it to come back',
  running: 'the agent works on it',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  timed_out: 'timed out',
};

/** What each category means to who asked, and what can be done about it. */
const CATEGORY_WORDS: Record<FailureCategory, string> = {
  target_not_found: 'there is no such agent',
  node_unavailable: 'its node is down',
  agent_unreachable: 'its node could not be reached',
  agent_restart_orphaned: 'its node restarted while it ran; what it had done by then is not known',
  agent_error: 'the agent ended without an answer',
  agent_timeout: 'it took longer than it may',
  validation: 'the node refused it as it is',
  permission_denied: 'a credential was refused',
  concurrency_limit: 'the queue of its node stayed full',
  model_unavailable: 'the model could not be asked',
  bad_response: 'the node answered in a way that the protocol does not know',
  runaway: 'the agent called without end',
  limit_exceeded: 'it used more than its limits allow',
  stopping: 'its node was stopping, and never took it',
  cancelled: 'it was cancelled',
  internal_error: 'something failed that should not',
};

export const isOver = ({ status }: Pick<ExecutionRecord, 'status'>): boolean =>
  ['succeeded', 'failed', 'cancelled', 'timed_out'].includes(status);

export const statusText = (status: Status): string => STATUS_WORDS[status] ?? status;

/** `failed (agent_unreachable: its node could not be reached): connect …` */
export function endText({ status, category, reason }: ExecutionRecord): string {
  const why = category === undefined ? '' : ` (${category}: ${CATEGORY_WORDS[category] ?? category})`;
  return `${statusText(status)}${why}${reason === undefined ? '' : `: ${reason}`}`;
}

/** What called it: a target, or the agent of a run. */
export const subjectText = ({ target, placement, agent }: ExecutionRecord): string => target ?? `${placement}.${agent}`;
