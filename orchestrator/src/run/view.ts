/** What readers see, from committed state. */
import type { Env } from './draft.ts';
import type { JsonValue } from './json.ts';
import type { Snapshot } from './machines.ts';
import type { ExecutionRow } from './rows.ts';
import type { Gate, RunState } from './state.ts';
import type { ExecutionView, GateView, RunFault, RunView } from './views.ts';

export const timeText = (ms: number): string => new Date(ms).toISOString();

type Seen = { env: Pick<Env, 'machines' | 'workflow'>; snapshot: Snapshot };

export function gateViews({ env, snapshot }: Seen, gates: readonly Gate[]): GateView[] {
  return gates.map((gate) => ({
    gate: gate.gate,
    gateId: gate.gateId,
    accepts: env.machines.gateAccepts(env.workflow, snapshot, gate.invokeId),
    ...(gate.meta === undefined ? {} : { meta: gate.meta }),
    since: timeText(gate.since),
  }));
}

/** A run that cannot be advanced, and why: kept, named, and shown as it was last committed. */
export interface Drifted {
  fault: RunFault;
}

export function runView(
  state: RunState,
  executions: readonly ExecutionRow[],
  seen: Seen | Drifted | undefined,
): RunView {
  const drifted = seen !== undefined && 'fault' in seen && state.status === 'active';
  const fault = drifted ? (seen as Drifted).fault : state.fault;
  return {
    runId: state.runId,
    workflow: state.workflow,
    status: drifted ? 'drifted' : state.status,
    value: state.value,
    context: (state.machine.context ?? {}) as JsonValue,
    executions: executions.map(executionView),
    gates: seen !== undefined && 'env' in seen ? gateViews(seen, state.gates) : gatesAsSaved(state.gates),
    ...(state.output === undefined ? {} : { output: state.output }),
    ...(fault === undefined ? {} : { fault }),
    ...(state.reason === undefined ? {} : { reason: state.reason }),
    startedAt: timeText(state.startedAt),
    ...(state.endedAt === undefined ? {} : { endedAt: timeText(state.endedAt) }),
  };
}

const gatesAsSaved = (gates: readonly Gate[]): GateView[] =>
  gates.map(({ gate, gateId, since }) => ({ gate, gateId, accepts: [], since: timeText(since) }));

/** An execution as a run's view has it; what it was asked is in its own record. */
function executionView(row: ExecutionRow): ExecutionView {
  const { executionId, agent, status, category, reason, startedAt, endedAt } = row;
  return {
    executionId,
    agent,
    status,
    ...(category === undefined ? {} : { category }),
    ...(reason === undefined ? {} : { reason }),
    startedAt: timeText(startedAt),
    ...(endedAt === undefined ? {} : { endedAt: timeText(endedAt), durationMs: endedAt - startedAt }),
  };
}
