/** How a run ends: by its machine, by a fault that nothing takes, or by a cancel. */
import { type Cause, type Draft, tell } from './draft.ts';
import { closeGate } from './gates.ts';
import type { JsonValue } from './json.ts';
import { HostRefusal } from './refusal.ts';
import { leaveTurn } from './turns.ts';
import type { RunFault } from './views.ts';

export type RunEnd =
  | { status: 'done'; output?: JsonValue }
  | { status: 'error'; fault: RunFault }
  | { status: 'cancelled'; reason?: string };

export function endRun(draft: Draft, end: RunEnd, cause: Cause): void {
  const { state, env } = draft;
  if (state.status !== 'active') return;
  state.status = end.status;
  state.endedAt = env.now;
  if (end.status === 'done' && end.output !== undefined) state.output = end.output;
  if (end.status === 'error') state.fault = end.fault;
  if (end.status === 'cancelled' && end.reason !== undefined) state.reason = end.reason;
  const endedBy = end.status === 'cancelled' ? 'cancelled' : 'run_ended';
  for (const turn of state.turns.filter((one) => one.phase === 'open')) leaveTurn(draft, turn, cause, endedBy);
  for (const gate of state.gates) closeGate(draft, gate.invokeId);
  state.actors = [];
  state.deadlines = [];
  tell(draft, 'run.status', state.runId, statusData(draft));
}

function statusData({ state }: Draft) {
  return {
    workflow: state.workflow,
    status: state.status,
    value: state.value,
    output: state.output,
    fault: state.fault as unknown as JsonValue | undefined,
    reason: state.reason,
  };
}

/** TW-RUN-005. @throws HostRefusal */
export function cancel(draft: Draft, reason: string | undefined): void {
  if (draft.state.status !== 'active') {
    throw new HostRefusal('already_ended', `the run has ended: ${draft.state.status}`);
  }
  draft.changed = true;
  endRun(draft, { status: 'cancelled', ...(reason === undefined ? {} : { reason }) }, { kind: 'cancelled' });
}
