/** The registry of nodes as one who waits for a node uses it: he is woken when its record has changed. */
import type { NodeRecord, NodeRegistry, NodeSeen } from '../nodes/port.ts';
import { Parked } from './parked.ts';

/** Somebody who waits; `end` is his way out, and releases what was held for him. */
export interface Waiting {
  woken: Promise<void>;
  end(): void;
}

export class NodeWatch {
  readonly #registry: NodeRegistry;
  readonly #parked = new Parked();
  readonly #leave: () => void;

  constructor(registry: NodeRegistry) {
    this.#registry = registry;
    this.#leave = registry.onChange((nodeId) => this.#parked.wake(nodeId));
  }

  get size(): number {
    return this.#parked.size;
  }

  get(nodeId: string): NodeRecord | undefined {
    return this.#registry.get(nodeId);
  }

  list(): NodeRecord[] {
    return this.#registry.list();
  }

  /** After each change of any. Returns how to stop it. */
  onChange(listener: (nodeId: string) => void): () => void {
    return this.#registry.onChange(listener);
  }

  /** Until the record changes next. */
  watch(nodeId: string): Waiting {
    return this.#parked.park(nodeId);
  }

  /** TW-EXE-016: it is down for whoever comes next, unless it moved since. */
  demote(nodeId: string, seen: NodeSeen): Promise<boolean> {
    return this.#registry.demote(nodeId, seen);
  }

  close(): void {
    this.#leave();
    this.#parked.wakeAll();
  }
}

/** Of who has no nodes: everything is where the placements say. */
export const noNodes: NodeRegistry = {
  get: () => undefined,
  list: () => [],
  onChange: () => () => {},
  demote: async () => false,
};
