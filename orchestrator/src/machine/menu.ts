/** What may be picked and what a gate accepts: derived from the transitions, never listed by hand (TW-AUT-001, TW-AUT-002). */
import type { AnyStateMachine } from 'xstate';
import { z } from 'zod';
import { nodesOf } from './hosted.ts';
import { type AnyNode, agentsOf, descriptorsOf, upwards } from './nodes.ts';
import type { CausedBy, JsonObject, MenuItem, Snapshot, Workflow, WorkflowEvent } from './port.ts';
import { activeStateOf } from './rest.ts';

type Vocabulary = Record<string, WorkflowEvent>;

/** The Menu of a slot. Its order is the vocabulary's, so that it depends on nothing that a restart could change. */
export function menu(workflow: Workflow, slot: string): MenuItem[] {
  return workflow.menus[slot] ?? [];
}

export function menuOf(machine: AnyStateMachine, events: Vocabulary, slot: string): MenuItem[] {
  const invoking = nodesOf(machine).filter((node) => agentsOf(machine, node).includes(slot));
  const named = new Set(invoking.flatMap((node) => namedBy(node, events, 'agent')));
  return Object.values(events)
    .filter(({ name }) => named.has(name))
    .map(itemOf);
}

export function ownPicks(workflow: Workflow, snapshot: Snapshot, invokeId: string): string[] {
  const state = activeStateOf(snapshot, invokeId);
  return state ? namedBy(state, workflow.events, 'agent') : [];
}

export function gateAccepts(workflow: Workflow, snapshot: Snapshot, invokeId: string): MenuItem[] {
  const state = activeStateOf(snapshot, invokeId);
  const names = state ? namedBy(state, workflow.events, 'outside') : [];
  return names.map((name) => itemOf(workflow.events[name] as WorkflowEvent));
}

/** The events of one kind that a state's transitions name, its ancestors' included, in the vocabulary's order. */
export function namedBy(node: AnyNode, events: Vocabulary, by: CausedBy): string[] {
  const named = new Set(upwards(node).flatMap(descriptorsOf));
  return Object.values(events)
    .filter((event) => event.by === by && named.has(event.name))
    .map(({ name }) => name);
}

const items = new WeakMap<WorkflowEvent, MenuItem>();

/** Made once for each event: a surface is read at every step of every turn. */
function itemOf(event: WorkflowEvent): MenuItem {
  const { name, description, input } = event;
  const item = items.get(event) ?? {
    name,
    ...(description !== undefined && { description }),
    input: inputSchemaOf(input),
  };
  items.set(event, item);
  return item;
}

/** The JSON Schema of what a caller sends: before defaults and transforms. Throws when the schema has no such form. */
export function inputSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _, '~standard': __, ...json } = z.toJSONSchema(schema, { io: 'input' }) as JsonObject;
  return json;
}
