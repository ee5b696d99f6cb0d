/** This Harness as a node: what it says of itself, and to whom. */
import { randomUUID } from 'node:crypto';
import type { Connection } from '@turnwire/sdk';
import { type Logger, StartError } from '@turnwire/server';
import type { Agents, ConfiguredAgent } from '../api/agents.ts';
import { CAPABILITIES } from '../api/app.ts';
import type { Harness } from '../host/harness.ts';
import { MANY_LOGS, REGISTER_FIRST_MS } from '../limits.ts';
import { logFiles } from '../log/folder.ts';
import type { ServeSettings } from '../settings.ts';
import { NodeClient } from './client.ts';
import type { NodeAgent } from './port.ts';
import { overTheCustodian } from './registry.ts';
import type { Lifecycle } from './step.ts';

export interface NodeParts {
  readonly settings: ServeSettings;
  readonly agents: Agents;
  /** Where it listens. */
  readonly url: string;
  readonly version: string;
  readonly custodian: Connection;
  readonly harness: Harness;
  /** Whether its logs were read: it says `starting` until then. */
  readonly recovered: () => boolean;
  readonly log: Logger;
}

/** Before anything is begun: the registry would refuse it with each registration. @throws StartError in one line */
export function checkNodeAgents(agents: Agents): void {
  const dotted = [...agents.keys()].find((name) => name.includes('.'));
  if (dotted !== undefined) {
    throw new StartError(`the agent ${dotted} of a node must have no dot in its name: calls go to NODE.AGENT`);
  }
}

/**
 * Registers this process, once it holds its data folder: one that only waits for it must not take the place of the one
 * that works. Undefined where it is none. Resolves at once, or where reading its logs will take a while, when callers can
 * know that it comes; registering goes on by itself.
 */
export async function becomeNode(parts: NodeParts): Promise<NodeClient | undefined> {
  const { settings, harness, log } = parts;
  const { nodeId } = settings;
  if (nodeId === undefined) return undefined;
  const client = new NodeClient({
    nodeId,
    registration: {
      baseUrl: settings.publicUrl ?? parts.url,
      instanceId: randomUUID(),
      agents: [...parts.agents].map(described),
      deployment: settings.deployment,
      version: parts.version,
      store: harness.folder.store,
      capabilities: CAPABILITIES,
    },
    registry: overTheCustodian(parts.custodian, nodeId),
    lifecycle: () => lifecycleOf(parts),
    clock: harness.options.clock,
    log,
  });
  client.begin();
  if (logFiles(harness.folder).length > MANY_LOGS) await client.heard('starting', REGISTER_FIRST_MS);
  return client;
}

const described = ([name, { description, output }]: [string, ConfiguredAgent]): NodeAgent => ({
  name,
  ...(description === undefined ? {} : { description }),
  ...(output === undefined ? {} : { output }),
});

function lifecycleOf({ harness, recovered }: NodeParts): Lifecycle {
  if (harness.draining.signal.aborted) return 'draining';
  if (!recovered()) return 'starting';
  return harness.conversations.damagedCount > 0 ? 'degraded' : 'ready';
}
