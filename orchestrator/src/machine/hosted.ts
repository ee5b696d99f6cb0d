/**
 * The hosted form of an author's Machine. Every actor logic is replaced by an inert placeholder, so that a snapshot holds no more
 * of an actor than what can be saved and restored, and nothing can start by itself; the host runs the author's logic (`actors.ts`).
 */
import type { AnyActorLogic, AnyStateMachine, AnyTransitionDefinition, StateNode } from 'xstate';
import { inertLogic, markOf } from './markers.ts';

/** An action without effect, ahead of each list of actions: it tells the step whose actions follow. */
export const OWNER_ACTION = 'turnwire.owner';

type AnyNode = StateNode<never, never>;
type MachineClass = new (config: unknown, implementations: unknown) => AnyStateMachine;
interface StateConfig {
  invoke?: { src: unknown } | readonly { src: unknown }[];
  states?: Record<string, StateConfig>;
}

export function hosted(authored: AnyStateMachine): AnyStateMachine {
  const { actors, ...implementations } = authored.implementations;
  const inert = Object.fromEntries(Object.entries(actors).map(([src, logic]) => [src, inertLogic(markOf(logic))]));
  // The author's own class: its module may have loaded another copy of XState.
  const machine = new (authored.constructor as MachineClass)(withoutInlineLogic(authored.config as StateConfig), {
    ...implementations,
    actors: inert,
  });
  for (const node of nodesOf(machine)) nameOwner(node);
  return machine;
}

/** Every state of a Machine, the root first, in document order. */
export function nodesOf(machine: AnyStateMachine): AnyNode[] {
  const nodes: AnyNode[] = [];
  const visit = (node: AnyNode) => {
    nodes.push(node);
    for (const child of Object.values(node.states)) visit(child as AnyNode);
  };
  visit(machine.root as unknown as AnyNode);
  return nodes;
}

/** The logic that a Machine runs for an invoke's or a spawn's `src`, inline ones too. */
export function logicOf(machine: AnyStateMachine, src: string): AnyActorLogic | undefined {
  const inline = /^xstate\.invoke\.(\d+)\.(.*)$/.exec(src);
  if (!inline) return machine.implementations.actors[src] as AnyActorLogic | undefined;
  const node = nodesOf(machine).find(({ id }) => id === inline[2]);
  const invoke = node && [(node.config as StateConfig).invoke ?? []].flat();
  return invoke?.[Number(inline[1])]?.src as AnyActorLogic | undefined;
}

function withoutInlineLogic(config: StateConfig): StateConfig {
  const entry = (invoke: { src: unknown }) =>
    typeof invoke.src === 'string' ? invoke : { ...invoke, src: inertLogic(markOf(invoke.src)) };
  const { invoke, states } = config;
  return {
    ...config,
    ...(invoke && { invoke: Array.isArray(invoke) ? invoke.map(entry) : entry(invoke as { src: unknown }) }),
    ...(states && {
      states: Object.fromEntries(Object.entries(states).map(([key, state]) => [key, withoutInlineLogic(state)])),
    }),
  };
}

function nameOwner(node: AnyNode): void {
  const owner = { type: OWNER_ACTION, params: { stateId: node.id } };
  const named = <T>(actions: readonly T[]) => (actions.length === 0 ? [] : [owner as T, ...actions]);
  node.entry = named(node.entry);
  node.exit = named(node.exit);
  const transitions: { actions: readonly unknown[] }[] = [...node.transitions.values()].flat();
  for (const transition of [...transitions, ...(node.always ?? []), node.initial]) {
    (transition as AnyTransitionDefinition).actions = named((transition as AnyTransitionDefinition).actions);
  }
}
