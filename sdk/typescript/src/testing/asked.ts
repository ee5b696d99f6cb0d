/** How each seat asks, and what each documented answer has to come to there. For tests only. */
import * as sdk from '../index.ts';
import type { Documented } from './documented.ts';

type StreamRecord = { type: string; outcome?: string; error?: object };

/** One seat of one operation. */
export interface Asked {
  ask(connection: sdk.Connection, of: Documented, options: sdk.CallOptions, seen: unknown[]): Promise<unknown>;
  /** What a good answer decodes to. */
  value(of: Documented): unknown;
  /** Which answers are good, where that is not every one below 400. */
  isGood?(of: Documented): boolean;
  /** The code of the fault that another answer ends in, where it is not the answer's own. */
  fault?(of: Documented): string | undefined;
  /** What a reader was given, whether it ended in a fault or not. */
  seen?(of: Documented): unknown[];
}

const iid = 'run_1.reviewer.0';
const at = { name: 'reviewer', iid };
const pick = { iid, turnId: 'turn_1', event: 'approve', input: { note: 'fine' } };
const registration = {
  baseUrl: 'http://127.0.0.1:8080',
  instanceId: 'inst_1',
  agents: [{ name: 'reviewer' }],
  deployment: 'resident' as const,
  capabilities: { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true },
};
const bodyOf = ({ body }: Documented): unknown => body;
const nothing = (): undefined => undefined;
const recordsOf = ({ status, body }: Documented): StreamRecord[] => (status === 200 ? (body as StreamRecord[]) : []);

/** A value of the answer's body, with what the seat puts beside it. */
const within =
  (member: string, more: (of: Documented) => object) =>
  (of: Documented): unknown => ({ [member]: of.body, ...more(of) });

const probe = { value: nothing };

