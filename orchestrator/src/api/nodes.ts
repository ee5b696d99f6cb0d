/** Nodes: what a Harness says of itself with its placement's token, and what people read with the instance token. */
import { protocol } from '@turnwire/sdk';
import { checkParameters, Problem, readJson } from '@turnwire/server';
import type { Context } from 'hono';
import type { NodeLifecycle, NodeRegistration, Nodes } from '../nodes/port.ts';
import { registrationOf, registrationProblems } from '../nodes/registration.ts';
import { nodeView } from '../nodes/view.ts';
import { placementOf, requireInstance } from './auth.ts';
import type { Deps } from './deps.ts';
import { parameter } from './parameters.ts';
import { asked } from './refusals.ts';

const { heartbeatSeconds, leaseSeconds } = protocol.constants;

export const registerNode = (deps: Deps) => async (c: Context) => {
  const { nodes, nodeId } = ownNode(deps, c, 'registerNode');
  const body = await readJson<NodeRegistration>(c, 'orchestrator', 'registerNode');
  const problems = await registrationProblems(body);
  if (problems.length > 0) {
    const list = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw new Problem('invalid', list, { members: { problems } });
  }
  await asked(() => nodes.register(nodeId, registrationOf(body)));
  return c.json({ heartbeatSeconds, leaseSeconds }); // TW-NOD-001
};

export const heartbeatNode = (deps: Deps) => async (c: Context) => {
  const { nodes, nodeId } = ownNode(deps, c, 'heartbeatNode');
  const beat = await readJson<{ instanceId: string; lifecycle: NodeLifecycle }>(c, 'orchestrator', 'heartbeatNode');
  await asked(() => nodes.heartbeat(nodeId, beat.instanceId, beat.lifecycle));
  return c.json({ ok: true }); // TW-NOD-009
};

/** TW-NOD-002: a token opens the node of its own placement. Token, phase, parameters, placement, in that order. */
function ownNode({ service, tokens }: Deps, c: Context, operationId: string): { nodes: Nodes; nodeId: string } {
  const placement = placementOf(c, tokens);
  const { nodes } = service.host('starting');
  checkParameters(c, 'orchestrator', operationId);
  const nodeId = parameter(c, 'nodeId');
  if (nodeId === placement) return { nodes, nodeId };
  throw new Problem('wrong_placement', `this token is of another placement than ${nodeId}`);
}

export const listNodes = (deps: Deps) => (c: Context) => {
  const nodes = enter(deps, c, 'listNodes');
  return c.json({ items: nodes.list().map(nodeView) });
};

export const readNode = (deps: Deps) => (c: Context) => {
  const nodes = enter(deps, c, 'readNode');
  const nodeId = parameter(c, 'nodeId');
  const record = nodes.get(nodeId);
  if (!record) throw new Problem('unknown_node', `no node ${nodeId} is registered`);
  return c.json(nodeView(record));
};

export const removeNode = (deps: Deps) => async (c: Context) => {
  const nodes = enter(deps, c, 'removeNode');
  await asked(() => nodes.remove(parameter(c, 'nodeId')));
  return c.body(null, 204); // TW-NOD-020
};

/** TW-NOD-027. */
function enter({ service, tokens }: Deps, c: Context, operationId: string): Nodes {
  requireInstance(c, tokens);
  const { nodes } = service.host('starting');
  checkParameters(c, 'orchestrator', operationId);
  return nodes;
}
