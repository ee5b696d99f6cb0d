import { expect, it } from 'vitest';
import * as sdk from './index.ts';
import { internals } from './internals.ts';
import { stage } from './testing/stage.ts';

const { peerOf, connected } = stage();

type Call = (connection: sdk.Connection, options?: sdk.CallOptions) => Promise<unknown> | AsyncIterable<unknown>;

const cyclic: { [name: string]: sdk.JsonValue } = {};
cyclic.self = cyclic;
const none = undefined as never;
const at = { name: 'reviewer', iid: 'i1' };
const admission = { ...at, key: 'k1', body: { message: 'Review this.' } };
const pick = { iid: 'i1', turnId: 't1', event: 'approve', input: {} };
const answer = { runId: 'r1', gate: 'merge', event: 'merge', input: {} };
const node = {
  nodeId: 'laptop',
  baseUrl: 'http://127.0.0.1:8080',
  instanceId: 'inst_1',
  agents: [],
  deployment: 'resident' as const,
  capabilities: { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true },
};
const beat = { nodeId: 'laptop', instanceId: 'inst_1', lifecycle: 'ready' as const };
const call = { target: 'laptop.reviewer', input: 'Review this.' };
const stream = { streamUrl: '/s', offset: 'a_0' };

/** By the argument that is wrong. */
const wrong: readonly (readonly [string, string, Call])[] = [
  ['name', 'admit', (c) => sdk.admit(c, { ...admission, name: '' })],
  ['iid', 'admit', (c) => sdk.admit(c, { ...admission, iid: 'a/b' })],
  ['key', 'admit', (c) => sdk.admit(c, { ...admission, key: 'two words' })],
  ['body', 'admit', (c) => sdk.admit(c, { ...admission, body: cyclic as never })],
  ['body', 'admit', (c) => sdk.admit(c, { ...admission, body: none })],
  ['body', 'admit', (c) => sdk.admit(c, { ...admission, body: '{"message": ' })],
  ['expectStore', 'admit', (c) => sdk.admit(c, { ...admission, expectStore: '' })],
  ['expectStore', 'admit', (c) => sdk.admit(c, { ...admission, expectStore: 'a\r\nb: c' })],
  ['streamUrl', 'wait', async (c) => sdk.wait(c, { ...stream, streamUrl: 'http://[' })],
  ['offset', 'wait', async (c) => sdk.wait(c, { ...stream, offset: '' })],
  ['iid', 'history', (c) => sdk.history(c, { ...at, iid: '..' })],
  ['iid', 'streamTail', (c) => sdk.streamTail(c, { ...at, iid: 'x'.repeat(129) })],
  ['iid', 'abort', (c) => sdk.abort(c, { ...at, iid: 'a/b' })],
  ['submissionId', 'abort', (c) => sdk.abort(c, { ...at, submissionId: '' })],
  ['turnId', 'abort', (c) => sdk.abort(c, { ...at, turnId: 7 as never })],
  ['iid', 'surface', (c) => sdk.surface(c, { iid: 'a%2Fb' })],
  ['etag', 'surface', (c) => sdk.surface(c, { iid: 'i1', etag: '"a"\n' })],
  ['iid', 'deliver', (c) => sdk.deliver(c, { ...pick, iid: 'a/b' })],
  ['turnId', 'deliver', (c) => sdk.deliver(c, { ...pick, turnId: '' })],
  ['event', 'deliver', (c) => sdk.deliver(c, { ...pick, event: '' })],
  ['input', 'deliver', (c) => sdk.deliver(c, { ...pick, input: none })],
  ['input', 'deliver', (c) => sdk.deliver(c, { ...pick, input: cyclic })],
  ['input', 'deliver', (c) => sdk.deliver(c, { ...pick, input: 1n as never })],
  ['deliveryId', 'deliver', (c) => sdk.deliver(c, { ...pick, deliveryId: '..', clientDeliveryIds: true })],
  ['deliveryId', 'deliver', (c) => sdk.deliver(c, { ...pick, resume: 'poll' })],
  ['resume', 'deliver', (c) => sdk.deliver(c, { ...pick, deliveryId: 'd1', resume: 'lookup' })],
  ['iid', 'poll', (c) => sdk.poll(c, { iid: '', deliveryId: 'd1' })],
  ['deliveryId', 'poll', (c) => sdk.poll(c, { iid: 'i1', deliveryId: '' })],
  ['waitSeconds', 'poll', (c) => sdk.poll(c, { iid: 'i1', deliveryId: 'd1', waitSeconds: -1 })],
  ['name', 'getWorkflow', (c) => sdk.getWorkflow(c, { name: '.' })],
  ['workflow', 'startRun', (c) => sdk.startRun(c, { workflow: '', input: {} })],
  ['input', 'startRun', (c) => sdk.startRun(c, { workflow: 'review', input: none })],
  ['input', 'startRun', (c) => sdk.startRun(c, { workflow: 'review', input: cyclic })],
  ['key', 'startRun', (c) => sdk.startRun(c, { workflow: 'review', input: {}, key: '' })],
  ['limit', 'listRuns', (c) => sdk.listRuns(c, { limit: -1 })],
  ['runId', 'getRun', (c) => sdk.getRun(c, { runId: '' })],
  ['gate', 'answerGate', (c) => sdk.answerGate(c, { ...answer, gate: '' })],
  ['event', 'answerGate', (c) => sdk.answerGate(c, { ...answer, event: '' })],
  ['input', 'answerGate', (c) => sdk.answerGate(c, { ...answer, input: cyclic })],
  ['key', 'answerGate', (c) => sdk.answerGate(c, { ...answer, key: 'é' })],
  ['reason', 'cancelRun', (c) => sdk.cancelRun(c, { runId: 'r1', reason: 7 as never })],
  ['nodeId', 'registerNode', (c) => sdk.registerNode(c, { ...node, nodeId: '' })],
  ['baseUrl', 'registerNode', (c) => sdk.registerNode(c, { ...node, baseUrl: '' })],
  ['instanceId', 'registerNode', (c) => sdk.registerNode(c, { ...node, instanceId: 'a b' })],
  ['agents', 'registerNode', (c) => sdk.registerNode(c, { ...node, agents: none })],
  ['instanceId', 'heartbeat', (c) => sdk.heartbeat(c, { ...beat, instanceId: '' })],
  ['lifecycle', 'heartbeat', (c) => sdk.heartbeat(c, { ...beat, lifecycle: '' as never })],
  ['nodeId', 'readNode', (c) => sdk.readNode(c, { nodeId: '..' })],
  ['nodeId', 'removeNode', (c) => sdk.removeNode(c, { nodeId: '' })],
  ['target', 'execute', (c) => sdk.execute(c, { ...call, target: '' })],
  ['input', 'execute', (c) => sdk.execute(c, { ...call, input: none })],
  ['input', 'execute', (c) => sdk.execute(c, { ...call, input: cyclic })],
  ['waitSeconds', 'execute', (c) => sdk.execute(c, { ...call, waitSeconds: 26 })],
  ['key', 'execute', (c) => sdk.execute(c, { ...call, key: '' })],
  ['executionId', 'readExecution', (c) => sdk.readExecution(c, { executionId: '' })],
  ['waitSeconds', 'readExecution', (c) => sdk.readExecution(c, { executionId: 'e1', waitSeconds: 1.5 })],
  ['limit', 'listExecutions', (c) => sdk.listExecutions(c, { limit: 0 })],
  ['executionId', 'cancelExecution', (c) => sdk.cancelExecution(c, { executionId: '.' })],
  ['reason', 'cancelExecution', (c) => sdk.cancelExecution(c, { executionId: 'e1', reason: '' })],
  ['executionId', 'replayExecution', (c) => sdk.replayExecution(c, { executionId: '' })],
  ['key', 'replayExecution', (c) => sdk.replayExecution(c, { executionId: 'e1', key: 'a b' })],
  ['runId', 'runEvents', async (c) => sdk.runEvents(c, { runId: '..' })],
];

