/** Workflows, runs and gates: what people, the CLI and CI ask, with the instance token. */
import { checkParameters, Problem, readJson } from '@turnwire/server';
import type { Context } from 'hono';
import type { JsonValue, RunFilter, RunStatus } from '../host/port.ts';
import { traceOf } from '../tracing.ts';
import { requireInstance } from './auth.ts';
import type { Deps } from './deps.ts';
import { idempotencyKey, parameter, replayedHeader } from './parameters.ts';
import { asked } from './refusals.ts';

/** The checks that all of these share, in order: token, phase, parameters. */
function enter({ service, tokens }: Deps, c: Context, operationId: string) {
  requireInstance(c, tokens);
  const host = service.host('starting');
  checkParameters(c, 'orchestrator', operationId);
  return host;
}

export const listWorkflows = (deps: Deps) => async (c: Context) => {
  const host = enter(deps, c, 'listWorkflows');
  return c.json({ items: await asked(() => host.workflows()) });
};

export const getWorkflow = (deps: Deps) => async (c: Context) => {
  const host = enter(deps, c, 'getWorkflow');
  const name = parameter(c, 'name');
  const workflow = await asked(() => host.workflow(name));
  if (!workflow) throw new Problem('unknown_workflow', `there is no workflow ${name}`);
  return c.json(workflow);
};

export const startRun = (deps: Deps) => async (c: Context) => {
  const host = enter(deps, c, 'startRun');
  const { input } = await readJson<{ input: JsonValue }>(c, 'orchestrator', 'startRun');
  const trace = traceOf(c);
  const { runId, replayed } = await asked(() =>
    host.start(parameter(c, 'name'), input ?? null, idempotencyKey(c), trace),
  );
  return c.json({ runId }, 201, replayedHeader(replayed));
};

export const listRuns = (deps: Deps) => async (c: Context) => {
  const host = enter(deps, c, 'listRuns');
  return c.json(await asked(() => host.runs(filterOf(c))));
};

function filterOf(c: Context): RunFilter {
  const { workflow, status, limit, cursor } = c.req.query();
  return {
    ...(workflow !== undefined && { workflow }),
    ...(status !== undefined && { status: status as RunStatus }),
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(cursor !== undefined && { cursor }),
  };
}

export const getRun = (deps: Deps) => async (c: Context) => {
  const host = enter(deps, c, 'getRun');
  const runId = parameter(c, 'runId');
  const run = await asked(() => host.run(runId));
  if (!run) throw new Problem('unknown_run', `there is no run ${runId}`);
  return c.json(run);
};

export const answerGate = (deps: Deps) => async (c: Context) => {
  const host = enter(deps, c, 'answerGate');
  const { event, input } = await readJson<{ event: string; input: JsonValue }>(c, 'orchestrator', 'answerGate');
  const { moved, replayed } = await asked(() =>
    host.answerGate(parameter(c, 'runId'), parameter(c, 'gate'), event, input ?? {}, idempotencyKey(c)),
  );
  return c.json({ ok: true, moved }, 200, replayedHeader(replayed)); // TW-GAT-008
};

export const cancelRun = (deps: Deps) => async (c: Context) => {
  const host = enter(deps, c, 'cancelRun');
  const { reason } = await readJson<{ reason?: string }>(c, 'orchestrator', 'cancelRun', { absent: {} });
  await asked(() => host.cancel(parameter(c, 'runId'), reason));
  return c.json({ ok: true });
};
