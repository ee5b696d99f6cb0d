/** What spec/protocol.md says of the tables, written down once more by hand, so that a table that is wrong is seen. For tests only. */
import { deepStrictEqual as deepEqual, strictEqual as equal } from 'node:assert';
import { classify } from '../certainty.ts';
import { nodeEvidence } from '../evidence.ts';
import { type OutcomeCode, protocol } from '../gen/protocol.ts';
import { documented, isOfEveryCopy, refusalOutcome, refusesCredential } from '../meaning.ts';
import { policyOf } from '../request.ts';
import { type AttemptOutcome, decide, type Fences } from '../retry.ts';
import { certaintyOf } from './asked.ts';
import { documentedAnswers } from './documented.ts';
import type { TableCheck } from './vectors.ts';

/** One row of the policy table. */
interface Policy {
  readonly operations: readonly string[];
  /** After proof, and after doubt: with no fence, with the same key, that and the same store, and with a fence. */
  readonly proof: string;
  readonly doubt: readonly [string, string, string, string];
  /** Answers that are asked again after: a status or a class of them, with or without a code. */
  readonly asksAfter: readonly string[];
  readonly windowS: number | null;
  readonly attemptS: number;
  readonly plusPoll?: true;
  readonly answerResets?: true;
  readonly capability?: string;
}

const always = ['resend', 'resend', 'resend', 'resend'] as const;
const underKey = ['policy', 'resend', 'resend', 'policy'] as const;
const notAgain = ['policy', 'policy', 'policy', 'policy'] as const;
const read = { proof: 'resend', doubt: always, asksAfter: ['429', '502', '503', '504'], windowS: 30, attemptS: 10 };
const write = { ...read, doubt: underKey, asksAfter: ['429', '5xx'], attemptS: 30 };
const endless = { ...read, windowS: null, plusPoll: true, answerResets: true } as const;
const announce = { ...read, asksAfter: ['429', '5xx'], windowS: null, answerResets: true } as const;
// A node that is down, and the end of an execution, are the last word.
const call = {
  ...write,
  asksAfter: ['429', '500 internal_error', '503 starting', '503 stopping', '503 store_unavailable'],
};
const once = { proof: 'policy', doubt: notAgain, asksAfter: [], windowS: 0 };

const policies: Readonly<Record<string, Policy>> = {
  admission: {
    operations: ['admit'],
    proof: 'resend',
    doubt: ['policy', 'policy', 'resend', 'policy'],
    asksAfter: ['503 draining', '429'],
    windowS: 90,
    attemptS: 30,
  },
  surface: { ...read, operations: ['readSurface'], asksAfter: ['408', '429', '502', '503', '504'], windowS: 90 },
  surface_step: { ...once, operations: ['readSurface'], attemptS: 2 },
  pick_base: { ...once, operations: ['pick'], attemptS: 30 },
  pick: {
    operations: ['pick'],
    proof: 'resend',
    doubt: ['resolve', 'resolve', 'resolve', 'resolve'],
    asksAfter: ['503 stopping', '503 run_unavailable', '429'],
    windowS: 90,
    attemptS: 30,
    capability: 'clientDeliveryIds',
  },
  delivery_poll: { ...endless, operations: ['readDelivery'], asksAfter: ['202', '408', '429', '5xx'] },
  stream: { ...endless, operations: ['readConversation'], asksAfter: ['204', '408', '429', '5xx'] },
  abort: {
    operations: ['abortConversation'],
    proof: 'resend',
    doubt: ['policy', 'policy', 'policy', 'resend'],
    asksAfter: ['5xx'],
    // Whoever owes an abort sends it again.
    windowS: 0,
    attemptS: 10,
  },
  start_run: { ...write, operations: ['startRun'] },
  gate_event: { ...write, operations: ['answerGate'] },
  // The run's own id is its key.
  cancel_run: { ...write, operations: ['cancelRun'], doubt: always },
  register: { ...announce, operations: ['registerNode'] },
  heartbeat: { ...announce, operations: ['heartbeatNode'] },
  nodes: { ...read, operations: ['listNodes', 'readNode'] },
  remove_node: { ...write, operations: ['removeNode'], doubt: always },
  start_execution: { ...call, operations: ['startExecution'] },
  replay_execution: { ...call, operations: ['replayExecution'] },
  cancel_execution: { ...write, operations: ['cancelExecution'], doubt: always },
  executions: { ...read, operations: ['listExecutions'] },
  execution: { ...read, operations: ['readExecution'], plusPoll: true },
  feed: { ...read, operations: ['readRunEvents', 'readEvents'], plusPoll: true, answerResets: true },
  history: { ...read, operations: ['readConversation', 'headConversation'] },
  workflows: { ...read, operations: ['listWorkflows', 'getWorkflow'] },
  runs: { ...read, operations: ['listRuns', 'getRun'] },
  harness_read: { ...read, operations: ['getHarnessInfo'] },
  orchestrator_read: { ...read, operations: ['getOrchestratorInfo'] },
  probe: { ...once, operations: ['getHealth', 'getReadiness', 'getMetrics'], attemptS: 5 },
};