/** Every seat takes the same options. */
const seats: Readonly<Record<string, Call>> = {
  admit: (c, o) => sdk.admit(c, admission, o),
  wait: (c, o) => sdk.wait(c, stream, o),
  history: (c, o) => sdk.history(c, at, o),
  streamTail: (c, o) => sdk.streamTail(c, at, o),
  abort: (c, o) => sdk.abort(c, at, o),
  surface: (c, o) => sdk.surface(c, { iid: 'i1' }, o),
  deliver: (c, o) => sdk.deliver(c, pick, o),
  poll: (c, o) => sdk.poll(c, { iid: 'i1', deliveryId: 'd1' }, o),
  listWorkflows: (c, o) => sdk.listWorkflows(c, o),
  getWorkflow: (c, o) => sdk.getWorkflow(c, { name: 'review' }, o),
  startRun: (c, o) => sdk.startRun(c, { workflow: 'review', input: {} }, o),
  listRuns: (c, o) => sdk.listRuns(c, {}, o),
  getRun: (c, o) => sdk.getRun(c, { runId: 'r1' }, o),
  answerGate: (c, o) => sdk.answerGate(c, answer, o),
  cancelRun: (c, o) => sdk.cancelRun(c, { runId: 'r1' }, o),
  runEvents: (c, o) => sdk.runEvents(c, {}, o),
  registerNode: (c, o) => sdk.registerNode(c, node, o),
  heartbeat: (c, o) => sdk.heartbeat(c, beat, o),
  listNodes: (c, o) => sdk.listNodes(c, o),
  readNode: (c, o) => sdk.readNode(c, { nodeId: 'laptop' }, o),
  removeNode: (c, o) => sdk.removeNode(c, { nodeId: 'laptop' }, o),
  execute: (c, o) => sdk.execute(c, call, o),
  readExecution: (c, o) => sdk.readExecution(c, { executionId: 'e1' }, o),
  listExecutions: (c, o) => sdk.listExecutions(c, {}, o),
  cancelExecution: (c, o) => sdk.cancelExecution(c, { executionId: 'e1' }, o),
  replayExecution: (c, o) => sdk.replayExecution(c, { executionId: 'e1' }, o),
  harnessInfo: (c, o) => sdk.harnessInfo(c, o),
  orchestratorInfo: (c, o) => sdk.orchestratorInfo(c, o),
  health: (c, o) => sdk.health(c, o),
  readiness: (c, o) => sdk.readiness(c, o),
  metrics: (c, o) => sdk.metrics(c, o),
};
const options: readonly (readonly [string, sdk.CallOptions])[] = [
  ['windowMs', { windowMs: -1 }],
  ['windowMs', { windowMs: Number.NaN }],
  ['attemptMs', { attemptMs: -1 }],
  ['signal', { signal: {} as never }],
  ['headers.x', { headers: { x: 'a\nb' } }],
  ['headers', { headers: { 'a b': 'c' } }],
];

