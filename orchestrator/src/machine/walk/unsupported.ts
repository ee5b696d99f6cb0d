/** Findings about what cannot be hosted yet: Agents and gates below a child machine, behind a history state, or spawned. */
import type { AnyStateMachine } from 'xstate';
import { logicOf, nodesOf } from '../hosted.ts';
import { markOf } from '../markers.ts';
import { type AnyNode, invokedBy, isAtOrBelow } from '../nodes.ts';
import type { Finding } from '../port.ts';
import { isMachine } from '../vocabulary.ts';
import { finding, type Subject } from './subject.ts';

export function unsupportedFindings(subject: Subject): Finding[] {
  return [
    ...childMachines(subject).map(([node, src]) =>
      finding(
        subject,
        'child_holds_agent',
        node,
        `the child machine '${src}' holds an Agent or a gate (not yet supported)`,
        'Move that state into this machine, or make it a workflow of its own',
      ),
    ),
    ...subject.nodes
      .filter((node) => node.type === 'history' && restorable(node).some((state) => holds(subject.machine, state)))
      .map((node) =>
        finding(
          subject,
          'history_into_agent',
          node,
          'this history state can lead into a state with an Agent or a gate (not yet supported)',
          'Target that state by its name, and keep what to resume in the context',
        ),
      ),
    ...subject.nodes.flatMap((node) => spawned(subject, node)),
  ];
}

function childMachines(subject: Subject): [AnyNode | undefined, string][] {
  const invoked = subject.nodes.flatMap((node) =>
    node.invoke.map(({ src }) => [node, src as string] as [AnyNode | undefined, string]),
  );
  const named = Object.keys(subject.machine.implementations.actors).filter(
    (src) => !invoked.some(([, used]) => used === src),
  );
  const all = [...invoked, ...named.map((src) => [undefined, src] as [undefined, string])];
  return all.filter(([, src]) => machineHolds(logicOf(subject.machine, src), []));
}

function machineHolds(logic: unknown, above: readonly unknown[]): boolean {
  if (!isMachine(logic) || above.includes(logic)) return false;
  const sources = new Set([
    ...Object.keys(logic.implementations.actors),
    ...nodesOf(logic).flatMap((node) => node.invoke.map(({ src }) => src as string)),
  ]);
  return (
    nodesOf(logic).some((node) => holds(logic, node)) ||
    [...sources].some((src) => machineHolds(logicOf(logic, src), [...above, logic]))
  );
}

function holds(machine: AnyStateMachine, node: AnyNode): boolean {
  return invokedBy(machine, node).some(({ mark }) => mark !== undefined);
}

/** The states that a history state can enter: what was active below its parent, or its default. */
function restorable(history: AnyNode): AnyNode[] {
  const parent = history.parent as AnyNode;
  const below = Object.values(parent.states) as AnyNode[];
  return below.flatMap((state) => (history.history === 'deep' ? allBelow(state) : entered(state)));
}

function allBelow(node: AnyNode): AnyNode[] {
  return [node, ...(Object.values(node.states) as AnyNode[]).flatMap(allBelow)];
}

/** A state with what its entry activates below it. */
export function entered(node: AnyNode): AnyNode[] {
  if (node.type === 'parallel') return [node, ...(Object.values(node.states) as AnyNode[]).flatMap(entered)];
  const initial = (node.initial?.target ?? []) as unknown as AnyNode[];
  return [node, ...initial.filter((state) => state !== node && isAtOrBelow(state, node)).flatMap(entered)];
}

function spawned(subject: Subject, node: AnyNode): Finding[] {
  const transitions = [...node.transitions.values()].flat();
  const actions: unknown[] = [
    ...node.entry,
    ...node.exit,
    ...[...transitions, ...(node.always ?? [])].flatMap((transition) => transition.actions),
  ];
  const sources = actions
    .map((action) => action as { type?: string; src?: unknown })
    .filter(({ type }) => type === 'xstate.spawnChild');
  return sources
    .filter(({ src }) => markOf(typeof src === 'string' ? logicOf(subject.machine, src) : src))
    .map(({ src }) =>
      finding(
        subject,
        'agent_spawned',
        node,
        `it spawns '${String(src)}'; an Agent or a gate belongs to the state that asked for it`,
        'Invoke it in a state instead',
      ),
    );
}
