/** What takes minutes of real time: `npm run test:nightly`. */
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stream } from '@durable-streams/client';
import { expect, it } from 'vitest';
import { patientFetch } from './engine/model-fetch.ts';
import { DEFINITION, startHarness, TOKEN, temporaryFolder, until } from './testing/harness-fixture.ts';
import { HarnessProcess } from './testing/harness-process.ts';
import { Peers } from './testing/peers.ts';

/** Past the 300 s after which Node's own fetch gives up. */
const LONG_MS = 310_000;

it.concurrent(
  'a pick that is outstanding for 310 s is polled inside its call, and its answer ends the turn (TW-TRN-007)',
  async () => {
    const folder = temporaryFolder();
    const peers = new Peers();
    const url = await peers.start();
    const env = { TURNWIRE_CUSTODIAN_URL: url, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' };
    const harness = HarnessProcess.serve(join(folder, 'data'), env);
    await until(() => harness.ready());
    await harness.call('POST', '/agents/coder/one', { message: 'go', definition: DEFINITION });
    await sleep(LONG_MS);
    const state = async () =>
      (await (await harness.call('GET', '/agents/coder/one?view=history')).json()) as {
        submissions: { state: string; settlement?: { outcome: string } }[];
      };
    expect((await state()).submissions[0]?.state).toBe('waiting');
    peers.answer();
    await until(async () => (await state()).submissions[0]?.settlement?.outcome === 'completed');
    expect([...peers.picks.values()]).toEqual([1]);
    harness.kill('SIGKILL');
    await harness.exit;
    peers.close();
    rmSync(folder, { recursive: true, force: true });
  },
  LONG_MS + 60_000,
);

it.concurrent(
  'a model that is silent for 310 s is waited for',
  async () => {
    const server = createServer((_, response) => setTimeout(() => response.end('late'), LONG_MS));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await (await patientFetch()(url)).text()).toBe('late');
    server.close();
  },
  LONG_MS + 60_000,
);

it.concurrent.each(['long-poll', 'sse'] as const)(
  'a turn that is silent for 60 s is read through a proxy that cuts 30 s of silence, live: %s',
  async (live) => {
    const harness = await startHarness();
    let cuts = 0;
    const proxy = createTcpServer((near: Socket) => {
      const far = connect(Number(new URL(harness.url).port), '127.0.0.1');
      const cut = () => {
        cuts++;
        near.destroy();
        far.destroy();
      };
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.setTimeout(30_000, cut);
        one.on('error', () => other.destroy());
        one.pipe(other);
      }
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { streamUrl, submissionId, offset } = await harness.admit('one', 'hold say');
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const read = await stream({
      url: streamUrl.replace(harness.url, address),
      offset,
      live,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    setTimeout(() => harness.turns.release(submissionId), 60_000);
    const types: string[] = [];
    for await (const record of read.jsonStream()) types.push((record as { type: string }).type);
    expect(types.at(-1)).toBe('submission.settled');
    expect(new Set(types.filter((type) => type.startsWith('submission.'))).size).toBe(3);
    // What had its answer may be cut in its idleness; what was being read was not.
    expect(cuts).toBeLessThan(2);
    proxy.close();
    await harness.close();
  },
  120_000,
);
