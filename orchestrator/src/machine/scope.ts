/**
 * The scope in which one pure step runs. XState's own `transition()` makes a whole actor of the Machine for each call, which runs
 * the author's context factory without an input; this one makes an empty stand-in and records what XState reports to it.
 */
import {
  type AnyActorRef,
  type AnyActorScope,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  type InspectionEvent,
} from 'xstate';
import { OWNER_ACTION } from './hosted.ts';
import { inertLogic, OWNER, type OwnedSystem } from './markers.ts';
import type { ActionEffects, Snapshot } from './port.ts';

/** An action as XState resolved it: data, and an `exec` that is ours to call or not. */
export interface ResolvedAction {
  type: string;
  params: unknown;
  info: unknown;
  exec?: (info: unknown, params: unknown) => void;
}

export type Recorded = { created: AnyActorRef } | { action: ResolvedAction };

export interface StepScope {
  actorScope: AnyActorScope;
  self: AnyActorRef;
  records: Recorded[];
  /** The transitions of each microstep so far. */
  taken: AnyTransitionDefinition[];
  /** Where `self.send(…)` of a custom action goes while and after it runs. */
  effects?: ActionEffects;
}

/** What XState's system does beyond its public type. */
interface StepSystem extends OwnedSystem {
  _set(systemId: string, child: AnyActorRef): void;
  _unregister(child: AnyActorRef): void;
}

const standIn = inertLogic();

export function openScope(machine: AnyStateMachine, snapshot?: Snapshot): StepScope {
  const self = createActor(standIn, { id: machine.id, ...(snapshot && { snapshot }) }) as AnyActorRef;
  const system = self.system as typeof self.system & StepSystem;
  const scope: StepScope = { self, records: [], taken: [], actorScope: undefined as never };
  scope.actorScope = {
    self,
    id: machine.id,
    sessionId: self.sessionId,
    system,
    logger: () => {},
    defer: () => {},
    emit: () => {},
    stopChild: () => {},
    actionExecutor: (action) => record(scope, system, action as unknown as ResolvedAction),
  };
  self.send = (event) => scope.effects?.send(event);
  for (const child of Object.values(
    (snapshot?.children ?? {}) as Record<string, AnyActorRef & { systemId?: string }>,
  )) {
    if (child.systemId !== undefined) system._set(child.systemId, child);
  }
  system.inspect((event) => inspect(scope, event));
  return scope;
}

function record(scope: StepScope, system: StepSystem, action: ResolvedAction): void {
  if (action.type === OWNER_ACTION) {
    system[OWNER] = (action.params as { stateId: string }).stateId;
    return;
  }
  // Its system id is free at once: the state may be entered again, with the same actor, in this very step.
  if (action.type === 'xstate.stopChild' && action.params) system._unregister(action.params as AnyActorRef);
  scope.records.push({ action });
}

function inspect(scope: StepScope, event: InspectionEvent): void {
  if (event.type === '@xstate.actor') scope.records.push({ created: event.actorRef as AnyActorRef });
  if (event.type === '@xstate.microstep') scope.taken.push(...event._transitions);
}
