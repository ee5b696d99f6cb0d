/** One pure step of a hosted Machine: `(snapshot, event) → (snapshot, effects)`. Nothing is run, started or armed here. */

import { MAX_SELF_SENDS } from '../limits.ts';
import { childrenOf, endingOf, isActive, stopOf, withEnded } from './children.ts';
import { effectsOf, saveable, Unhostable } from './effects.ts';
import { jsonCopy, reasonOf } from './json.ts';
import { takes } from './nodes.ts';
import type {
  JsonObject,
  JsonValue,
  MachineAction,
  MachineEvent,
  MachineFault,
  Snapshot,
  StepResult,
  Workflow,
} from './port.ts';
import { openScope, type StepScope } from './scope.ts';

/** Enters the initial state with a run's checked input. */
export function begin(workflow: Workflow, input: unknown): StepResult {
  const scope = openScope(workflow.machine);
  const snapshot = workflow.machine.getInitialSnapshot(scope.actorScope, input as never) as Snapshot;
  return settle(workflow, scope, undefined, snapshot, { moved: true, actions: [] });
}

/** Takes a saved state up again. Throws when it names states that the Machine does not have: compare `shape` first. */
export function restore(workflow: Workflow, persisted: JsonObject): Snapshot {
  const { actorScope } = openScope(workflow.machine);
  return workflow.machine.restoreSnapshot(persisted as never, actorScope) as Snapshot;
}

export function advance(workflow: Workflow, snapshot: Snapshot, event: MachineEvent): StepResult {
  if (snapshot.status !== 'active') return unchanged(workflow, snapshot);
  const ending = endingOf(event);
  const child = ending && childrenOf(snapshot).find(({ id }) => id === ending.id);
  // A result of an actor that was stopped, or that has ended already, belongs to no state any more.
  if (ending && !(child && isActive(child))) return unchanged(workflow, snapshot);
  return drain(workflow, snapshot, [event]);
}

interface Progress {
  moved: boolean;
  actions: MachineAction[];
}

/** The event, then what the Machine sends to itself because of it: all one step, so that Rest is never seen in between. */
function drain(
  workflow: Workflow,
  snapshot: Snapshot,
  pending: MachineEvent[],
  progress: Progress = { moved: false, actions: [] },
): StepResult {
  let current = snapshot;
  let moved = progress.moved;
  const actions = [...progress.actions];
  const queue = [...pending];
  for (let sends = 0; queue.length > 0 && current.status === 'active'; sends += 1) {
    const scope = openScope(workflow.machine, current);
    try {
      if (sends > MAX_SELF_SENDS)
        throw new Unhostable(`sends events to itself without end (more than ${MAX_SELF_SENDS} in one step)`);
      const next = transition(workflow, scope, current, queue.shift() as MachineEvent);
      const effects = effectsOf(workflow, scope, current, next);
      // What it sends to itself does not make the event that was delivered `moved`.
      if (sends === 0) moved ||= scope.taken.some(takes);
      actions.push(...effects.actions);
      queue.push(...effects.toSelf);
      current = next;
    } catch (error) {
      return failed(workflow, snapshot, error);
    }
  }
  return finished(workflow, snapshot, current, { moved, actions: settledActions(snapshot, current, actions) });
}

function transition(workflow: Workflow, scope: StepScope, snapshot: Snapshot, event: MachineEvent): Snapshot {
  const ending = endingOf(event);
  const child = ending && childrenOf(snapshot).find(({ id }) => id === ending.id);
  const ready = child ? withEnded(snapshot, child, event, scope.self) : snapshot;
  scope.records.length = 0;
  const next = workflow.machine.transition(ready as never, event as never, scope.actorScope) as Snapshot;
  if (next.status === 'error' && ending)
    throw new Error(`the actor '${ending.id}' failed and no onError takes it: ${reasonOf(next.error)}`);
  return next;
}

function settle(
  workflow: Workflow,
  scope: StepScope,
  before: undefined,
  snapshot: Snapshot,
  progress: Progress,
): StepResult {
  try {
    if (snapshot.status === 'error') throw snapshot.error;
    const { actions, toSelf } = effectsOf(workflow, scope, before, snapshot);
    return drain(workflow, snapshot, toSelf, { moved: progress.moved, actions });
  } catch (error) {
    return failed(workflow, snapshot, error);
  }
}

/** An actor that started in one macrostep and stopped in a later one of the same step never starts. */
function settledActions(before: Snapshot, after: Snapshot, actions: MachineAction[]): MachineAction[] {
  const known = new Set(
    childrenOf(before)
      .filter(isActive)
      .map(({ id }) => id),
  );
  const kept: MachineAction[] = [];
  for (const action of actions) {
    const started =
      action.kind === 'stop'
        ? kept.findLastIndex((earlier) => earlier.kind === 'start' && earlier.id === action.id)
        : -1;
    if (started >= 0) kept.splice(started, 1);
    else if (action.kind !== 'stop' || known.has(action.id)) kept.push(action);
  }
  return after.status === 'active' ? kept : kept.filter(({ kind }) => kind !== 'start' && kind !== 'schedule');
}

function finished(workflow: Workflow, before: Snapshot, snapshot: Snapshot, progress: Progress): StepResult {
  if (snapshot.status === 'error') return failed(workflow, snapshot, snapshot.error, progress.moved);
  try {
    saveable(snapshot.context, 'context');
    saveable(snapshot.output, 'output');
  } catch (error) {
    return failed(workflow, before, error);
  }
  return result(workflow, snapshot, progress);
}

function unchanged(workflow: Workflow, snapshot: Snapshot): StepResult {
  return result(workflow, snapshot, { moved: false, actions: [] });
}

function result(workflow: Workflow, snapshot: Snapshot, { moved, actions }: Progress): StepResult {
  const persisted = workflow.machine.getPersistedSnapshot(snapshot) as unknown as JsonObject;
  return {
    snapshot,
    persisted,
    moved,
    actions,
    status: snapshot.status as 'active' | 'done',
    value: snapshot.value as JsonValue,
    context: persisted.context ?? null,
    ...(snapshot.output !== undefined && { output: snapshot.output as JsonValue }),
  };
}

/** The run ends here: whatever lived is stopped, and the state stays as it was before the step that failed. */
function failed(workflow: Workflow, before: Snapshot, error: unknown, moved = false): StepResult {
  const fault: MachineFault = {
    reason: `workflow '${workflow.name}' in state ${JSON.stringify(before.value)}: ${reasonOf(error)}`,
  };
  if (error instanceof Unhostable && error.path !== undefined) fault.path = error.path;
  const snapshot = { ...before, status: 'error', error: { message: fault.reason } } as Snapshot;
  const context = jsonCopy(before.context);
  return {
    snapshot,
    persisted: {
      status: 'error',
      value: before.value as JsonValue,
      context,
      children: {},
      historyValue: {},
      error: { message: fault.reason },
    },
    moved,
    actions: childrenOf(before)
      .filter(isActive)
      .map((child) => stopOf(workflow, child)),
    status: 'error',
    value: before.value as JsonValue,
    context,
    error: fault,
  };
}
