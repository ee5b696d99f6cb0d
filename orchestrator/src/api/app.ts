import { createApp } from '@turnwire/server';
import type { Hono } from 'hono';
import { pick, readDelivery, readSurface } from './agents.ts';
import { refuseStrangers } from './auth.ts';
import type { Deps } from './deps.ts';
import { cancelExecution, listExecutions, readExecution, replayExecution, startExecution } from './executions.ts';
import { readEvents, readRunEvents } from './feed.ts';
import { heartbeatNode, listNodes, readNode, registerNode, removeNode } from './nodes.ts';
import { getHealth, getMetrics, getOrchestratorInfo, getReadiness } from './open.ts';
import { answerGate, cancelRun, getRun, getWorkflow, listRuns, listWorkflows, startRun } from './runs.ts';

/** The Orchestrator API: routes only. Each is timed under the `operationId` that the spec gives it. */
export function createOrchestratorApp(deps: Deps): Hono {
  const { timed } = deps.metrics;
  const app = createApp({ log: deps.log, authorise: refuseStrangers(deps.tokens) });

  app.get('/healthz', getHealth);
  app.get('/readyz', getReadiness(deps));
  app.get('/metrics', getMetrics(deps));
  app.get('/.well-known/turnwire', getOrchestratorInfo(deps));

  app.get('/agents/:iid/surface', timed('readSurface', readSurface(deps)));
  app.post('/agents/:iid/events', timed('pick', pick(deps)));
  app.get('/agents/:iid/deliveries/:deliveryId', timed('readDelivery', readDelivery(deps)));

  app.get('/workflows', timed('listWorkflows', listWorkflows(deps)));
  app.get('/workflows/:name', timed('getWorkflow', getWorkflow(deps)));
  app.post('/workflows/:name/runs', timed('startRun', startRun(deps)));
  app.get('/runs', timed('listRuns', listRuns(deps)));
  app.get('/runs/:runId', timed('getRun', getRun(deps)));
  app.post('/runs/:runId/gates/:gate/events', timed('answerGate', answerGate(deps)));
  app.post('/runs/:runId/cancel', timed('cancelRun', cancelRun(deps)));

  app.get('/nodes', timed('listNodes', listNodes(deps)));
  app.put('/nodes/:nodeId', timed('registerNode', registerNode(deps)));
  app.get('/nodes/:nodeId', timed('readNode', readNode(deps)));
  app.delete('/nodes/:nodeId', timed('removeNode', removeNode(deps)));
  app.post('/nodes/:nodeId/heartbeat', timed('heartbeatNode', heartbeatNode(deps)));

  app.post('/executions', timed('startExecution', startExecution(deps)));
  app.get('/executions', timed('listExecutions', listExecutions(deps)));
  app.get('/executions/:executionId', timed('readExecution', readExecution(deps)));
  app.post('/executions/:executionId/cancel', timed('cancelExecution', cancelExecution(deps)));
  app.post('/executions/:executionId/replay', timed('replayExecution', replayExecution(deps)));

  app.get('/runs/:runId/events', timed('readRunEvents', readRunEvents(deps)));
  app.get('/events', timed('readEvents', readEvents(deps)));
  return app;
}
