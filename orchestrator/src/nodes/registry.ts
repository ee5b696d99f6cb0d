/** The nodes of this Orchestrator: each change is one step, committed before anybody sees it. */
import { HostRefusal } from '../run/refusal.ts';
import type { NodeRow, Writes } from '../run/rows.ts';
import { hasMoved, leaseEnd, type NodeEvent, type NodeState, type NodeStep, restored, step } from './health.ts';
import type { NodeLifecycle, NodeRecord, NodeRegistration, NodeSeen, Nodes } from './port.ts';
import { nodeFrame } from './view.ts';

export interface NodesOptions {
  /** As they were saved. */
  saved: readonly NodeRecord[];
  /** Milliseconds since the epoch. */
  now: () => number;
  /** How long nodes have to be heard after a start, in milliseconds, before a lease that ran out meanwhile counts (TW-NOD-021). */
  hearingMs: number;
  /** All or nothing, durable when it resolves. */
  commit: (writes: Writes) => Promise<unknown>;
}

export class LiveNodes implements Nodes {
  readonly #options: NodesOptions;
  readonly #states = new Map<string, NodeState>();
  readonly #listeners = new Set<(nodeId: string) => void>();
  /** Changes of one node come one after another: each is decided on what is committed. */
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #probes = { good: 0, failed: 0 };
  #stopping = false;

  constructor(options: NodesOptions) {
    this.#options = options;
    const leaseNotBefore = options.now() + options.hearingMs;
    for (const record of options.saved) this.#states.set(record.nodeId, restored(record, leaseNotBefore));
  }

  get(nodeId: string): NodeRecord | undefined {
    return this.#states.get(nodeId)?.record;
  }

  list(): NodeRecord[] {
    const records = [...this.#states.values()].map(({ record }) => record);
    return records.sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
  }

  onChange(listener: (nodeId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async demote(nodeId: string, seen: NodeSeen): Promise<boolean> {
    const { state } = await this.#apply(nodeId, { type: 'demote', seen });
    return state !== undefined && !hasMoved(state, seen) && state.record.health === 'inactive';
  }

  async register(nodeId: string, registration: NodeRegistration): Promise<void> {
    await this.#apply(nodeId, { type: 'register', nodeId, registration });
  }

  async heartbeat(nodeId: string, instanceId: string, lifecycle: NodeLifecycle): Promise<void> {
    const { refused, state } = await this.#apply(nodeId, { type: 'heartbeat', instanceId, lifecycle });
    if (refused === undefined) return;
    if (refused === 'unknown_node' || !state) throw unknownNode(nodeId);
    const { instanceId: other, health } = state.record;
    // How the other one does: who was replaced may take its place again when it is gone.
    throw new HostRefusal(refused, `${other} has registered as ${nodeId} since`, { health });
  }

  async remove(nodeId: string): Promise<void> {
    const { refused } = await this.#apply(nodeId, { type: 'remove' });
    if (refused !== undefined) throw unknownNode(nodeId);
  }

  /** The answer to a probe, or that there was none. */
  async probed(nodeId: string, probe: Omit<Extract<NodeEvent, { type: 'probed' }>, 'type'>): Promise<void> {
    this.#probes[probe.isGood ? 'good' : 'failed'] += 1;
    await this.#apply(nodeId, { type: 'probed', ...probe });
  }

  /** When the lease of the node is over, by the clock of the options; `undefined`: there is no such node. */
  leaseEnd(nodeId: string): number | undefined {
    const state = this.#states.get(nodeId);
    return state && leaseEnd(state);
  }

  async lookAtLease(nodeId: string): Promise<void> {
    await this.#apply(nodeId, { type: 'lease' });
  }

  counters(): Record<string, number> {
    const health: Record<string, number> = { unknown: 0, healthy: 0, inactive: 0 };
    for (const { record } of this.#states.values()) health[record.health] = (health[record.health] ?? 0) + 1;
    return {
      ...Object.fromEntries(Object.entries(health).map(([name, count]) => [`nodes{health="${name}"}`, count])),
      'node_probes_total{result="good"}': this.#probes.good,
      'node_probes_total{result="failed"}': this.#probes.failed,
    };
  }

  /** What comes later is refused. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.allSettled(this.#queues.values());
  }

  /** @throws HostRefusal `stopping`; StoreError, and nothing has changed then */
  async #apply(nodeId: string, event: NodeEvent): Promise<NodeStep> {
    if (this.#stopping) throw new HostRefusal('stopping', 'the orchestrator is stopping; nothing was taken');
    const before = this.#queues.get(nodeId) ?? Promise.resolve();
    const mine = before.then(() => this.#take(nodeId, event));
    const quiet = mine.catch(() => {});
    this.#queues.set(nodeId, quiet);
    void quiet.then(() => {
      if (this.#queues.get(nodeId) === quiet) this.#queues.delete(nodeId);
    });
    return mine;
  }

  async #take(nodeId: string, event: NodeEvent): Promise<NodeStep> {
    const now = this.#options.now();
    const outcome = step(this.#states.get(nodeId), event, now);
    if (outcome.isChanged) await this.#options.commit(writesOf(nodeId, event, outcome, now));
    if (outcome.state) this.#states.set(nodeId, outcome.state);
    else this.#states.delete(nodeId);
    if (outcome.isChanged) for (const listener of this.#listeners) listener(nodeId);
    return outcome;
  }
}

function writesOf(nodeId: string, event: NodeEvent, { state, news }: NodeStep, now: number): Writes {
  const feed = news.map((one) => nodeFrame(one, now));
  if (!state) return { removedNodes: [nodeId], feed };
  const { agents, ...row } = state.record;
  const nodes: NodeRow[] = [row];
  return { nodes, feed, ...(event.type === 'register' ? { nodeAgents: [{ nodeId, agents }] } : {}) };
}

const unknownNode = (nodeId: string) => new HostRefusal('unknown_node', `no node ${nodeId} is registered`);
