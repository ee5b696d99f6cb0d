/** Decisions from outside that a run waits for. Each visit of a gate has an id of its own. */
import { type Draft, tell } from './draft.ts';
import type { JsonValue } from './json.ts';
import type { Started } from './machines.ts';
import type { Gate } from './state.ts';
import { gateViews } from './view.ts';
import type { GateView } from './views.ts';

export function openGate(draft: Draft, start: Started): void {
  const live = draft.env.machines
    .invocations(draft.env.workflow, draft.snapshot)
    .find((one) => one.invokeId === start.id);
  const gate: Gate = {
    gateId: draft.env.newId('gate'),
    gate: live?.gate ?? start.stateId,
    invokeId: start.id,
    stateId: start.stateId,
    since: draft.env.now,
    ...(live?.meta === undefined ? {} : { meta: live.meta }),
  };
  draft.state.gates = [...draft.state.gates.filter((other) => other.invokeId !== start.id), gate];
  const view = gateViews(draft, [gate])[0] as GateView;
  tell(draft, 'gate.opened', gate.gateId, { gate: { ...view } as unknown as JsonValue });
}

export function closeGate(draft: Draft, invokeId: string): void {
  const gate = draft.state.gates.find((open) => open.invokeId === invokeId);
  if (!gate) return;
  draft.state.gates = draft.state.gates.filter((open) => open !== gate);
  const answered = draft.answering?.gateId === gate.gateId ? draft.answering.event : undefined;
  tell(draft, 'gate.closed', gate.gateId, { gate: gate.gate, gateId: gate.gateId, event: answered });
}
