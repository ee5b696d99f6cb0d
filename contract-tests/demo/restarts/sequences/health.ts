/** What the registry makes of nodes that nobody answers for, that are heard at the last moment, that fail a probe now and then. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../cast.ts';
import { type Answered, type Execution, newMarker, spent } from '../calls.ts';
import type { NodePlace } from '../node-place.ts';
import { RawNode } from '../raw-node.ts';
import { type Sequence, seconds } from '../sequence.ts';
import type { Town } from '../town.ts';
import { every } from './restart.ts';

const GRACE_MS = 15_000;
/** What may be added to a call by a machine that is busy with thirty processes, in milliseconds. */
const BUSY_MS = 1_000;
const WAITING = 50;
const RACERS = 24;
const PROBE_MS = 10_000;

export const crowded = (healthy: NodePlace): Sequence => ({
  name: `${WAITING} calls wait for one dead node, 10 calls go to a healthy one`,
  must: 'the 10 are not slowed',
  async run(was) {
    const { town } = healthy;
    await healthy.up();
    const dead = await deadNode(town, 'crowd');
    const before = await tenCalls(healthy);
    const waiting = await Promise.all(
      Array.from({ length: WAITING }, () =>
        town.calls.call(dead.target, { marker: newMarker('crowd'), prefer: 'respond-async' }),
      ),
    );
    const ids = new Set(waiting.map(({ body }) => body.executionId));
    const held = () =>
      town.news.of('execution.awaiting_restart').filter(({ data }) => ids.has(data.executionId)).length;
    await town.news.until(() => held() === WAITING);
    const began = Date.now();
    const meanwhile = await tenCalls(healthy);
    every(was, meanwhile, 200);
    const [alone, beside] = [slowest(before), slowest(meanwhile)];
    was.is(`slowest alone ${seconds(alone)}, beside them ${seconds(beside)}`, beside < alone * 3 + BUSY_MS);
    const ends = await Promise.all(waiting.map((accepted) => town.calls.end(accepted)));
    const waited = ends.filter((end) => awaitedAt(end, began)).length;
    was.is(`${waited} waited when they began`, waited === WAITING);
    const failed = ends.filter(({ category }) => category === 'agent_unreachable').length;
    was.is(`${failed} of them agent_unreachable in the end`, failed === WAITING);
  },
});

export const serverless = (town: Town): Sequence => ({
  name: 'a serverless target refuses the connection',
  must: 'agent_unreachable at once',
  async run(was) {
    const node = await deadNode(town, 'lambda', 'serverless');
    const marker = newMarker('serverless');
    const answered = await town.calls.call(node.target, { marker });
    was.answered(answered, 502, 'execution_failed');
    was.is(`after ${seconds(answered.ms)}`, answered.ms < BUSY_MS);
    const execution = await town.calls.end(answered);
    await was.ended(town, execution, marker, { as: 'failed agent_unreachable', asked: 0 });
    was.is('it awaited no restart', spent(execution, 'awaiting_restart') === undefined);
  },
});

export const heardAtTheEnd = (town: Town): Sequence => ({
  name: 'a heartbeat arrives while the demotion is being written',
  must: 'the node stays healthy',
  async run(was) {
    const nodes = await Promise.all(Array.from({ length: RACERS }, (_, nth) => deadNode(town, `race-${nth}`)));
    const races = await Promise.all(nodes.map((node, nth) => raceTheGrace(town, node, nth)));
    const heard = races.filter(({ heartbeats }) => heartbeats === 200).length;
    was.is(`${heard} of ${RACERS} heartbeats taken around the end of the grace`, heard === RACERS);
    const gone = races.filter(({ ended }) => ended).length;
    was.is(`${gone} after the execution had ended, ${RACERS - gone} before`, true);
    // Whatever was on its way when they were heard is through by then.
    await sleep(1_000);
    const health = await Promise.all(nodes.map((node) => node.health()));
    const healthy = health.filter((each) => each === 'healthy').length;
    was.is(`${healthy} of ${RACERS} stay healthy`, healthy === RACERS);
    const open = races.filter(({ ended }) => !ended);
    await Promise.all(open.map(({ id }) => town.calls.ask('POST', `/executions/${id}/cancel`, {})));
  },
});

/** A call whose grace is about to run out, and a heartbeat within 30 ms of that moment, before or after it. */
async function raceTheGrace(town: Town, node: RawNode, nth: number) {
  const accepted = await town.calls.call(node.target, { marker: newMarker('race'), prefer: 'respond-async' });
  const id = String(accepted.body.executionId);
  const held = await town.news.until(
    ({ type, data }) => type === 'execution.awaiting_restart' && data.executionId === id,
  );
  const offset = (nth / RACERS) * 60 - 30;
  await sleep(Math.max(0, Date.parse(String(held.data.at)) + GRACE_MS + offset - Date.now()));
  const { status } = await node.heartbeat();
  await sleep(500);
  const { status: now } = await town.calls.read(id);
  return { id, heartbeats: status, ended: now === 'failed' };
}

export const oneInFive = (town: Town, forMs: number): Sequence => ({
  name: `heartbeats every 2 s, one failing probe in five, for ${forMs / 1_000} s (5 minutes of virtual time are a test of the orchestrator)`,
  must: 'health never flaps',
  async run(was) {
    const probes = { good: 0, bad: 0 };
    const server = createServer((_request, response) => {
      const bad = (probes.good + probes.bad) % 5 === 1;
      probes[bad ? 'bad' : 'good']++;
      response.writeHead(bad ? 500 : 204, { 'turnwire-version': '1' }).end();
    });
    const node = new RawNode(town, 'flaky', await listen(server));
    await node.register();
    await node.heartbeat();
    const beats = setInterval(() => void node.heartbeat().catch(() => undefined), 2_000);
    const healthy = await town.news.until(
      ({ type, data }) => type === 'node.health' && data.nodeId === 'flaky' && data.health === 'healthy',
    );
    await sleep(forMs);
    clearInterval(beats);
    const changes = town.news.of('node.health').filter((frame) => frame.data.nodeId === 'flaky' && frame !== healthy);
    was.is(
      `${probes.bad} of ${probes.bad + probes.good} probes failed`,
      probes.bad > 0 && probes.good >= forMs / PROBE_MS / 2,
    );
    was.is(`${changes.length} changes of health after the first`, changes.length === 0);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
});

/** Registered and heard once, and nothing listens at its address. */
export async function deadNode(town: Town, name: string, deployment: 'resident' | 'serverless' = 'resident') {
  const [port = 0] = await freePorts(1);
  const node = new RawNode(town, name, `http://127.0.0.1:${port}`, deployment);
  const { status } = await node.register();
  if (status !== 200) throw new Error(`the registration of ${name} was answered ${status}`);
  if (deployment === 'resident') await node.heartbeat();
  return node;
}

async function tenCalls(node: NodePlace): Promise<Answered[]> {
  return Promise.all(
    Array.from({ length: 10 }, async (_, nth) => {
      await sleep(nth * 100);
      return node.call({ marker: newMarker('beside') });
    }),
  );
}

/** Whether an execution awaited the restart of its node at a moment. */
function awaitedAt({ timeline }: Execution, at: number): boolean {
  const from = timeline.findIndex(({ status }) => status === 'awaiting_restart');
  const [entry, next] = [timeline[from], timeline[from + 1]];
  return entry !== undefined && Date.parse(entry.at) <= at && Date.parse(next?.at ?? '') > at;
}

const slowest = (answers: readonly Answered[]): number => Math.max(...answers.map(({ ms }) => ms));

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
