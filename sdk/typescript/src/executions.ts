import { checkSegment, checkText, checkWait, given, jsonText, need } from './arguments.ts';
import { ask, objectOf, objectWith } from './ask.ts';
import type { Answer } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import { TurnwireFault } from './fault.ts';
import { protocol } from './gen/protocol.ts';
import { isReplayed, keyHeader, pageOf } from './keyed.ts';
import type { CallRequest, ExecutionAccepted, ExecutionRecord, ExecutionResult, Page } from './wire.ts';

const { constants, headers } = protocol;

/** A call of an agent of a node. */
export interface ExecuteInput extends CallRequest {
  /** How long the answer may wait, in seconds (0–25, 25 by default); how long the execution may take is `timeoutSeconds`. */
  waitSeconds?: number;
  /** `Idempotency-Key`; minted when absent, so that it can be sent again. Keep it to ask for the same execution later. */
  key?: string;
}

/** `status: 'succeeded'` comes with `result`; any other goes on, and is read with {@link readExecution}. */
export type Executed = (ExecutionResult | ExecutionAccepted) & { replayed: boolean };

/**
 * Calls an agent of a node, `target` being `node.agent` (seat `start_execution`, 30 s), and waits for its result for as long as
 * `waitSeconds` says (TW-EXE-001, TW-EXE-002).
 *
 * @throws TurnwireFault `target_not_found` with `problem.agents`, and `node_unavailable`: there is no record (TW-EXE-004, TW-EXE-007);
 *   `execution_failed` and `execution_timed_out` with `problem.category` and `problem.executionId`; `invalid`;
 *   `idempotency_mismatch`; the code of another final answer, `unreachable`, `aborted`.
 * @throws TypeError naming the argument that is wrong; so does everything in this file.
 */
export async function execute(connection: Connection, of: ExecuteInput, options?: CallOptions): Promise<Executed> {
  const { waitSeconds, key, ...call } = of;
  checkText(call.target, 'target');
  given(call.input, 'input');
  if (waitSeconds !== undefined) checkWait(waitSeconds, constants.pollWaitSeconds, 'waitSeconds');
  const question = {
    seat: 'start_execution',
    call: {
      operation: 'startExecution',
      headers: { ...keyHeader(key), ...preferHeader(waitSeconds) },
      body: jsonText(call, 'input'),
    },
    fences: { sameKey: true },
    decode: executed,
  };
  const { value, answer } = await ask(connection, question, options);
  return { ...value, replayed: isReplayed(answer) };
}

/**
 * Shows one execution (seat `execution`, 30 s and the wait): as soon as it has ended, or after `waitSeconds` (0–25, none by
 * default) as it is then (TW-EXE-024). Fault `unknown_execution`.
 */
export async function readExecution(
  connection: Connection,
  of: { executionId: string; waitSeconds?: number },
  options?: CallOptions,
): Promise<ExecutionRecord> {
  const { executionId, waitSeconds = 0 } = of;
  checkSegment(executionId, 'executionId');
  checkWait(waitSeconds, constants.pollWaitSeconds, 'waitSeconds');
  const question = {
    seat: 'execution',
    call: { operation: 'readExecution', path: { executionId }, query: { wait: waitSeconds } },
    pollMs: waitSeconds * 1000,
    decode: objectWith<ExecutionRecord>('executionId', 'status'),
  };
  return (await ask(connection, question, options)).value;
}

/** What a list of executions is narrowed to. */
export interface ExecutionFilter {
  status?: string;
  /** `node.agent` of a call. */
  target?: string;
  /** The node or the placement. */
  node?: string;
  agent?: string;
  runId?: string;
  usageContext?: string;
  /** A number of executions. */
  limit?: number;
  /** A page's `nextCursor`. */
  cursor?: string;
}

/** Lists executions, newest first, of runs and of calls alike (seat `executions`, 30 s; TW-EXE-025). */
export async function listExecutions(
  connection: Connection,
  filter: ExecutionFilter = {},
  options?: CallOptions,
): Promise<Page<ExecutionRecord>> {
  const { status, target, node, agent, runId, usageContext, limit, cursor } = filter;
  need(limit === undefined || (Number.isInteger(limit) && limit > 0), 'limit', 'a whole number above 0');
  const query = { status, target, node, agent, runId, usageContext, limit, cursor };
  const call = { operation: 'listExecutions', query };
  return (await ask(connection, { seat: 'executions', call, decode: pageOf<ExecutionRecord> }, options)).value;
}

/** An execution to cancel. */
export interface CancelExecutionInput {
  executionId: string;
  reason?: string;
}

/**
 * Cancels an execution (seat `cancel_execution`, 30 s). When an earlier copy of this call did it, that is success too.
 *
 * @throws TurnwireFault `already_ended`, `unknown_execution`.
 */
export async function cancelExecution(
  connection: Connection,
  of: CancelExecutionInput,
  options?: CallOptions,
): Promise<void> {
  const { executionId, reason } = of;
  checkSegment(executionId, 'executionId');
  if (reason !== undefined) checkText(reason, 'reason');
  const call = { operation: 'cancelExecution', path: { executionId }, body: jsonText({ reason }, 'reason') };
  try {
    await ask(connection, { seat: 'cancel_execution', call, decode: objectOf }, options);
  } catch (error) {
    const endedMeanwhile = error instanceof TurnwireFault && error.code === 'already_ended' && error.attempts > 1;
    if (!endedMeanwhile) throw error;
    if ((await readExecution(connection, { executionId }, options)).status !== 'cancelled') throw error;
  }
}

/**
 * Runs an execution again (seat `replay_execution`, 30 s), as a new one that names it in `replayOf`; with
 * `reuse: 'succeeded'`, one that succeeded is answered from its record and its node is not contacted (TW-EXE-032).
 *
 * @throws TurnwireFault `unknown_execution`, `target_not_found`, `node_unavailable`, `invalid`, `idempotency_mismatch`.
 */
export async function replayExecution(
  connection: Connection,
  of: { executionId: string; reuse?: 'succeeded'; key?: string },
  options?: CallOptions,
): Promise<Executed> {
  const { executionId, reuse, key } = of;
  checkSegment(executionId, 'executionId');
  const question = {
    seat: 'replay_execution',
    call: {
      operation: 'replayExecution',
      path: { executionId },
      headers: keyHeader(key),
      body: jsonText({ reuse }, 'reuse'),
    },
    fences: { sameKey: true },
    decode: executed,
  };
  const { value, answer } = await ask(connection, question, options);
  return { ...value, replayed: isReplayed(answer) };
}

/** 25 s is the default and needs no word. */
function preferHeader(waitSeconds: number | undefined): Record<string, string> {
  if (waitSeconds === undefined) return {};
  return { [headers.prefer]: waitSeconds === 0 ? 'respond-async' : `wait=${waitSeconds}` };
}

/** A success without a result is no answer: `undefined` is no JSON value. */
function executed(answer: Answer): ExecutionResult | ExecutionAccepted | undefined {
  const body = objectWith<ExecutionResult | ExecutionAccepted>('executionId', 'status')(answer);
  return body?.status === 'succeeded' && !('result' in body) ? undefined : body;
}
