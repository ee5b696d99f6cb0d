/** What the steps about nodes and executions do. */
import { type Difference, difference } from '../harness/expect.ts';
import { send } from '../harness/wire.ts';
import { until } from '../run/until.ts';
import type { AnswerExpected, Call, Step } from './case.ts';
import { NodeDouble } from './node-double.ts';
import type { Scene } from './scene.ts';

/** What a registration says, and a case may lay something over. */
const capabilities = { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true };

interface KnownNode {
  readonly nodeId: string;
  readonly instanceId: string;
  readonly baseUrl: string;
  readonly token: string;
  readonly agents: readonly unknown[];
  readonly deployment: string;
}

const nodeOf = (in_: Scene, name = 'node'): KnownNode => (in_.known[name] ?? {}) as KnownNode;

/** Every check has its own name in a shared subject; a DNS label. */
const labelOf = (in_: Scene, as: string): string =>
  `${as}-${in_.known.id}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/-$/, '');

/** A new process of a node. */
export async function nodeUp(in_: Scene, { node = {}, as = 'node' }: Step): Promise<void> {
  const { agents = [{ name: 'worker' }], deployment = 'resident', listens = true, sick = false } = node;
  const double =
    in_.nodes.get(as) ?? new NodeDouble(node.nodeId ?? labelOf(in_, as), in_.host.signingKey, in_.host.book);
  in_.nodes.set(as, double);
  await double.up(listens);
  double.harness.sick = sick;
  const { nodeId, instanceId, token } = double;
  in_.known[as] = { nodeId, instanceId, baseUrl: double.harness.url, token, agents, deployment } satisfies KnownNode;
  if (node.registers === false) return;
  const answer = await in_.call(registerCall(in_, { of: as }));
  if (answer.status !== 200) in_.wrong(`answered a registration ${answer.status}`, 'take it', 'TW-NOD-001');
  if (node.beats === false || deployment === 'serverless') return;
  const beat = beatCall(in_, { of: as, lifecycle: node.beats ?? 'ready' });
  const first = await in_.call(beat);
  if (first.status !== 200) in_.wrong(`answered a heartbeat ${first.status}`, 'take it', 'TW-NOD-009');
  double.beat(() => send(beat, { baseUrl: in_.host.url, token, timeoutMs: 5_000 }));
}

export function registerCall(
  in_: Scene,
  { of, nodeId, body = {}, headers, token }: NonNullable<Step['register']>,
): Call {
  const node = nodeOf(in_, of);
  const { instanceId, baseUrl, agents, deployment } = node;
  const usual = { baseUrl, instanceId, agents, deployment, capabilities };
  const json = Object.fromEntries(Object.entries({ ...usual, ...body }).filter(([, value]) => value !== null));
  return {
    method: 'PUT',
    path: `/nodes/${encodeURIComponent(nodeId ?? node.nodeId)}`,
    json,
    ...(headers && { headers }),
    token: token === undefined ? node.token : token,
  };
}

export function beatCall(
  in_: Scene,
  { of, nodeId, instanceId, lifecycle = 'ready', token }: NonNullable<Step['beat']>,
): Call {
  const node = nodeOf(in_, of);
  return {
    method: 'POST',
    path: `/nodes/${encodeURIComponent(nodeId ?? node.nodeId)}/heartbeat`,
    json: { instanceId: instanceId ?? node.instanceId, lifecycle },
    token: token === undefined ? node.token : token,
  };
}

export function executeCall(in_: Scene, execute: NonNullable<Step['execute']>): Call {
  const { target, input, prefer = 'respond-async', key, timeoutSeconds, usageContext, body = {}, headers } = execute;
  const usual = {
    target: target ?? `${nodeOf(in_).nodeId}.worker`,
    input: input ?? in_.known.task,
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(usageContext === undefined ? {} : { usageContext }),
  };
  const json = Object.fromEntries(Object.entries({ ...usual, ...body }).filter(([, value]) => value !== null));
  return {
    method: 'POST',
    path: '/executions',
    json,
    headers: { ...(prefer === '' ? {} : { prefer }), ...(key && { 'idempotency-key': key }), ...headers },
    ...(execute.token === undefined ? {} : { token: execute.token }),
  };
}

const executionOf = (in_: Scene, name = 'execution'): string =>
  String((in_.known[name] as { executionId?: string } | undefined)?.executionId);

export const cancelExecutionCall = (in_: Scene, { of, token }: NonNullable<Step['cancelExecution']>): Call => ({
  method: 'POST',
  path: `/executions/${executionOf(in_, of)}/cancel`,
  json: {},
  ...(token === undefined ? {} : { token }),
});

export const replayCall = (in_: Scene, { of, body = {}, key, token }: NonNullable<Step['replay']>): Call => ({
  method: 'POST',
  path: `/executions/${executionOf(in_, of)}/replay`,
  json: body,
  headers: key === undefined ? {} : { 'idempotency-key': key },
  ...(token === undefined ? {} : { token }),
});

/** The requests among these steps, with what they are answered as a rule. */
export function nodeRequest(in_: Scene, step: Step): { call: Call; usual: AnswerExpected } | undefined {
  if (step.register) return { call: registerCall(in_, step.register), usual: { status: 200 } };
  if (step.beat) return { call: beatCall(in_, step.beat), usual: { status: 200 } };
  if (step.execute) return { call: executeCall(in_, step.execute), usual: { status: 202 } };
  if (step.cancelExecution) return { call: cancelExecutionCall(in_, step.cancelExecution), usual: { status: 200 } };
  if (step.replay) return { call: replayCall(in_, step.replay), usual: { status: 202 } };
  return undefined;
}

/** What of these steps is no request. */
export async function nodeStep(in_: Scene, step: Step): Promise<void> {
  if (step.node) await nodeUp(in_, step);
  if (step.nodeDown !== undefined) await in_.nodes.get(step.nodeDown)?.down();
  if (step.nodeListens !== undefined) await in_.nodes.get(step.nodeListens)?.harness.start();
  const { nodeView, execution, expect } = step;
  if (nodeView) await shows(in_, `/nodes/${nodeOf(in_, nodeView.of).nodeId}`, expect, nodeView.withinMs);
  if (execution) await shows(in_, `/executions/${executionOf(in_, execution.of)}`, expect, execution.withinMs, step.as);
}

async function shows(
  in_: Scene,
  path: string,
  expect: unknown,
  withinMs = in_.host.patienceMs,
  as?: string,
): Promise<void> {
  let odd: Difference | undefined;
  const come = await until(async () => {
    const { status, json } = await in_.call({ path });
    odd = status === 200 ? difference(expect ?? {}, json) : difference(200, status, 'the status');
    if (odd === undefined && as !== undefined) in_.known[as] = json;
    return odd === undefined || in_.mismatches.length > 0;
  }, withinMs);
  if (!come) in_.wrong(`showed ${path} so that, after ${withinMs} ms, ${odd?.was}`, `bring it there: ${odd?.should}`);
}
