/** What a call leaves behind when it is given up, counted in the process's own handles. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fullQueue } from '../../../contract-tests/src/faults/full-queue.ts';
import { type CallOptions, type Connection, connect, deliver, runEvents, surface, systemClock, wait } from './index.ts';
import { type Act, freePort, ours } from './testing/peer.ts';
import { stage } from './testing/stage.ts';

const { peerOf } = stage();
const kinds = new Set(['Timeout', 'TCPSocketWrap', 'TCPConnectWrap', 'GetAddrInfoReqWrap']);
const handles = () => process.getActiveResourcesInfo().filter((kind) => kinds.has(kind)).length;

const pick = { iid: 'i1', turnId: 't1', event: 'approve', input: {} };
const outstanding = ours(202, { status: 'outstanding', deliveryId: 'd1', event: 'approve' });
const feed = ours(200, 'event: snapshot\ndata: {"runs":[]}\n\n', { 'content-type': 'text/event-stream' });

async function drained(records: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of records);
}

let closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  closing = [];
});
afterEach(async () => {
  for (const close of closing) await close();
});

const peerThat = (act: Act | ((count: number) => Act)) => async () =>
  (await peerOf((_, count) => (typeof act === 'function' ? act(count) : act))).url;

async function droppedSyn(): Promise<string> {
  const queue = await fullQueue('127.0.0.1', 0);
  closing.push(queue.close);
  return `http://127.0.0.1:${queue.port}`;
}

type Call = (connection: Connection, options: CallOptions) => Promise<unknown>;
const read: Call = (connection, options) => surface(connection, { iid: 'i1' }, options);

const moments: readonly (readonly [string, () => Promise<string>, Call])[] = [
  ['the connection is being made', droppedSyn, read],
  ['the peer is silent', peerThat('hang'), read],
  ['a body has stalled', peerThat({ ...ours(200, { turnId: 't1' }), stall: true }), read],
  ['the ladder sleeps', async () => `http://127.0.0.1:${await freePort()}`, read],
  [
    'an outstanding pick is polled',
    peerThat((count) => (count === 1 ? outstanding : 'hang')),
    (connection, options) => deliver(connection, pick, options),
  ],
  [
    'a wait is parked',
    peerThat('hang'),
    (connection, options) => drained(wait(connection, { streamUrl: '/s', offset: 'a_0' }, options)),
  ],
  [
    'a feed is open',
    peerThat({ ...feed, stall: true }),
    (connection, options) => drained(runEvents(connection, {}, options)),
  ],
];

for (const how of ['the call is aborted', 'the connection is closed'] as const) {
  it.each(moments)(`no timer and no socket is left when ${how} while %s`, async (_, start, call) => {
    const baseUrl = await start();
    const before = handles();
    let asleep = 0;
    const clock = {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) => {
        asleep++;
        return systemClock.sleep(ms, signal);
      },
    };
    const connection = connect({ baseUrl, clock, random: () => 0.99 });
    closing.push(() => connection.close());
    const controller = new AbortController();
    const over = call(connection, { signal: controller.signal }).catch((error: unknown) => error);
    await expect.poll(() => handles() > before || asleep > 0, { interval: 5 }).toBe(true);
    // Long enough to be in the middle of it.
    await new Promise((resolve) => setTimeout(resolve, 150));
    if (how === 'the call is aborted') controller.abort();
    else await connection.close();
    await over;
    // The peer's ends of our sockets are handles of this process too, and end with them.
    await expect.poll(handles, { timeout: 2_000 }).toBeLessThanOrEqual(before);
  });
}
