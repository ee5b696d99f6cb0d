/** From a saved row to a run that can be advanced, or to one that is kept and named (TW-DUR-016). One bad run never stops the rest. */
import type { Machines, Workflow } from '../run/machines.ts';
import type { RunRow } from '../run/rows.ts';
import type { RunState } from '../run/state.ts';
import type { Loaded } from './cell.ts';

export interface RestorePorts {
  machines: Machines;
  workflow(state: RunState): Workflow | undefined;
}

export function loadRun(row: RunRow, { machines, workflow }: RestorePorts): Loaded {
  const state = parse(row);
  if (!state) return { fault: { code: 'unreadable', reason: `the saved state of ${row.runId} cannot be read` } };
  const nowhere = { state, snapshot: undefined as never };
  const found = workflow(state);
  // What is left of an ended run is between us and the Harness: it needs no machine.
  if (state.status !== 'active' && (state.acts.length === 0 || !found)) {
    return { run: found ? nowhere : { ...nowhere, state: { ...state, acts: [] } } };
  }
  if (!found) return drifted(nowhere, `there is no workflow '${state.workflow}' any more`);
  if (found.shape !== state.shape)
    return drifted(nowhere, `the workflow '${state.workflow}' has another shape than the run was begun with`);
  try {
    return { run: { state, snapshot: machines.restore(found, structuredClone(state.machine)) } };
  } catch (error) {
    return drifted(nowhere, `its saved state does not fit the workflow '${state.workflow}': ${reasonOf(error)}`);
  }
}

const drifted = (run: Loaded['run'] & object, reason: string): Loaded => ({ run, fault: { code: 'drifted', reason } });

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function parse(row: RunRow): RunState | undefined {
  try {
    const state = JSON.parse(row.document) as Partial<RunState>;
    return state.version === 1 && state.runId === row.runId && Array.isArray(state.turns)
      ? (state as RunState)
      : undefined;
  } catch {
    return undefined;
  }
}
