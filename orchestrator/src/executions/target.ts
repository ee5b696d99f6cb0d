/** Whom a call asks, and whether it may be begun: what is refused here leaves no record behind. */
import type { NodeAgent, NodeRecord, NodeRegistry } from '../nodes/port.ts';
import type { JsonValue } from '../run/json.ts';
import { HostRefusal } from '../run/refusal.ts';

/** @throws HostRefusal `invalid` (TW-EXE-003) */
export function targetOf(target: string): { node: string; agent: string } {
  const [, node, agent] = /^([^.\s]+)\.([^.\s]+)$/.exec(target) ?? [];
  if (node !== undefined && agent !== undefined) return { node, agent };
  const message = `a target is a node and an agent with one dot between them, as in laptop.reviewer; not ${JSON.stringify(target)}`;
  throw invalid('/target', message);
}

/**
 * TW-EXE-028. An agent that is asked nothing has no turn, and a call without one would leave a Run that has no execution.
 * @throws HostRefusal `invalid` for the empty string
 */
export function promptOf(input: JsonValue): string {
  if (input === '') throw invalid('/input', 'an agent is asked something: the input is the empty string');
  return typeof input === 'string' ? input : JSON.stringify(input);
}

/**
 * TW-EXE-004, TW-EXE-007: fails fast. Nothing is asked of the node, its record alone decides.
 * @throws HostRefusal `target_not_found`, `node_unavailable`
 */
export function admissible(nodes: Pick<NodeRegistry, 'get'>, node: string, agent: string): NodeAgent {
  const record = nodes.get(node);
  if (!record) {
    throw new HostRefusal(
      'target_not_found',
      `there is no node ${node}; a harness registers as one with TURNWIRE_NODE_ID`,
    );
  }
  const found = record.agents.find(({ name }) => name === agent);
  if (!found) throw noAgent(record, agent);
  // TW-EXE-006: nothing says of a serverless node that it is down.
  if (record.health === 'inactive' && record.deployment === 'resident') {
    throw new HostRefusal(
      'node_unavailable',
      `the node ${node} is down; nothing was sent to it, and there is no record`,
    );
  }
  return found;
}

function noAgent({ nodeId, agents }: NodeRecord, agent: string): HostRefusal {
  const names = agents.map(({ name }) => name);
  const has = names.length === 0 ? 'it has none' : `it has ${names.slice(0, 20).join(', ')}`;
  const more = names.length > 20 ? ` and ${names.length - 20} more` : '';
  return new HostRefusal('target_not_found', `the node ${nodeId} has no agent ${agent}; ${has}${more}`, {
    agents: names,
  });
}

function invalid(path: string, message: string): HostRefusal {
  return new HostRefusal('invalid', message, { problems: [{ path, message }] as unknown as JsonValue });
}
