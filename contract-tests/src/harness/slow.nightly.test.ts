import { expect, it } from 'vitest';
import { buildHarness } from '../../broken/harness/build.ts';
import { runHarness } from './run.ts';

it('the reference passes the checks that take more than a minute', async () => {
  const command = `node ${JSON.stringify(await buildHarness())} serve`;
  const only = ['process.idle_connection', 'stream.sse_recycled'];
  const { checks } = await runHarness({ command, only, level: 'may', timeoutMs: 30_000, jobs: 1, seed: 1 });
  expect(checks.map(({ id, sentence }) => sentence ?? id)).toEqual(only);
}, 180_000);
