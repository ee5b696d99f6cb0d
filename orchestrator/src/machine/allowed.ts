/**
 * Allowed picks: an invoking state's own set, narrowed to what its guards would take now. A guard that decides by the payload
 * cannot be asked without one, so each is asked with an event that notices being read; the list informs, delivery decides.
 */
import { ownPicks } from './menu.ts';
import { type AnyNode, takes } from './nodes.ts';
import type { Snapshot, Workflow } from './port.ts';
import { activeNodes } from './rest.ts';

export function allowedPicks(workflow: Workflow, snapshot: Snapshot, invokeId: string): string[] {
  return ownPicks(workflow, snapshot, invokeId).filter((name) => mayBeTaken(snapshot, name));
}

/** As XState selects: from each innermost active state upwards, the first transition whose guard passes. */
export function mayBeTaken(snapshot: Snapshot, name: string): boolean {
  const nodes = activeNodes(snapshot);
  const innermost = nodes.filter((node) => !nodes.some((other) => other.parent === node));
  return innermost.some((node) => mayBeTakenFrom(node, snapshot, name));
}

function mayBeTakenFrom(node: AnyNode, snapshot: Snapshot, name: string): boolean {
  for (const transition of node.transitions.get(name) ?? []) {
    const verdict = ask(transition.guard, snapshot, name);
    if (verdict !== 'no' && takes(transition)) return true;
    // One that only forbids stops the event here, when it is sure to be selected.
    if (verdict === 'yes') return false;
  }
  return node.parent ? mayBeTakenFrom(node.parent as AnyNode, snapshot, name) : false;
}

/** `no` is trusted only from a guard that never looked at the payload; one that throws counts as allowing (TW-AUT-014). */
function ask(guard: unknown, snapshot: Snapshot, name: string): 'yes' | 'no' | 'maybe' {
  if (guard === undefined) return 'yes';
  const probe = probeEvent(name);
  try {
    const verdict = evaluate(guard, snapshot, probe.event);
    if (probe.wasRead()) return 'maybe';
    return verdict ? 'yes' : 'no';
  } catch {
    return 'maybe';
  }
}

/** An event that records every way of reading it beyond its `type`: properties, `in`, spread, JSON. */
export function probeEvent(name: string): { event: { type: string }; wasRead(): boolean } {
  let read = false;
  const noting = (key: string | symbol) => {
    if (key !== 'type') read = true;
  };
  const event = new Proxy(
    { type: name },
    {
      get: (target, key) => {
        noting(key);
        return key === 'type' ? target.type : undefined;
      },
      has: (target, key) => {
        noting(key);
        return key in target;
      },
      ownKeys: (target) => {
        read = true;
        return Reflect.ownKeys(target);
      },
      getOwnPropertyDescriptor: (target, key) => {
        noting(key);
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    },
  );
  return { event, wasRead: () => read };
}

type GuardFunction = ((args: unknown, params: unknown) => unknown) & {
  check?: (snapshot: unknown, args: unknown, self: unknown) => unknown;
};

/** XState's own evaluation, which it does not export: named guards, `{ type, params }`, and its `and`, `or`, `not`, `stateIn`. */
function evaluate(guard: unknown, snapshot: Snapshot, event: { type: string }): unknown {
  const args = { context: snapshot.context, event };
  if (typeof guard === 'function') return call(guard as GuardFunction, snapshot, args, undefined);
  const { type, params } =
    typeof guard === 'string' ? { type: guard, params: undefined } : (guard as { type: string; params?: unknown });
  const implementation: unknown = snapshot.machine.implementations.guards[type];
  if (implementation === undefined) throw new Error(`no guard '${type}'`);
  if (typeof implementation !== 'function') return evaluate(implementation, snapshot, event);
  return call(implementation as GuardFunction, snapshot, args, typeof params === 'function' ? params(args) : params);
}

function call(guard: GuardFunction, snapshot: Snapshot, args: unknown, params: unknown): unknown {
  return guard.check ? guard.check(snapshot, args, guard) : guard(args, params);
}
