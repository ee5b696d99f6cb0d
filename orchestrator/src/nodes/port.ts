/**
 * Nodes as the rest of the Orchestrator sees them: what each said of itself, and how it does. Reads are of committed
 * state, and cost nothing; nothing here knows of HTTP, of a timer or of a store.
 */
import type { JsonObject } from '../run/json.ts';

/** `inactive`: definitively down, so that a call to it is refused before it has a record (TW-EXE-004). */
export type NodeHealth = 'unknown' | 'healthy' | 'inactive';

/** What the node says of itself, apart from its health (TW-NOD-010). */
export type NodeLifecycle = 'starting' | 'ready' | 'degraded' | 'draining';

/** `serverless`: it never heartbeats and may sleep, so it has no lease and is not probed (TW-NOD-017). */
export type NodeDeployment = 'resident' | 'serverless';

export interface NodeAgent {
  name: string;
  description?: string;
  /** JSON Schema of what the agent answers to an ad-hoc call; checked to compile. */
  output?: JsonObject | boolean;
}

export interface NodeCapabilities {
  idempotentAdmissions: boolean;
  fencedAbort: boolean;
  submissionStreams: boolean;
}

/** What a registration says. */
export interface NodeRegistration {
  /** Absolute http or https URL, without credentials, query and fragment (TW-NOD-004). */
  baseUrl: string;
  /** Fresh per process. */
  instanceId: string;
  agents: readonly NodeAgent[];
  deployment: NodeDeployment;
  version?: string;
  /** The identity of its data folder. */
  store?: string;
  capabilities: NodeCapabilities;
}

/** Times are milliseconds since the epoch. */
export interface NodeRecord extends NodeRegistration {
  /** Also the name of its placement, and of its tokens. */
  nodeId: string;
  health: NodeHealth;
  lifecycle: NodeLifecycle;
  /** When this instance registered first: the drain grace of the one before it counts from here. */
  registeredAt: number;
  /** Its last registration or heartbeat: its lease counts from here. */
  heardAt: number;
  /** Of this instance. */
  lastHeartbeatAt?: number;
  /** Grows with every registration and every heartbeat, and never otherwise: a record has moved when this has (TW-EXE-011). */
  moves: number;
  /** Since when it is `inactive`. */
  inactiveSince?: number;
}

/** What a change of health was decided on. */
export type NodeSeen = Pick<NodeRecord, 'instanceId' | 'moves'>;

export interface NodeRegistry {
  get(nodeId: string): NodeRecord | undefined;
  /** In the order of their names. */
  list(): NodeRecord[];
  /** After each committed change: registration, heartbeat, health, removal. Must not throw. Returns how to stop it. */
  onChange(listener: (nodeId: string) => void): () => void;
  /**
   * Sets the node `inactive` if it is a resident one that has not moved since (TW-NOD-014); a `serverless` one never is. Resolves after the commit,
   * with whether the node is inactive now because of what was seen.
   */
  demote(nodeId: string, seen: NodeSeen): Promise<boolean>;
}

/** The registry, and what nodes and people do with it. Each refuses `stopping`, and is committed when it resolves. */
export interface Nodes extends NodeRegistry {
  register(nodeId: string, registration: NodeRegistration): Promise<void>;
  /** Refuses `unknown_node`, `stale_instance`. */
  heartbeat(nodeId: string, instanceId: string, lifecycle: NodeLifecycle): Promise<void>;
  /** Refuses `unknown_node`. */
  remove(nodeId: string): Promise<void>;
  /** Plain numbers for /metrics; names without the `turnwire_` prefix. */
  counters(): Record<string, number>;
  /** Resolves when nothing is being written any more. */
  stop(): Promise<void>;
}
