/** The Orchestrator dies while calls wait for a node. */
import { setTimeout as sleep } from 'node:timers/promises';
import { newMarker } from '../calls.ts';
import type { NodePlace } from '../node-place.ts';
import { type Sequence, seconds } from '../sequence.ts';
import { deadNode } from './health.ts';

const GRACE_MS = 15_000;
const SLACK_MS = 4_000;
/** How far into the wait it is killed, in milliseconds. */
const KILLED_MS = 2_000;

export const orchestratorKilled = (node: NodePlace): Sequence => ({
  name: 'the Orchestrator is killed during a wait',
  must: 'after its restart the wait goes on for what is left of the grace',
  async run(was) {
    const { town } = node;
    const { calls, news } = town;
    await node.up();
    const dead = await deadNode(town, 'gone');
    await node.kill();
    const [lost, kept] = [newMarker('lost'), newMarker('kept')];
    const gone = await calls.call(dead.target, { marker: lost, prefer: 'respond-async' });
    const back = await calls.call(node.target, { marker: kept, prefer: 'respond-async' });
    for (const { body } of [gone, back]) {
      const { executionId } = body;
      await news.until(({ type, data }) => type === 'execution.awaiting_restart' && data.executionId === executionId);
    }
    await sleep(KILLED_MS);
    await Promise.all([town.replaceOrchestrator(), node.up({ unheard: true })]);
    const returned = await calls.end(back);
    was.is(`a node that returned: ${returned.status}`, returned.status === 'succeeded');
    was.is(`worked on ${town.asked(kept)} times`, town.asked(kept) === 1);
    const failed = await calls.end(gone);
    const since = failed.timeline.find(({ status }) => status === 'awaiting_restart')?.at;
    const ms = Date.parse(String(failed.endedAt)) - Date.parse(String(since));
    was.is(`one that did not: ${failed.status} ${failed.category}`, failed.category === 'agent_unreachable');
    was.is(`${seconds(ms)} after its wait began`, ms >= GRACE_MS - 500 && ms < GRACE_MS + SLACK_MS);
  },
});
