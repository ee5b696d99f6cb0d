import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as sdk from './index.ts';
import { ours, type Script } from './testing/peer.ts';
import { stage } from './testing/stage.ts';

const { peerOf } = stage();
const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);

const at = '2026-01-01T00:00:00Z';
const run = {
  runId: 'run-1',
  workflow: 'review',
  status: 'done',
  value: 'merged',
  context: {},
  executions: [],
  gates: [],
  startedAt: at,
};
const software = { name: 'stub', version: '1.0.0' };
const receipt = {
  status: 'delivered',
  deliveryId: 'delivery-1',
  event: 'approve',
  moved: true,
  turnComplete: true,
  allowed: [],
};
const settled = { type: 'submission.settled', submissionId: 's1', at, outcome: 'completed' };
const info = { role: 'harness', version: '1', software, store: 'st_1', capabilities: { idempotentAdmissions: true } };
const read = {
  iid: 'i',
  turnId: 'turn-1',
  runId: 'run-1',
  menu: [],
  allowed: ['approve'],
  capabilities: { clientDeliveryIds: true },
};

const node = { nodeId: 'laptop', health: 'healthy', lifecycle: 'ready', agents: [{ name: 'reviewer' }] };

const answers: Record<string, unknown> = {
  'GET /.well-known/turnwire': info,
  'POST /agents/reviewer/run-1.reviewer': { streamUrl: 'http://h/s', offset: 'a_0', submissionId: 's1' },
  'GET /stream': [settled],
  'GET /agents/reviewer/run-1.reviewer': {
    conversationId: 'c',
    incarnation: 'a',
    offset: 'a_1',
    messages: [],
    submissions: [],
  },
  'POST /agents/reviewer/run-1.reviewer/abort': { aborted: true, submissionIds: ['s1'] },
  'GET /agents/run-1.reviewer/surface': read,
  'POST /agents/run-1.reviewer/events': receipt,
  'GET /agents/run-1.reviewer/deliveries/delivery-1': receipt,
  'GET /workflows': { items: [{ name: 'review', status: 'ready' }] },
  'GET /workflows/review': { name: 'review', status: 'ready' },
  'POST /workflows/review/runs': { runId: 'run-1' },
  'GET /runs/run-1/events': `event: run.status\ndata: ${JSON.stringify({ ...run, at })}\n\n`,
  'GET /runs/run-1': run,
  'GET /runs': { items: [run] },
  'POST /runs/run-1/gates/merge_decision/events': { ok: true, moved: true },
  'POST /runs/run-1/cancel': { ok: true },
  'GET /metrics': '# HELP x\n',
  'PUT /nodes/laptop': { heartbeatSeconds: 5, leaseSeconds: 60 },
  'POST /nodes/laptop/heartbeat': { ok: true },
  'GET /nodes': { items: [node] },
  'GET /nodes/laptop': node,
  'POST /executions': { executionId: 'exec-1', status: 'running' },
  'GET /executions/exec-1': { executionId: 'exec-1', status: 'succeeded', result: 'fine', durationMs: 12 },
  'GET /executions': { items: [] },
  'POST /executions/exec-1/replay': { executionId: 'exec-2', status: 'queued', replayOf: 'exec-1' },
  'POST /executions/exec-2/cancel': { ok: true },
};

const stub: Script = ({ method, path }) => {
  if (method === 'HEAD') return ours(200, undefined, { 'stream-next-offset': 'a_1' });
  if (path === '/healthz' || path === '/readyz' || method === 'DELETE') return ours(204);
  const body = answers[`${method} ${path}`];
  const type = path.endsWith('/events') && method === 'GET' ? 'text/event-stream' : 'application/json';
  return ours(method === 'POST' && path.endsWith('.reviewer') ? 202 : 200, body, {
    'content-type': type,
    'stream-next-offset': 'a_1',
    'stream-closed': 'true',
  });
};

/** Every example is plain JavaScript, so that it can be run as it stands, on the sources. */
async function runExample(code: string, env: Record<string, string>): Promise<string[]> {
  const printed: string[] = [];
  const line = (...values: unknown[]) => void printed.push(values.map((value) => `${JSON.stringify(value)}`).join(' '));
  const imported = [...code.matchAll(/^import \{(.*?)\} from '@turnwire\/sdk';$/gms)];
  const names = imported.flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
  for (const name of names) expect(Object.keys(sdk)).toContain(name);
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const body = code.replace(/^import .*$/gm, '');
  const values = names.map((name) => Reflect.get(sdk, name));
  await new AsyncFunction(...names, 'process', 'console', body)(...values, { env }, { log: line, warn: line });
  return printed;
}

describe('README.md', () => {
  it.each(examples.map((code, at) => [at + 1, code] as const))('example %i runs', async (_, code) => {
    const peer = await peerOf(stub);
    const env = {
      TURNWIRE_URL: peer.url,
      TURNWIRE_HARNESS_URL: peer.url,
      TURNWIRE_CUSTODIAN_URL: peer.url,
      STREAM_URL: `${peer.url}/stream`,
      HARNESS_TOKEN: 't',
      TURNWIRE_INSTANCE_TOKEN: 't',
    };
    const printed = await runExample(code, env);
    expect(printed.length).toBeGreaterThan(0);
    expect(printed.join('\n')).not.toContain('routability');
  });

  it('has an example for every seat', () => {
    const seats = [
      'admit',
      'wait',
      'history',
      'streamTail',
      'abort',
      'surface',
      'deliver',
      'poll',
      'startRun',
      'listRuns',
    ];
    const more = [
      'getRun',
      'answerGate',
      'cancelRun',
      'runEvents',
      'listWorkflows',
      'getWorkflow',
      'harnessInfo',
      'health',
    ];
    const nodes = ['registerNode', 'heartbeat', 'listNodes', 'readNode', 'removeNode'];
    const calls = ['execute', 'readExecution', 'listExecutions', 'cancelExecution', 'replayExecution'];
    for (const seat of [...seats, ...more, ...nodes, ...calls, 'orchestratorInfo', 'readiness', 'metrics']) {
      expect(
        examples.some((code) => code.includes(`${seat}(`)),
        seat,
      ).toBe(true);
    }
  });
});
