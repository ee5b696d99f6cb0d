/** One event through the machine, and what follows from it in the ledger. */
import { applyActions } from './actions.ts';
import type { Cause, Draft } from './draft.ts';
import { endRun } from './end.ts';
import type { JsonObject } from './json.ts';
import { asJson, type MachineEvent, type StepResult } from './machines.ts';

/**
 * Takes the event and everything that it sets off: turns, gates, actors, deadlines, the end of the run.
 * @returns whether a transition was taken (TW-PIC-009)
 */
export function drive(draft: Draft, event: MachineEvent, cause: Cause): boolean {
  const before = draft.state.machine;
  const result = guarded(() => draft.env.machines.advance(draft.env.workflow, draft.snapshot, event));
  return take(draft, result, { event: asJson(event), before }, cause);
}

/** The first step of a run. */
export function driveBegin(draft: Draft, input: unknown): void {
  const result = guarded(() => draft.env.machines.begin(draft.env.workflow, input));
  take(draft, result, { event: asJson({ type: 'begin', input }) }, { kind: 'begin' });
}

type Origin = { event: JsonObject; before?: JsonObject };

function take(draft: Draft, result: StepResult | Error, origin: Origin, cause: Cause): boolean {
  draft.changed = true;
  if (result instanceof Error) {
    endRun(draft, { status: 'error', fault: { code: 'machine_failed', reason: result.message } }, { kind: 'fault' });
    return false;
  }
  // What cannot be saved is not saved, and nothing of that step is performed: the run ends with the last state that could be.
  if (result.error?.path !== undefined) {
    endRun(draft, endOf(result), { kind: 'fault' });
    return false;
  }
  draft.snapshot = result.snapshot;
  draft.state.machine = result.persisted;
  draft.state.value = result.value;
  // A machine that fails has nobody's pick to thank for the states that it leaves.
  const why: Cause = result.status === 'error' ? { kind: 'fault' } : cause;
  draft.failing = result.status === 'error';
  applyActions(draft, result.actions, origin, why);
  if (result.status !== 'active') endRun(draft, endOf(result), why);
  return result.moved;
}

function endOf(result: StepResult): Parameters<typeof endRun>[1] {
  if (result.status === 'done')
    return { status: 'done', ...(result.output === undefined ? {} : { output: result.output }) };
  const { reason, path } = result.error ?? { reason: 'the machine failed' };
  const code = path === undefined ? 'machine_failed' : 'not_serialisable';
  return { status: 'error', fault: { code, reason, ...(path === undefined ? {} : { path }) } };
}

/** A guard or an assign of the author's may throw: that ends its run, and nothing else. */
function guarded(work: () => StepResult): StepResult | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