const statuses = [200, 202, 204, 304, 400, 401, 403, 404, 408, 409, 410, 412, 413, 422, 428, 429, 430];
const serverErrors = [499, 500, 501, 502, 503, 504, 505, 599];
const codes = [
  ...[undefined, 'draining', 'stopping', 'run_unavailable', 'starting', 'store_unavailable', 'queue_full'],
  ...['internal_error', 'node_unavailable', 'execution_failed', 'execution_timed_out'],
];

function holdPolicy(seat: string, operation: string, row: Policy): void {
  const policy = policyOf(operation, seat);
  const { windowMs, attemptMs, plusPoll, answerResets, capability } = policy;
  const expected = { windowMs: row.windowS === null ? null : row.windowS * 1000, attemptMs: row.attemptS * 1000 };
  deepEqual({ windowMs, attemptMs }, expected);
  equal(plusPoll, row.plusPoll);
  equal(answerResets, row.answerResets);
  equal(capability, row.capability);
  const does = (outcome: AttemptOutcome, fences: Fences = {}): string => {
    // Without its window: whether it may, and not whether there is time.
    const decision = decide({ ...policy, windowMs: null }, outcome, { startedAt: 0, rung: 0 }, fences, sources);
    return decision.action === 'stop' ? decision.because : decision.action;
  };
  equal(does({ verdict: { certainty: 'never_delivered' } }), row.proof);
  const doubt = { verdict: { certainty: 'unknown' } } as const;
  deepEqual(
    fencings.map((fences) => does(doubt, fences)),
    row.doubt,
  );
  for (const status of [...statuses, ...serverErrors]) {
    for (const code of codes) {
      const verdict = { certainty: 'answered', ...(code === undefined ? {} : { code }) } as const;
      const again = does({ verdict, status }) === 'resend';
      equal(
        again,
        row.asksAfter.some((each) => means(each, status, code)),
        `${seat} after ${status} ${code}`,
      );
    }
  }
}

const sources = { now: 0, random: () => 0 };
const fencings: readonly Fences[] = [{}, { sameKey: true }, { sameKey: true, sameStore: true }, { fenced: true }];

function means(listed: string, status: number, code: string | undefined): boolean {
  const [of = '', only] = listed.split(' ');
  const matches = of === '5xx' ? status >= 500 && status <= 599 : Number(of) === status;
  return matches && (only === undefined || only === code);
}

const numbers: Readonly<Record<string, number>> = {
  errorFromStatus: 400,
  serverErrorFromStatus: 500,
  connectTimeoutMs: 10_000,
  pollWaitSeconds: 25,
  idleSocketMs: 4_000,
  serverIdleMs: 65_000,
  bodyLimitBytes: 8 * 1024 * 1024,
  abortLookupMs: 2_000,
  budgetMs: 30_000,
  budgetAttempts: 8,
  receiptKeepMs: 10 * 60_000,
  feedCommentMs: 15_000,
  heartbeatSeconds: 5,
  leaseSeconds: 60,
  probeEveryMs: 10_000,
  probeTimeoutMs: 5_000,
  probeAttempts: 3,
  probeGoodMs: 5_000,
  restartGraceSeconds: 15,
  drainGraceMs: 60_000,
  staleMs: 30 * 60_000,
  nodeGoneMs: 5 * 60_000,
};

const ladder = { rungsMs: [250, 500, 1000, 2000, 4000, 5000], floorShare: 0.5 };

const headerNames: Readonly<Record<string, string>> = {
  version: 'turnwire-version',
  code: 'turnwire-code',
  store: 'turnwire-store',
  expectStore: 'turnwire-expect-store',
  custodian: 'x-turnwire-custodian',
  idempotencyKey: 'idempotency-key',
  replayed: 'idempotency-replayed',
  prefer: 'prefer',
  preferenceApplied: 'preference-applied',
  location: 'location',
  retryAfter: 'retry-after',
  streamNextOffset: 'stream-next-offset',
  streamUpToDate: 'stream-up-to-date',
  streamClosed: 'stream-closed',
  streamCursor: 'stream-cursor',
};

/** Ranges and codes at their ends: what an answer of ours proves. */
const answers: readonly (readonly [number, string | undefined, string])[] = [
  [200, undefined, 'delivered'],
  [299, undefined, 'delivered'],
  [300, undefined, 'answered'],
  [399, undefined, 'answered'],
  [400, 'bad_request', 'answered'],
  [404, 'not_found', 'answered'],
  [499, 'refused', 'answered'],
  [500, 'internal_error', 'unknown'],
  [502, 'draining', 'unknown'],
  [503, 'draining', 'answered'],
  [503, 'stopping', 'answered'],
  [503, 'run_unavailable', 'answered'],
  [503, 'node_unavailable', 'answered'],
  [502, 'execution_failed', 'answered'],
  [504, 'execution_timed_out', 'answered'],
  [501, 'execution_failed', 'unknown'],
  [503, 'execution_failed', 'unknown'],
  [503, 'execution_timed_out', 'unknown'],
  [505, 'execution_timed_out', 'unknown'],
  [503, 'starting', 'unknown'],
  [504, 'draining', 'unknown'],
  [599, 'internal_error', 'unknown'],
];