/** Thrown, or rejected with, or met at the first step of an iteration. */
async function thrownBy(call: () => ReturnType<Call>): Promise<unknown> {
  try {
    const result = call();
    if (!(result instanceof Promise)) for await (const _ of result);
    await result;
    return undefined;
  } catch (error) {
    return error;
  }
}

async function expectTypeError(argument: string, call: Call, with_?: sdk.CallOptions): Promise<void> {
  const peer = await peerOf(() => 'reset');
  const { connection } = connected(peer.url);
  const error = await thrownBy(() => call(connection, with_));
  expect(error).toBeInstanceOf(TypeError);
  expect((error as TypeError).message.startsWith(`${argument}: `), `${error}`).toBe(true);
  expect(peer.seen).toEqual([]);
  expect(connection[internals].closing.calls.size).toBe(0);
}

it.each(wrong)('TW-CER-018: a wrong %s of %s is a TypeError that names it, and nothing is sent', (argument, _, call) =>
  expectTypeError(argument, call),
);

it.each(options)('TW-CER-018: a wrong option %s is one at every seat: %j', async (argument, with_) => {
  for (const call of Object.values(seats)) await expectTypeError(argument, call, with_);
});

it('every seat is tried', () => {
  const functions = Object.entries(sdk).filter(([, value]) => typeof value === 'function');
  const takesOptions = functions.filter(([, value]) => /^(async )?function\*? ?\w*\(connection\b/.test(`${value}`));
  expect(takesOptions.map(([name]) => name).sort()).toEqual(Object.keys(seats).sort());
});
