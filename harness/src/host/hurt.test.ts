/** Cases that have hurt others, in process. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DEFINITION, type Fixture, startHarness, TOKEN, until } from '../testing/harness-fixture.ts';
import { Stream } from './stream.ts';

let it_: Fixture;
beforeEach(async () => {
  it_ = await startHarness({ concurrency: 2_000 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await it_.close();
});

/** What becomes of a turn that is aborted so many milliseconds after its admission, and that ends by itself meanwhile. */
async function aborted(iid: string, message: string, abortMs: number, releaseMs: number | undefined) {
  const prompt = () => ({ agentName: 'coder', definition: DEFINITION, message, notices: [] });
  const { submissionId } = await it_.harness.admit({ name: 'coder', iid, digest: 'd', prompt });
  const release = releaseMs === undefined ? undefined : sleep(releaseMs).then(() => it_.turns.release(submissionId));
  if (abortMs > 0) await sleep(abortMs);
  const named = await it_.harness.abort('coder', iid, { submissionId });
  await release;
  const conversation = [...it_.harness.conversations.loaded].find(({ state }) => state.iid === iid);
  await until(() => conversation?.visible.live.length === 0, `the settlement in ${iid}`);
  const { records } = new Stream(conversation as never, submissionId).page(0);
  return { named, submissionId, terminal: records.filter(({ type }) => type === 'submission.settled') };
}

it('an abort at 0, 1, 5, 50 ms and at the millisecond of completion, 1,000 times: one terminal record (TW-STR-030, TW-ABT-005)', async () => {
  const moments = [0, 1, 5, 50];
  for (let batch = 0; batch < 10; batch++) {
    const rounds = Array.from({ length: 100 }, (_, nth) => {
      const abortMs = moments[nth % 4] ?? 0;
      // Every second one ends by itself in the very millisecond of its abort.
      return aborted(`race-${nth}`, 'say hold say', abortMs, nth % 8 < 4 ? abortMs : undefined);
    });
    for (const { named, submissionId, terminal } of await Promise.all(rounds)) {
      expect(terminal.length).toBe(1);
      expect(named).toEqual(
        terminal[0]?.type === 'submission.settled' && terminal[0].outcome === 'aborted' ? [submissionId] : [],
      );
    }
  }
  expect(it_.turns.overlaps).toBe(0);
}, 60_000);

it('a reader that never reads costs a page, not the log, and gets everything when it reads', async () => {
  const pages = vi.spyOn(Stream.prototype, 'page');
  const big = 'x'.repeat(1024 * 1024);
  for (let nth = 0; nth < 24; nth++) await it_.admit('long', `say ${big}`);
  const [conversation] = it_.harness.conversations.loaded;
  await until(() => conversation?.visible.live.length === 0, 'the end of all turns');
  pages.mockClear();
  const { hostname, port } = new URL(it_.url);
  const socket: Socket = connect(Number(port), hostname);
  socket.write(
    `GET /agents/coder/long?view=updates&live=sse&offset=-1 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`,
  );
  socket.pause();
  // Until the buffers of both sides are full, nothing more is read from the disk.
  let before = -1;
  await until(async () => {
    const same = pages.mock.calls.length === before && before > 0;
    before = pages.mock.calls.length;
    await sleep(300);
    return same;
  }, 'the server to stop reading');
  expect(before).toBeLessThan(16);
  let bytes = 0;
  socket.on('data', (data) => {
    bytes += data.length;
  });
  socket.resume();
  await until(() => bytes > 24 * big.length, 'everything');
  socket.destroy();
}, 60_000);
