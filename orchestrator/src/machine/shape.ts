/** The drift hash: a saved state fits a Machine of the same shape, whatever became of its guards and actions. */
import { createHash } from 'node:crypto';
import type { AnyStateMachine } from 'xstate';
import { nodesOf } from './hosted.ts';
import type { AnyNode } from './nodes.ts';
import type { MenuItem } from './port.ts';

/** Covers state ids and nesting, invoke ids and sources, transition targets, and the names of each Agent's events. */
export function shapeOf(machine: AnyStateMachine, menus: Record<string, MenuItem[]>): string {
  const states = nodesOf(machine).map((node) => [
    node.id,
    node.path,
    node.type,
    node.history || null,
    targets(node.initial),
    node.invoke.map(({ id, src }) => [id, src]),
    transitionsOf(node),
  ]);
  const events = Object.entries(menus).map(([slot, menu]) => [slot, menu.map(({ name }) => name)]);
  return createHash('sha256')
    .update(JSON.stringify([states, events]))
    .digest('base64url');
}

function transitionsOf(node: AnyNode): unknown[] {
  const named = [...node.transitions.entries()].map(([descriptor, transitions]) => [
    descriptor,
    transitions.map(targets),
  ]);
  return [...named, ['', (node.always ?? []).map(targets)]];
}

function targets(transition: { target?: readonly { id: string }[] | undefined }): string[] | null {
  return transition.target?.map(({ id }) => id) ?? null;
}