export const asked: Readonly<Record<string, Asked>> = {
  'getHarnessInfo/harness_read': { ask: (c, _, o) => sdk.harnessInfo(c, o), value: bodyOf },
  'getOrchestratorInfo/orchestrator_read': { ask: (c, _, o) => sdk.orchestratorInfo(c, o), value: bodyOf },
  'getHealth/probe': { ask: (c, _, o) => sdk.health(c, o), ...probe },
  'getReadiness/probe': { ask: (c, _, o) => sdk.readiness(c, o), ...probe },
  'getMetrics/probe': { ask: (c, _, o) => sdk.metrics(c, o), value: bodyOf },

  'admit/admission': {
    ask: (c, _, o) => sdk.admit(c, { ...at, body: { message: 'Review this.' }, key: 'key_1' }, o),
    value: within('admission', ({ headers }) => ({ store: headers['turnwire-store'], replayed: true, attempts: 1 })),
    fault: (of) => (of.taken === 'unknown' ? 'admission_unknown' : undefined),
  },
  'readConversation/history': { ask: (c, _, o) => sdk.history(c, at, o), value: bodyOf },
  'headConversation/history': {
    ask: (c, _, o) => sdk.streamTail(c, at, o),
    value: ({ headers }) => ({ offset: headers['stream-next-offset'], closed: headers['stream-closed'] === 'true' }),
  },
  'readConversation/stream': {
    async ask(c, _, options, seen) {
      const streamUrl = '/agents/reviewer/run_1.reviewer.0?view=updates&submission=sub_1';
      const wait = sdk.wait(c, { streamUrl, offset: 'k3v9q2_0000000000000000' }, options);
      for await (const record of wait) seen.push(record);
      return wait.settlement();
    },
    seen: recordsOf,
    // The mock's stream is always closed, and a closed one without a Settlement is a loss (TW-STR-023).
    isGood: (of) => recordsOf(of).at(-1)?.type === 'submission.settled',
    value(of) {
      const { outcome, error } = recordsOf(of).at(-1) ?? {};
      return { outcome, ...(error === undefined ? {} : { error }) };
    },
    fault({ status, code }) {
      if (code === 'unknown_conversation') return 'conversation_lost';
      return status >= 500 || code === 'unauthorized' || code === 'stream_gone' ? code : 'bad_response';
    },
  },
  'abortConversation/abort': {
    ask: (c, _, o) => sdk.abort(c, { ...at, submissionId: 'sub_1', fencedAbort: true }, o),
    value: bodyOf,
  },

  'readSurface/surface': surfaceSeat(false),
  'readSurface/surface_step': surfaceSeat(true),
  'pick/pick': pickSeat(true),
  'pick/pick_base': pickSeat(false),
  'readDelivery/delivery_poll': {
    ask: (c, _, o) => sdk.poll(c, { iid, deliveryId: 'dlv_1', waitSeconds: 0 }, o),
    value: ({ status, body }) => (status === 202 ? body : { status: 'delivered', receipt: body }),
    fault: ({ code }) => (code === 'no_route' ? 'bad_response' : undefined),
  },

  'listWorkflows/workflows': { ask: (c, _, o) => sdk.listWorkflows(c, o), value: bodyOf },
  'getWorkflow/workflows': { ask: (c, _, o) => sdk.getWorkflow(c, { name: 'review' }, o), value: bodyOf },
  'startRun/start_run': {
    ask: (c, _, o) => sdk.startRun(c, { workflow: 'review', input: {} }, o),
    value: ({ body }) => ({ ...(body as object), replayed: true }),
  },
  'listRuns/runs': { ask: (c, _, o) => sdk.listRuns(c, { status: 'active', limit: 2 }, o), value: bodyOf },
  'getRun/runs': { ask: (c, _, o) => sdk.getRun(c, { runId: 'run_1' }, o), value: bodyOf },
  'answerGate/gate_event': {
    ask: (c, _, o) => sdk.answerGate(c, { runId: 'run_1', gate: 'merge_decision', event: 'merge', input: {} }, o),
    value: ({ body }) => ({ ...(body as object), replayed: true }),
  },
  'cancelRun/cancel_run': { ask: (c, _, o) => sdk.cancelRun(c, { runId: 'run_1', reason: 'late' }, o), value: nothing },
  'readRunEvents/feed': feedSeat('run_1'),

  'registerNode/register': {
    ask: (c, _, o) => sdk.registerNode(c, { nodeId: 'laptop', ...registration }, o),
    value: bodyOf,
  },
  'heartbeatNode/heartbeat': {
    ask: (c, _, o) => sdk.heartbeat(c, { nodeId: 'laptop', instanceId: 'inst_1', lifecycle: 'ready' }, o),
    value: nothing,
  },
  'listNodes/nodes': { ask: (c, _, o) => sdk.listNodes(c, o), value: bodyOf },
  'readNode/nodes': { ask: (c, _, o) => sdk.readNode(c, { nodeId: 'laptop' }, o), value: bodyOf },
  'removeNode/remove_node': { ask: (c, _, o) => sdk.removeNode(c, { nodeId: 'laptop' }, o), value: nothing },
  'startExecution/start_execution': {
    ask: (c, _, o) => sdk.execute(c, { target: 'laptop.reviewer', input: 'Review this.' }, o),
    value: ({ body }) => ({ ...(body as object), replayed: true }),
  },
  'listExecutions/executions': {
    ask: (c, _, o) => sdk.listExecutions(c, { status: 'running', node: 'laptop', limit: 2 }, o),
    value: bodyOf,
  },
  'readExecution/execution': {
    ask: (c, _, o) => sdk.readExecution(c, { executionId: 'exec_1', waitSeconds: 2 }, o),
    value: bodyOf,
  },
  'cancelExecution/cancel_execution': {
    ask: (c, _, o) => sdk.cancelExecution(c, { executionId: 'exec_1', reason: 'late' }, o),
    value: nothing,
  },
  'replayExecution/replay_execution': {
    ask: (c, _, o) => sdk.replayExecution(c, { executionId: 'exec_1', reuse: 'succeeded' }, o),
    value: ({ body }) => ({ ...(body as object), replayed: true }),
  },
  'readEvents/feed': feedSeat(undefined),
};

