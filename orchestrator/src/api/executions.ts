/** Ad-hoc calls and the records of all executions, with the instance token. */
import { checkParameters, Problem, readJson } from '@turnwire/server';
import type { Context } from 'hono';
import type { CallRequest, ExecutionFilter, ExecutionRecord, RunHost } from '../host/port.ts';
import { traceOf } from '../tracing.ts';
import { requireInstance } from './auth.ts';
import type { Deps } from './deps.ts';
import { idempotencyKey, parameter, replayedHeader } from './parameters.ts';
import { type Preference, preferenceOf } from './prefer.ts';
import { asked } from './refusals.ts';

type Headers = Record<string, string>;

/** The checks that all of these share, in order: token, phase, parameters. */
function enter({ service, tokens }: Deps, c: Context, operationId: string): RunHost {
  requireInstance(c, tokens);
  const host = service.host('starting');
  checkParameters(c, 'orchestrator', operationId);
  return host;
}

export const startExecution = (deps: Deps) => async (c: Context) => {
  const { executions } = enter(deps, c, 'startExecution');
  const request = requestOf(await readJson<CallRequest>(c, 'orchestrator', 'startExecution'));
  const preference = preferenceOf(c.req.header('prefer'));
  const { executionId, replayed } = await asked(() => executions.start(request, idempotencyKey(c), traceOf(c)));
  const { signal, done } = deps.service.waiting(c.req.raw.signal);
  const record = await asked(() => executions.read(executionId, preference.seconds * 1_000, signal)).finally(done);
  const headers = { ...replayedHeader(replayed), ...appliedHeader(preference) };
  return answered(c, record ?? unknown(executionId), headers);
};

/** What is asked, and nothing beside it: a key stands for this. */
function requestOf({ target, input, timeoutSeconds, usageContext }: CallRequest): CallRequest {
  return {
    target,
    input: input ?? null,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(usageContext !== undefined && { usageContext }),
  };
}

/** What a call came to by now, row by row. */
function answered(c: Context, record: ExecutionRecord, headers: Headers): Response {
  switch (record.status) {
    case 'succeeded': // TW-EXE-001
      return c.json(resultOf(record), 200, headers);
    case 'failed': // TW-EXE-027
    case 'cancelled':
      throw ended('execution_failed', record, headers);
    case 'timed_out': // TW-EXE-027
      throw ended('execution_timed_out', record, headers);
    default: // TW-EXE-002
      return accepted(c, record, headers);
  }
}

const resultOf = ({ executionId, result = null, durationMs = 0 }: ExecutionRecord) => ({
  executionId,
  status: 'succeeded' as const,
  result,
  durationMs,
});

function accepted(c: Context, { executionId, status, replayOf }: ExecutionRecord, headers: Headers): Response {
  const location = { location: `/executions/${encodeURIComponent(executionId)}` };
  const body = { executionId, status, ...(replayOf !== undefined && { replayOf }) };
  return c.json(body, 202, { ...headers, ...location });
}

function ended(code: 'execution_failed' | 'execution_timed_out', record: ExecutionRecord, headers: Headers): Problem {
  const { executionId, category = 'internal_error', reason } = record;
  return new Problem(code, `${category}: ${reason ?? 'the execution ended without a result'}`, {
    headers,
    members: { executionId, category, execution: record as never },
  });
}

const appliedHeader = ({ applied }: Preference): Headers =>
  applied === undefined ? {} : { 'preference-applied': applied };

export const listExecutions = (deps: Deps) => async (c: Context) => {
  const { executions } = enter(deps, c, 'listExecutions');
  const { limit, ...filter } = c.req.query();
  const known = ['status', 'target', 'node', 'agent', 'runId', 'usageContext', 'cursor'].filter((name) => filter[name]);
  const wanted = Object.fromEntries(known.map((name) => [name, filter[name]])) as ExecutionFilter;
  return c.json(
    await asked(() => executions.list({ ...wanted, ...(limit !== undefined && { limit: Number(limit) }) })),
  );
};

export const readExecution = (deps: Deps) => async (c: Context) => {
  const { executions } = enter(deps, c, 'readExecution');
  const executionId = parameter(c, 'executionId');
  const waitMs = Number(c.req.query('wait') ?? 0) * 1_000;
  const { signal, done } = deps.service.waiting(c.req.raw.signal);
  const record = await asked(() => executions.read(executionId, waitMs, signal)).finally(done);
  return c.json(record ?? unknown(executionId));
};

export const cancelExecution = (deps: Deps) => async (c: Context) => {
  const { executions } = enter(deps, c, 'cancelExecution');
  const { reason } = await readJson<{ reason?: string }>(c, 'orchestrator', 'cancelExecution', { absent: {} });
  await asked(() => executions.cancel(parameter(c, 'executionId'), reason));
  return c.json({ ok: true });
};

export const replayExecution = (deps: Deps) => async (c: Context) => {
  const { executions } = enter(deps, c, 'replayExecution');
  const { reuse } = await readJson<{ reuse?: 'succeeded' }>(c, 'orchestrator', 'replayExecution', { absent: {} });
  const [id, key, trace] = [parameter(c, 'executionId'), idempotencyKey(c), traceOf(c)];
  const { executionId, replayed, reused } = await asked(() => executions.replay(id, reuse === 'succeeded', key, trace));
  const record = (await asked(() => executions.read(executionId))) ?? unknown(executionId);
  // TW-EXE-032
  if (reused) return c.json(resultOf(record), 200);
  return accepted(c, record, replayedHeader(replayed));
};

function unknown(executionId: string): never {
  throw new Problem('unknown_execution', `there is no execution ${executionId}`);
}