function holdAnswers(): void {
  for (const [status, code, certainty] of answers) {
    const named = code === undefined ? {} : { 'turnwire-code': code };
    const verdict = classify({ response: { status, headers: { 'turnwire-version': '1', ...named } } });
    equal(verdict.certainty, certainty, `${status} ${code}`);
  }
}

/** What an answer that refuses a pick comes to, and whether it speaks of every copy. */
const refusals: readonly (readonly [number, string | undefined, string, boolean])[] = [
  [301, undefined, 'rejected', false],
  [400, 'bad_request', 'rejected', false],
  [401, 'unauthorized', 'forbidden', false],
  [403, 'wrong_placement', 'forbidden', false],
  [403, 'stand_in_missing', 'forbidden', false],
  [404, 'turn_over', 'turn_over', true],
  [404, 'no_route', 'rejected', false],
  [409, 'pick_outstanding', 'outstanding_conflict', false],
  [409, 'already_ended', 'rejected', false],
  [413, 'too_large', 'rejected', false],
  [422, 'refused', 'refused', true],
  [422, 'invalid', 'rejected', false],
  [422, 'delivery_mismatch', 'rejected', false],
  [429, 'queue_full', 'rejected', false],
  [500, 'internal_error', 'stopping', false],
  [503, 'stopping', 'stopping', false],
  [503, 'run_unavailable', 'stopping', false],
  [599, 'stopping', 'stopping', false],
];

function holdRefusals(): void {
  for (const [status, code, outcome, ofEveryCopy] of refusals) {
    equal(refusalOutcome({ status, code }), outcome, `${status} ${code}`);
    equal(isOfEveryCopy(outcome as OutcomeCode), ofEveryCopy, outcome);
  }
}

/** Good answers without a body of their own, and who refuses a credential. */
function holdWords(): void {
  deepEqual(documented('readSurface', 304), { means: 'surface_unchanged', taken: true });
  deepEqual(documented('readConversation', 204), { means: 'nothing_new', taken: true });
  const refusing = Object.keys(protocol.problemCodes).filter((code) => refusesCredential({ status: 0, code }));
  deepEqual(refusing, ['unauthorized', 'forbidden', 'wrong_placement', 'stand_in_missing']);
}

/** Any route that is none is answered so; no operation documents it. */
function holdNotFound(): void {
  equal(protocol.problemCodes.not_found.status, 404);
}

/** A system call without a code says nothing: its cause does. */
function holdSilentCalls(): void {
  const proof = { code: 'ECONNREFUSED', syscall: 'connect' };
  for (const syscall of ['connect', 'getaddrinfo', 'read', 'write']) {
    equal(nodeEvidence({ syscall }), protocol.unexplained, syscall);
    equal(nodeEvidence({ syscall, cause: proof }), 'connect_failed', syscall);
  }
}

const seatChecks = Object.entries(policies).flatMap(([seat, row]) =>
  row.operations.map((operation) => ({
    name: `the policy of ${seat}, ${operation}`,
    run: () => holdPolicy(seat, operation, row),
  })),
);

const documentChecks = (['harness', 'orchestrator', 'custodian'] as const).map((document) => {
  const answers = documentedAnswers(document);
  const run = () => {
    for (const answer of answers) {
      const { operation, method, path, status, code, headers, body } = answer;
      const row = protocol.operations[operation as keyof typeof protocol.operations];
      equal(row?.method, method, operation);
      equal(row?.path, path, operation);
      const verdict = classify({ response: { status, headers, body } });
      equal(verdict.certainty, certaintyOf(answer), `${operation} ${status} ${code}`);
      equal(verdict.code, code, `${operation} ${status}`);
      if (code === undefined) continue;
      equal(protocol.problemCodes[code as keyof typeof protocol.problemCodes]?.status, status, code);
    }
  };
  return { name: `every documented answer of the ${document}`, run };
});

/** What no vector says. */
export const proseChecks: readonly TableCheck[] = [
  ...seatChecks,
  { name: 'every seat has its row here', run: () => deepEqual(seatNames(), Object.keys(policies).sort()) },
  { name: 'the constants', run: () => deepEqual(protocol.constants, numbers) },
  { name: 'the names of headers', run: () => deepEqual(protocol.headers, headerNames) },
  { name: 'the version', run: () => equal(protocol.version, '1') },
  { name: 'the ladder', run: () => deepEqual(protocol.ladder, ladder) },
  { name: 'what an answer of ours proves', run: holdAnswers },
  { name: 'what an answer that refuses a pick comes to', run: holdRefusals },
  { name: 'the words of good answers, and of refused credentials', run: holdWords },
  { name: 'not_found', run: holdNotFound },
  { name: 'a system call without a code', run: holdSilentCalls },
  ...documentChecks,
];

function seatNames(): string[] {
  return [...new Set(Object.values(protocol.operations).flatMap(({ seats }) => Object.keys(seats)))].sort();
}
