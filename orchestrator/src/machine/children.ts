/** The actors of a snapshot: whose they are, whether they still live, and how they end. */
import { type AnyActorRef, createActor } from 'xstate';
import { logicOf } from './hosted.ts';
import { jsonCopy, unsaveable } from './json.ts';
import { type InertSnapshot, markOf } from './markers.ts';
import { type AnyNode, type ChildRef, pathOf } from './nodes.ts';
import type { Invocation, JsonValue, MachineAction, MachineEvent, Snapshot, StartAction, Workflow } from './port.ts';

const DONE = 'xstate.done.actor.';
const ERROR = 'xstate.error.actor.';

/** Results are saved with the step that takes them: an output that is no JSON data is the actor's failure. */
export function doneEvent(id: string, output: unknown): MachineEvent {
  const lost = unsaveable(output, 'output');
  if (lost)
    return errorEvent(
      id,
      new TypeError(`${lost.path} holds ${lost.what}, which cannot be saved; return plain JSON data`),
    );
  return { type: `${DONE}${id}`, output, actorId: id };
}

/** An Error becomes `{ name, message }`, so that `onError` reads the same before and after a restart. */
export function errorEvent(id: string, error: unknown): MachineEvent {
  return { type: `${ERROR}${id}`, error: jsonCopy(error), actorId: id };
}

export function childrenOf(snapshot: Snapshot): ChildRef[] {
  return Object.values(snapshot.children as Record<string, ChildRef | undefined>).filter(
    (child) => child !== undefined,
  );
}

export function inertOf(child: ChildRef): InertSnapshot {
  return child.getSnapshot() as InertSnapshot;
}

export function isActive(child: ChildRef): boolean {
  return inertOf(child).status === 'active';
}

/** The active state that invokes a child, or undefined when it was spawned (or its state was left). */
export function invokingNode(snapshot: Snapshot, child: ChildRef): AnyNode | undefined {
  const nodes = snapshot._nodes as unknown as AnyNode[];
  return nodes.find((node) => node.invoke.some(({ id, src }) => id === child.id && src === child.src));
}

/** The state that a child belongs to, active or not. */
export function owningNode(snapshot: Snapshot, child: ChildRef): AnyNode {
  const spawner = inertOf(child).owner;
  const node = invokingNode(snapshot, child) ?? (spawner === undefined ? undefined : nodeById(snapshot, spawner));
  return node ?? (snapshot.machine.root as unknown as AnyNode);
}

function nodeById(snapshot: Snapshot, id: string): AnyNode | undefined {
  return (snapshot.machine as unknown as { idMap: Map<string, AnyNode> }).idMap.get(id);
}

export function stopOf(workflow: Pick<Workflow, 'machine'>, child: ChildRef): MachineAction {
  return { kind: 'stop', id: child.id, actor: markOf(logicOf(workflow.machine, child.src))?.kind ?? 'actor' };
}

export function startOf(workflow: Pick<Workflow, 'machine'>, snapshot: Snapshot, child: ChildRef): StartAction {
  const mark = markOf(logicOf(workflow.machine, child.src));
  const invoking = invokingNode(snapshot, child);
  return {
    kind: 'start',
    actor: mark?.kind ?? 'actor',
    id: child.id,
    src: child.src,
    ...(mark?.kind === 'agent' && { slot: child.src }),
    stateId: owningNode(snapshot, child).id,
    spawned: invoking === undefined,
    input: inertOf(child).input,
    ...(child.systemId !== undefined && { systemId: child.systemId }),
    syncSnapshot: child._syncSnapshot === true,
  };
}

export function invocations(workflow: Workflow, snapshot: Snapshot): Invocation[] {
  return childrenOf(snapshot).map((child) => {
    const { kind: _, id, ...start } = startOf(workflow, snapshot, child);
    return { ...start, invokeId: id, active: isActive(child), ...(start.actor === 'gate' && gateOf(snapshot, child)) };
  });
}

function gateOf(snapshot: Snapshot, child: ChildRef): { gate: string; meta?: JsonValue } {
  const { gate, meta } = (inertOf(child).input ?? {}) as { gate?: string; meta?: JsonValue };
  return { gate: gate ?? pathOf(owningNode(snapshot, child)), ...(meta !== undefined && { meta }) };
}

/** Which child a result event speaks of. */
export function endingOf(event: MachineEvent): { id: string; status: 'done' | 'error' } | undefined {
  if (event.type.startsWith(DONE)) return { id: event.type.slice(DONE.length), status: 'done' };
  if (event.type.startsWith(ERROR)) return { id: event.type.slice(ERROR.length), status: 'error' };
  return undefined;
}

/** The snapshot in which a child has ended. A new one: the child of the snapshot before stays as it was. */
export function withEnded(snapshot: Snapshot, child: ChildRef, event: MachineEvent, parent: AnyActorRef): Snapshot {
  const { owner } = inertOf(child);
  const ended =
    endingOf(event)?.status === 'done'
      ? { status: 'done', output: event.output, error: undefined }
      : { status: 'error', output: undefined, error: event.error };
  const ref = createActor(
    child.logic as never,
    {
      id: child.id,
      src: child.src,
      parent,
      syncSnapshot: child._syncSnapshot === true,
      snapshot: { ...ended, ...(owner !== undefined && { owner }) },
    } as never,
  );
  return { ...snapshot, children: { ...snapshot.children, [child.id]: ref } } as Snapshot;
}
