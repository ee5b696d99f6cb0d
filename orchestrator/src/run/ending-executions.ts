/** What ends an execution from outside of its turn: a person's cancel, or a sweep. */

import { type Draft, turnById } from './draft.ts';
import { cancel } from './end.ts';
import { endExecution } from './executions.ts';
import { fail } from './faults.ts';
import { HostRefusal } from './refusal.ts';
import { dropTurn } from './turns.ts';

/** TW-EXE-019. A call is cancelled with its run; a Run's own turn ends in a fault, and the workflow goes on with it. @throws HostRefusal */
export function cancelExecution(draft: Draft, event: { executionId: string; reason?: string }): void {
  const turn = draft.state.turns.find((one) => one.executionId === event.executionId);
  if (!turn || turn.executionEnded) throw new HostRefusal('already_ended', 'the execution has ended');
  const reason = event.reason ?? 'the execution was cancelled';
  draft.changed = true;
  endExecution(draft, turn, { status: 'cancelled', category: 'cancelled', reason });
  if (draft.state.call) cancel(draft, event.reason);
  else fail(draft, turn, { code: 'aborted', reason, gone: false });
}

export interface Swept {
  executionId: string;
  /** The Admission that was looked at: another one is another matter. */
  submissionId?: string;
  code: 'agent_restart_orphaned' | 'agent_timeout' | 'node_unavailable';
  reason: string;
}

export function swept(draft: Draft, { executionId, submissionId, code, reason }: Swept): void {
  const turn = draft.state.turns.find((one) => one.executionId === executionId);
  if (!turn || turn.heldFault || turn.settlement || turn.admission?.submissionId !== submissionId) return;
  if (turn.phase === 'left') {
    draft.changed = true;
    dropTurn(draft, turn);
    return;
  }
  if (turn.executionEnded) return;
  // What is in the Harness may be at work yet, wherever it is: its abort is owed.
  fail(draft, turn, { code, reason, gone: false });
}

/** Its stream answered: what counts silence, in this process or the next, counts from there (TW-EXE-037). */
export function heard(draft: Draft, { turnId, at }: { turnId: string; at: number }): void {
  const turn = turnById(draft, turnId);
  if (turn?.phase !== 'open' || (turn.heardAt ?? 0) >= at) return;
  draft.changed = true;
  turn.heardAt = at;
}
