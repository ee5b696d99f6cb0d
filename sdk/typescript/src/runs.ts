import { checkSegment, checkText, given, jsonText, need } from './arguments.ts';
import { ask, objectOf, objectWith } from './ask.ts';
import type { Answer } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import { TurnwireFault } from './fault.ts';
import { isReplayed, keyHeader, pageOf } from './keyed.ts';
import type { JsonValue, Page, RunView, WorkflowView } from './wire.ts';

/**
 * Lists the workflows that the Orchestrator loaded, refused ones with their findings (seat `workflows`, 30 s; TW-RUN-007).
 *
 * @throws TurnwireFault the code of a final answer, `unreachable`, `aborted`; so does everything in this file.
 */
export async function listWorkflows(connection: Connection, options?: CallOptions): Promise<Page<WorkflowView>> {
  const question = { seat: 'workflows', call: { operation: 'listWorkflows' }, decode: pageOf<WorkflowView> };
  return (await ask(connection, question, options)).value;
}

/** Shows one workflow (seat `workflows`, 30 s). Fault `unknown_workflow`. */
export async function getWorkflow(
  connection: Connection,
  of: { name: string },
  options?: CallOptions,
): Promise<WorkflowView> {
  checkSegment(of.name, 'name');
  const call = { operation: 'getWorkflow', path: { name: of.name } };
  return (await ask(connection, { seat: 'workflows', call, decode: objectWith<WorkflowView>('name') }, options)).value;
}

/** A run to start. */
export interface StartRunInput {
  workflow: string;
  input: JsonValue;
  /** `Idempotency-Key`; minted when absent, so that it can be sent again (TW-RET-016). Keep it to repeat the call later. */
  key?: string;
}

/**
 * Starts a run (seat `start_run`, 30 s); when it returns the run is committed (TW-RUN-001).
 *
 * @throws TurnwireFault `unknown_workflow`; `invalid` with `problem.problems`; `workflow_refused` with `problem.findings`;
 *   `idempotency_mismatch`.
 * @throws TypeError naming the argument that is wrong.
 */
export async function startRun(
  connection: Connection,
  of: StartRunInput,
  options?: CallOptions,
): Promise<{ runId: string; replayed: boolean }> {
  checkSegment(of.workflow, 'workflow');
  const question = {
    seat: 'start_run',
    call: {
      operation: 'startRun',
      path: { name: of.workflow },
      headers: keyHeader(of.key),
      body: jsonText({ input: given(of.input, 'input') }, 'input'),
    },
    fences: { sameKey: true },
    decode: objectWith<{ runId: string }>('runId'),
  };
  const { value, answer } = await ask(connection, question, options);
  return { runId: value.runId, replayed: isReplayed(answer) };
}

/** Lists runs, newest first (seat `runs`, 30 s); `limit` is a number of runs, `cursor` a page's `nextCursor`. */
export async function listRuns(
  connection: Connection,
  filter: { workflow?: string; status?: string; limit?: number; cursor?: string } = {},
  options?: CallOptions,
): Promise<Page<RunView>> {
  const { workflow, status, limit, cursor } = filter;
  need(limit === undefined || (Number.isInteger(limit) && limit > 0), 'limit', 'a whole number above 0');
  const call = { operation: 'listRuns', query: { workflow, status, limit, cursor } };
  return (await ask(connection, { seat: 'runs', call, decode: pageOf<RunView> }, options)).value;
}

/** Shows one run, committed state only (seat `runs`, 30 s; TW-RUN-006). Fault `unknown_run`. */
export async function getRun(connection: Connection, of: { runId: string }, options?: CallOptions): Promise<RunView> {
  checkSegment(of.runId, 'runId');
  const call = { operation: 'getRun', path: { runId: of.runId } };
  return (await ask(connection, { seat: 'runs', call, decode: objectWith<RunView>('runId', 'status') }, options)).value;
}

/** An outside decision. */
export interface GateAnswer {
  runId: string;
  /** The gate's name, or the `gateId` of this visit, so that a stale answer never lands in the next one (TW-GAT-006). */
  gate: string;
  event: string;
  input: JsonValue;
  /** `Idempotency-Key`; minted when absent. */
  key?: string;
}

/**
 * Answers a gate (seat `gate_event`, 30 s); when it returns the answer is committed (TW-GAT-008).
 *
 * @throws TurnwireFault `gate_closed` with `problem.openGates`; `refused` with `problem.problems` and `problem.accepts`;
 *   `unknown_run`; `run_unavailable`.
 * @throws TypeError naming the argument that is wrong.
 */
export async function answerGate(
  connection: Connection,
  of: GateAnswer,
  options?: CallOptions,
): Promise<{ ok: true; moved: boolean; replayed: boolean }> {
  checkSegment(of.runId, 'runId');
  checkSegment(of.gate, 'gate');
  checkText(of.event, 'event');
  const question = {
    seat: 'gate_event',
    call: {
      operation: 'answerGate',
      path: { runId: of.runId, gate: of.gate },
      headers: keyHeader(of.key),
      body: jsonText({ event: of.event, input: given(of.input, 'input') }, 'input'),
    },
    fences: { sameKey: true },
    decode: (answer: Answer) => {
      const moved = objectOf(answer)?.moved;
      return typeof moved === 'boolean' ? { moved } : undefined;
    },
  };
  const { value, answer } = await ask(connection, question, options);
  return { ok: true, moved: value.moved, replayed: isReplayed(answer) };
}

/**
 * Cancels a run (seat `cancel_run`, 30 s). When an earlier copy of this call did it, that is success too.
 *
 * @throws TurnwireFault `already_ended`, `unknown_run`.
 * @throws TypeError naming the argument that is wrong.
 */
export async function cancelRun(
  connection: Connection,
  of: { runId: string; reason?: string },
  options?: CallOptions,
): Promise<void> {
  checkSegment(of.runId, 'runId');
  const { runId, reason } = of;
  if (reason !== undefined) checkText(reason, 'reason');
  const call = { operation: 'cancelRun', path: { runId }, body: jsonText({ reason }, 'reason') };
  try {
    await ask(connection, { seat: 'cancel_run', call, decode: objectOf }, options);
  } catch (error) {
    const endedMeanwhile = error instanceof TurnwireFault && error.code === 'already_ended' && error.attempts > 1;
    if (!endedMeanwhile || (await getRun(connection, { runId }, options)).status !== 'cancelled') throw error;
  }
}
