/** A person who saves a file again and again, and calls that go on all the while. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answered, newMarker } from '../calls.ts';
import type { NodePlace } from '../node-place.ts';
import type { Sequence } from '../sequence.ts';

const SAVE_MS = 3_000;
const CALL_MS = 200;

export const saved = (node: NodePlace, forMs: number): Sequence => ({
  name: `save–restart every ${SAVE_MS / 1_000} s for ${forMs / 1_000} s with ${1_000 / CALL_MS} calls a second`,
  must: 'no failed execution that the caller did not cause',
  async run(was) {
    node.save('Answer.');
    const args = ['--agents', node.agentsFile, '--node-id', node.name];
    const dev = await node.spawn('dev', { TURNWIRE_DATA_DIR: join(node.town.options.folder, node.name) }, ...args);
    await node.until(({ health, lifecycle }) => health === 'healthy' && lifecycle === 'ready');
    const saves = setInterval(() => node.save(`Answer. It is ${Date.now()} by now.`), SAVE_MS);
    const calls: { marker: string; answered: Promise<Answered> }[] = [];
    const arrive = setInterval(() => {
      const marker = newMarker('saved');
      calls.push({ marker, answered: node.call({ marker, usageContext: 'dev' }) });
    }, CALL_MS);
    await sleep(forMs);
    clearInterval(arrive);
    clearInterval(saves);
    const ends = await Promise.all(calls.map(async ({ answered }) => node.town.calls.end(await answered)));
    const others = ends.filter(({ status }) => status !== 'succeeded');
    const why = [...new Set(others.map(({ status, category }) => `${status} ${category}`))].join(', ');
    was.is(`${ends.length - others.length} of ${ends.length} calls succeeded${why && `; ${why}`}`, others.length === 0);
    const waited = ends.filter(({ timeline }) => timeline.some(({ status }) => status === 'awaiting_restart')).length;
    const instances = new Set(ends.map(({ instanceId }) => instanceId)).size;
    was.is(`${instances} instances, ${waited} calls awaited a restart`, instances > 2 && waited > 0);
    const asked = calls.filter(({ marker }) => node.town.asked(marker) !== 1).length;
    was.is(`${asked} worked on other than once`, asked === 0);
    const exit = await dev.stop('SIGTERM');
    was.is(`dev ended with ${exit}`, exit === 0);
  },
});
