/** Rest: the workflow has no work of its own running inside the Agent's state. */
import { childrenOf, invokingNode, isActive, owningNode } from './children.ts';
import { type AnyNode, isAtOrBelow } from './nodes.ts';
import type { Snapshot, Workflow } from './port.ts';

/** Whether an actor's state is still active, and the actor with it. */
export function stateActive(_workflow: Workflow, snapshot: Snapshot, invokeId: string): boolean {
  return activeStateOf(snapshot, invokeId) !== undefined;
}

/**
 * At Rest in the state that invokes `invokeId`: at or below it no other actor is active. A gate is active while it waits, a delay
 * alone is not; a state tagged `busy` never rests, one tagged `rest` always does. Internal events are drained within a step, so
 * none is ever pending here.
 */
export function atRest(_workflow: Workflow, snapshot: Snapshot, invokeId: string): boolean {
  const state = activeStateOf(snapshot, invokeId);
  if (!state) return false;
  const tags = activeNodes(snapshot)
    .filter((node) => isAtOrBelow(node, state))
    .flatMap((node) => node.tags as string[]);
  if (tags.includes('busy')) return false;
  if (tags.includes('rest')) return true;
  return !childrenOf(snapshot).some(
    (child) => child.id !== invokeId && isActive(child) && isAtOrBelow(owningNode(snapshot, child), state),
  );
}

export function activeNodes(snapshot: Snapshot): AnyNode[] {
  return snapshot._nodes as unknown as AnyNode[];
}

/** The active state that invokes `invokeId`, while the actor lives. */
export function activeStateOf(snapshot: Snapshot, invokeId: string): AnyNode | undefined {
  if (snapshot.status !== 'active') return undefined;
  const child = childrenOf(snapshot).find(({ id }) => id === invokeId);
  return child && isActive(child) ? invokingNode(snapshot, child) : undefined;
}
