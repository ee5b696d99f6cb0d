/** What a caller sees of a node that is down: known to be, not known to be, back again, never there. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { newMarker } from '../calls.ts';
import type { NodePlace } from '../node-place.ts';
import { type Sequence, seconds } from '../sequence.ts';
import type { Town } from '../town.ts';

/** A call that is refused comes back within this, in milliseconds. */
const FAST_MS = 50;
/** The grace of an Orchestrator that is not told another, and what a busy machine may add, in milliseconds. */
const GRACE_MS = 15_000;
const SLACK_MS = 5_000;

export const neverThere = (town: Town): Sequence => ({
  name: 'a call before any harness has started',
  must: '404 target_not_found, no record',
  async run(was) {
    was.answered(await town.calls.call('nobody.worker', { marker: newMarker('nobody') }), 404, 'target_not_found');
    const records = await town.calls.list('&node=nobody');
    was.is(`${records.length} records`, records.length === 0);
  },
});

export const anotherPort = (node: NodePlace): Sequence => ({
  name: 'a call while the node is down, the process returns 4 s later, on another port',
  must: '200 succeeded; one execution, started 1, terminal 1; its timeline shows awaiting_restart',
  async run(was) {
    const before = await node.up();
    await node.kill();
    const marker = newMarker('port');
    const calling = node.call({ marker });
    await sleep(4_000);
    const after = await node.up({ unheard: true });
    const answered = await calling;
    was.answered(answered, 200);
    was.is(`from port ${before.url.split(':').at(-1)} to ${after.url.split(':').at(-1)}`, before.url !== after.url);
    const execution = await node.town.calls.end(answered);
    await was.ended(node.town, execution, marker, { as: 'succeeded', asked: 1 });
    was.waited(execution, 3_000, 15_000);
  },
});

export const staysDown = (node: NodePlace): Sequence => ({
  name: 'the node stays down',
  must: 'one call waits out the grace, agent_unreachable; the next fails fast; after the node is back the next succeeds',
  async run(was) {
    await node.isUp();
    await node.kill();
    const marker = newMarker('grace');
    const first = await node.call({ marker });
    was.answered(first, 502, 'execution_failed');
    const execution = await node.town.calls.end(first);
    await was.ended(node.town, execution, marker, { as: 'failed agent_unreachable', asked: 0 });
    was.waited(execution, GRACE_MS - 1_000, GRACE_MS + SLACK_MS);
    was.answered(await node.call({ marker: newMarker('next') }), 503, 'node_unavailable');
    await node.up();
    was.answered(await node.call({ marker: newMarker('back') }), 200);
  },
});

/** @param name of a node whose grace has run out by then */
export const knownDown = (town: Town, name: string): Sequence => ({
  name: 'a call to a node already known down',
  must: `503 node_unavailable within ${FAST_MS} ms, no record`,
  async run(was) {
    const before = (await town.calls.list(`&node=${name}`)).length;
    const times: number[] = [];
    for (let nth = 0; nth < 20; nth++) {
      const answered = await town.calls.call(`${name}.worker`, { marker: newMarker('down') });
      if (answered.code !== 'node_unavailable') was.answered(answered, 503, 'node_unavailable');
      times.push(answered.ms);
    }
    // What a machine that is busy with thirty processes adds is not the Orchestrator's: the quickest shows what it takes.
    const [quickest = 0, ...others] = times.sort((a, b) => a - b);
    const middle = others[others.length >> 1] ?? 0;
    was.is(`20 times 503, the quickest in ${seconds(quickest)}, most in ${seconds(middle)}`, quickest <= FAST_MS);
    const records = (await town.calls.list(`&node=${name}`)).length - before;
    was.is(`${records} records`, records === 0);
  },
});

export const cancelled = (node: NodePlace): Sequence => ({
  name: 'cancel during the wait, then the node returns',
  must: 'cancelled; the node never sees the work',
  async run(was) {
    await node.isUp();
    await node.kill();
    const { calls, news } = node.town;
    const marker = newMarker('cancel');
    const accepted = await node.call({ marker, prefer: 'respond-async' });
    was.answered(accepted, 202);
    const id = String(accepted.body.executionId);
    await news.until(({ type, data }) => type === 'execution.awaiting_restart' && data.executionId === id);
    was.answered(await calls.ask('POST', `/executions/${id}/cancel`, {}), 200);
    await node.up();
    was.answered(await node.call({ marker: newMarker('after') }), 200);
    const execution = await calls.end(accepted);
    await was.ended(node.town, execution, marker, { as: 'cancelled cancelled', asked: 0 });
    was.is('unknown to the node', execution.iid === undefined || (await node.knows(execution.iid)) === 404);
  },
});

export const replayed = (node: NodePlace): Sequence => ({
  name: 'replay of a succeeded execution while its node is down',
  must: '200 from the record, the node not contacted',
  async run(was) {
    await node.isUp();
    const { calls } = node.town;
    const marker = newMarker('replay');
    const first = await node.call({ marker });
    was.answered(first, 200);
    const { port } = new URL(String(node.harness?.url));
    // A drain, after whose last settlement readers find their end: nobody has anything left to ask here.
    await node.harness?.stop('SIGTERM');
    const asked: string[] = [];
    const listener = createServer((request, response) => {
      if (request.url !== '/healthz') asked.push(`${request.method} ${request.url}`);
      request.socket.destroy();
      response.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(Number(port), '127.0.0.1', resolve));
    const replay = { reuse: 'succeeded' };
    const again = await calls.ask('POST', `/executions/${first.body.executionId}/replay`, replay);
    was.answered(again, 200);
    was.is('the answer of the record', JSON.stringify(again.body.result) === JSON.stringify(first.body.result));
    await sleep(500);
    was.is(`the node contacted ${asked.length} times ${asked.join(', ')}`.trim(), asked.length === 0);
    was.is(`worked on ${node.town.asked(marker)} times`, node.town.asked(marker) === 1);
    await new Promise((resolve) => listener.close(resolve));
    await node.up();
  },
});
