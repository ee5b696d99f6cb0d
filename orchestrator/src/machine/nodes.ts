/** Questions about states: who invokes what, which events a state names, what is above and below what. */
import type { AnyActorRef, AnyStateMachine, StateNode } from 'xstate';
import { logicOf } from './hosted.ts';
import { type ActorMark, markOf } from './markers.ts';

export type AnyNode = StateNode<never, never>;

/** The state itself, then what is above it, up to the root. */
export function upwards(node: AnyNode): AnyNode[] {
  return node.parent ? [node, ...upwards(node.parent as AnyNode)] : [node];
}

export function isAtOrBelow(node: AnyNode, above: AnyNode): boolean {
  return upwards(node).includes(above);
}

/** A transition that does something; `on: { x: undefined }` only stops an event from going further up. */
export function takes(transition: { target?: unknown; actions: readonly unknown[] }): boolean {
  return transition.target !== undefined || transition.actions.length > 0;
}

/** The event descriptors that a state's own transitions name, those that only forbid left out. */
export function descriptorsOf(node: AnyNode): string[] {
  const named = [...node.transitions.entries()].filter(([, transitions]) => transitions.some(takes));
  return named.map(([descriptor]) => descriptor);
}

export interface InvokedHere {
  id: string;
  src: string;
  mark: ActorMark | undefined;
}

export function invokedBy(machine: AnyStateMachine, node: AnyNode): InvokedHere[] {
  return node.invoke.map(({ id, src }) => ({ id, src: src as string, mark: markOf(logicOf(machine, src as string)) }));
}

/** The slots of the Agents that a state invokes. */
export function agentsOf(machine: AnyStateMachine, node: AnyNode): string[] {
  return invokedBy(machine, node)
    .filter(({ mark }) => mark?.kind === 'agent')
    .map(({ src }) => src);
}

/** How a person reads a state: its path in the Machine, `(root)` for the Machine itself. */
export function pathOf(node: AnyNode): string {
  return node.path.length === 0 ? '(root)' : node.path.join('.');
}

/** Two states that can be active at the same time: one above the other, or in different regions of a parallel state. */
export function canBeActiveTogether(one: AnyNode, other: AnyNode): boolean {
  if (isAtOrBelow(one, other) || isAtOrBelow(other, one)) return true;
  const common = upwards(one).find((node) => isAtOrBelow(other, node));
  return common?.type === 'parallel';
}

/** A child as the snapshot holds it. `src` is a string: inline logic was replaced or refused. */
export type ChildRef = AnyActorRef & { src: string; systemId?: string; logic: unknown; _syncSnapshot?: boolean };
