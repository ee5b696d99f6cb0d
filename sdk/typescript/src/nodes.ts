import { checkKey, checkSegment, checkText, jsonText, need } from './arguments.ts';
import { ask, objectOf, objectWith } from './ask.ts';
import type { Answer } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import { TurnwireFault } from './fault.ts';
import { pageOf } from './keyed.ts';
import type { NodeLifecycle, NodeRegistered, NodeRegistration, NodeView, Page } from './wire.ts';

/**
 * Registers a Harness as the node of its placement, through its Custodian (seat `register`: no window, it asks until it has
 * its answer, a `signal` or a `windowMs` bounds it). Heartbeat then, every `heartbeatSeconds` (TW-NOD-022).
 *
 * @throws TurnwireFault `invalid` with `problem.problems`; `wrong_placement`; the code of another final answer, `aborted`.
 * @throws TypeError naming the argument that is wrong; so does everything in this file.
 */
export async function registerNode(
  connection: Connection,
  of: { nodeId: string } & NodeRegistration,
  options?: CallOptions,
): Promise<NodeRegistered> {
  const { nodeId, ...registration } = of;
  checkSegment(nodeId, 'nodeId');
  checkText(registration.baseUrl, 'baseUrl');
  checkKey(registration.instanceId, 'instanceId');
  need(Array.isArray(registration.agents), 'agents', 'a list');
  const call = { operation: 'registerNode', path: { nodeId }, body: jsonText(registration, 'agents') };
  return (await ask(connection, { seat: 'register', call, decode: registered }, options)).value;
}

/**
 * Says that a node lives (seat `heartbeat`, without a window; give a `windowMs` below the interval, so that none is late for the next).
 *
 * @throws TurnwireFault `unknown_node`: register again (TW-NOD-007); `stale_instance`: another process of this node has
 *   registered since (TW-NOD-008); the code of another final answer, `aborted`.
 */
export async function heartbeat(
  connection: Connection,
  of: { nodeId: string; instanceId: string; lifecycle: NodeLifecycle },
  options?: CallOptions,
): Promise<void> {
  const { nodeId, instanceId, lifecycle } = of;
  checkSegment(nodeId, 'nodeId');
  checkKey(instanceId, 'instanceId');
  checkText(lifecycle, 'lifecycle');
  const body = jsonText({ instanceId, lifecycle }, 'lifecycle');
  const call = { operation: 'heartbeatNode', path: { nodeId }, body };
  await ask(connection, { seat: 'heartbeat', call, decode: objectOf }, options);
}

/** Lists the nodes that are registered, by name, with health and lifecycle (seat `nodes`, 30 s; TW-NOD-019). */
export async function listNodes(connection: Connection, options?: CallOptions): Promise<Page<NodeView>> {
  const question = { seat: 'nodes', call: { operation: 'listNodes' }, decode: pageOf<NodeView> };
  return (await ask(connection, question, options)).value;
}

/** Shows one node (seat `nodes`, 30 s). Fault `unknown_node`. */
export async function readNode(
  connection: Connection,
  of: { nodeId: string },
  options?: CallOptions,
): Promise<NodeView> {
  checkSegment(of.nodeId, 'nodeId');
  const call = { operation: 'readNode', path: { nodeId: of.nodeId } };
  const decode = objectWith<NodeView>('nodeId', 'health');
  return (await ask(connection, { seat: 'nodes', call, decode }, options)).value;
}

/** Removes a node (seat `remove_node`, 30 s). That an earlier copy of this call did it is success too. Fault `unknown_node`. */
export async function removeNode(connection: Connection, of: { nodeId: string }, options?: CallOptions): Promise<void> {
  checkSegment(of.nodeId, 'nodeId');
  const call = { operation: 'removeNode', path: { nodeId: of.nodeId } };
  try {
    await ask(connection, { seat: 'remove_node', call, decode: () => true }, options);
  } catch (error) {
    const isGoneMeanwhile = error instanceof TurnwireFault && error.code === 'unknown_node' && error.attempts > 1;
    if (!isGoneMeanwhile) throw error;
  }
}

function registered(answer: Answer): NodeRegistered | undefined {
  const { heartbeatSeconds, leaseSeconds } = objectOf(answer) ?? {};
  if (typeof heartbeatSeconds !== 'number' || typeof leaseSeconds !== 'number') return undefined;
  return { heartbeatSeconds, leaseSeconds };
}