function surfaceSeat(step: boolean): Asked {
  return {
    ask: (c, { status }, o) => sdk.surface(c, { iid, step, ...(status === 304 ? { etag: '"s1"' } : {}) }, o),
    value: ({ status, body, headers }) =>
      status === 304
        ? { status: 'unchanged', attempts: 1 }
        : { status: 'ok', surface: body, etag: headers.etag, attempts: 1 },
    fault(of) {
      if (of.code === 'turn_over') return of.code;
      // The first read asks again after every 503; a step boundary asks once, so that an answer is final.
      const isFinal = of.status < 500 || (step && certaintyOf(of) === 'answered');
      return isFinal ? 'surface_refused' : 'surface_unreachable';
    },
  };
}

/** A pick ends in an outcome and never in a fault; one that is outstanding is given up once that is known. */
function pickSeat(clientDeliveryIds: boolean): Asked {
  return {
    async ask(connection, _, options, seen) {
      const leave = new AbortController();
      const onOutstanding = (deliveryId: string): void => {
        seen.push(deliveryId);
        leave.abort();
      };
      const input = { ...pick, clientDeliveryIds, onOutstanding };
      const { code, certainty, attempts, receipt } = await sdk.deliver(connection, input, {
        ...options,
        signal: leave.signal,
      });
      return { code, certainty, attempts, receipt };
    },
    seen: ({ status, body }) => (status === 202 ? [(body as { deliveryId: string }).deliveryId] : []),
    isGood: () => true,
    value: (of) => ({ attempts: 1, receipt: of.status === 200 ? of.body : undefined, ...outcomeOf(of) }),
  };
}

const lost: Readonly<Record<string, string>> = { never_delivered: 'never_reached', unknown: 'unknown' };
const refusals: Readonly<Record<string, string>> = {
  turn_over: 'turn_over',
  pick_outstanding: 'outstanding_conflict',
  refused: 'refused',
  stopping: 'stopping',
  run_unavailable: 'stopping',
};

function outcomeOf(of: Documented): { code: string; certainty: string } {
  const certainty = certaintyOf(of);
  const receipt = of.body as { moved?: boolean; turnComplete?: boolean };
  if (of.status === 202) return { code: 'taken_turn_ended', certainty };
  if (of.status === 200 && receipt.turnComplete) return { code: 'turn_complete', certainty };
  if (of.status === 200) return { code: receipt.moved ? 'moved' : 'not_moved', certainty };
  if (of.status === 401 || of.status === 403) return { code: 'forbidden', certainty };
  return { code: lost[certainty] ?? refusals[of.code ?? ''] ?? 'rejected', certainty };
}

function feedSeat(runId: string | undefined): Asked {
  return {
    async ask(connection, _, options, seen) {
      const events = sdk.runEvents(connection, runId === undefined ? {} : { runId }, options);
      for await (const event of events) seen.push(event);
      return 'over';
    },
    seen: ({ status, body }) => (status === 200 ? framesOf(`${body}`) : []),
    // Only the feed of one run has an end; any other end of it is a cut.
    isGood: ({ example }) => runId !== undefined && example === 'run_ends',
    value: () => 'over',
    fault: ({ status }) => (status === 200 ? 'answer_lost' : undefined),
  };
}

function framesOf(text: string): object[] {
  const frames = text.split('\n\n').map((block) => block.split('\n').map((line) => line.split(/: (.*)/)));
  return frames
    .map((lines) => Object.fromEntries(lines.map(([name, value]) => [name, value])) as Record<string, string>)
    .filter(({ data }) => data !== undefined)
    .map(({ event, id, data = '' }) => ({ event, ...(id === undefined ? {} : { id }), data: JSON.parse(data) }));
}

const lastWords = [
  ...['draining', 'stopping', 'run_unavailable', 'node_unavailable'],
  ...['execution_failed', 'execution_timed_out'],
];

/** What an answer of ours proves, by hand from TW-CER-010, TW-CER-013, TW-CER-014, TW-CER-015 and TW-CER-021. */
export function certaintyOf({ status, code = '', body }: Documented): sdk.Certainty {
  if (status < 300) return 'delivered';
  if (status < 500 || lastWords.includes(code)) return 'answered';
  const { flags } = (body ?? {}) as { flags?: string[] };
  const unsent = flags?.length && flags.every((flag) => ['UF', 'UH', 'DF', 'URX'].includes(flag));
  return unsent ? 'never_delivered' : 'unknown';
}
