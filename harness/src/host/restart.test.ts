import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FENCE_KEEP_MS, TOMBSTONE_KEEP_MS } from '../limits.ts';
import { scanBlocks } from '../log/block.ts';
import { conversationFile } from '../log/folder.ts';
import { type Fixture, follow, makeHarness, startHarness, temporaryFolder, until } from '../testing/harness-fixture.ts';

let folder: string;
let running: Fixture[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const fixture of running) await fixture.close();
  running = [];
  rmSync(folder, { recursive: true, force: true });
});

/** A Harness on this test's folder. The one before is left as a SIGKILL would leave it: it just never speaks again. */
async function start(options: Parameters<typeof startHarness>[0] = {}): Promise<Fixture> {
  const fixture = await startHarness(options, folder);
  running.push(fixture);
  return fixture;
}
const get = async (fixture: Fixture, path: string) => {
  const response = await fixture.call('GET', path);
  return { status: response.status, body: (await response.json()) as { length?: number; offset?: string } };
};
const pathOf = (iid: string) => conversationFile(join(folder, 'conversations'), iid);

describe('after the death of the process', () => {
  it('a queued Submission runs, one at work failed, and what readers saw is there (TW-DUR-001, TW-DUR-003, TW-DUR-005, TW-STR-027, TW-STR-028)', async () => {
    const first = await start();
    const atWork = await first.admit('one', 'say hold', {}, { 'idempotency-key': 'k' });
    const queued = await first.admit('one', 'say');
    await until(async () => (await get(first, atWork.streamUrl)).body.length === 4);
    const seen = (await get(first, atWork.streamUrl)).body as unknown as object[];
    const second = await start();
    const records = await follow(second, { ...atWork, streamUrl: atWork.streamUrl.replace(first.url, second.url) });
    expect(records.slice(0, 4)).toEqual(seen);
    expect(records[4]).toMatchObject({ outcome: 'failed', error: { code: 'harness_restarted' } });
    const next = await follow(second, { ...queued, streamUrl: queued.streamUrl.replace(first.url, second.url) });
    expect(next.at(-1)).toMatchObject({ outcome: 'completed' });
    expect(second.turns.began).toEqual([queued.submissionId]);
    // The key is known as long as the conversation is (TW-ADM-004), and the store is the folder's (TW-DUR-006).
    expect((await second.admit('one', 'say hold', {}, { 'idempotency-key': 'k' })).submissionId).toBe(
      atWork.submissionId,
    );
    expect(second.harness.folder.store).toBe(first.harness.folder.store);
  });

  it('twice during one turn, the next turn starts', async () => {
    const first = await start();
    await first.admit('one', 'hold');
    await until(() => first.turns.began.length === 1);
    const second = await start();
    const next = await second.admit('one', 'hold');
    await until(() => second.turns.began.includes(next.submissionId));
    const third = await start();
    const last = await third.admit('one', 'say');
    expect((await follow(third, last)).at(-1)).toMatchObject({ outcome: 'completed' });
  });

  it('one that waited for a delivery goes on waiting, its slot free, and ends from its history (TW-DUR-004)', async () => {
    const first = await start();
    const admitted = await first.admit('one', 'say wait say');
    await until(() => first.harness.turns.waiting === 1);
    const second = await start({ concurrency: 1 });
    await until(() => second.turns.began.length === 1);
    const [resumed] = second.turns.inputs;
    expect(resumed?.resume).toMatchObject({ event: 'ask', toolCallId: 'call_1' });
    expect(resumed?.history.length).toBe(2);
    expect((await follow(second, await second.admit('two', 'say'))).at(-1)).toMatchObject({ outcome: 'completed' });
    second.turns.release(admitted.submissionId);
    const records = await follow(second, { ...admitted, streamUrl: admitted.streamUrl.replace(first.url, second.url) });
    expect(records.map(({ type }) => type).slice(-3)).toEqual([
      'tool.answered',
      'message.appended',
      'submission.settled',
    ]);
  });

  it('an abort of a turn that was not admitted yet is still remembered', async () => {
    const first = await start();
    await first.call('POST', '/agents/coder/one/abort', { body: { turnId: 'late' } });
    const second = await start();
    expect((await follow(second, await second.admit('one', 'say', { turnId: 'late' }))).at(-1)).toMatchObject({
      outcome: 'aborted',
    });
  });
});

it('an admission and its key are on disk when the 202 comes, a start before the engine is asked (TW-ADM-017, TW-DUR-002)', async () => {
  const onDisk = () => scanBlocks(readFileSync(pathOf('one'))).blocks.flatMap(({ records }) => records);
  let atFirstCall: string[] = [];
  const fixture = await start({
    runTurn: async () => {
      atFirstCall = onDisk().map(({ type }) => type);
      return { outcome: 'completed', records: [] };
    },
  });
  const admitted = await fixture.admit('one', 'say', {}, { 'idempotency-key': 'k' });
  expect(onDisk()).toContainEqual(
    expect.objectContaining({ type: 'private.admitted', key: 'k', submissionId: admitted.submissionId }),
  );
  await follow(fixture, admitted);
  expect(atFirstCall).toContain('submission.started');
});

describe('a conversation that cannot be read', () => {
  it('is 410 and is not begun again, and the others go on (TW-DUR-007)', async () => {
    const first = await start();
    const broken = await first.admit('broken', 'say');
    const whole = await first.admit('whole', 'say');
    await follow(first, broken);
    await follow(first, whole);
    const bytes = readFileSync(pathOf('broken'));
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    writeFileSync(pathOf('broken'), bytes);
    const second = await start();
    for (const path of ['?view=updates', '?view=history']) {
      expect(await get(second, `/agents/coder/broken${path}`)).toMatchObject({
        status: 410,
        body: { code: 'stream_gone' },
      });
    }
    await expect(second.admit('broken', 'say')).rejects.toThrow('410');
    expect(await (await second.call('POST', '/agents/coder/broken/abort')).json()).toEqual({
      aborted: false,
      submissionIds: [],
    });
    expect(await get(second, '/agents/coder/whole?view=updates')).toMatchObject({ status: 200 });
    expect(second.harness.conversations.damagedCount).toBe(1);
  });

  it('a wiped folder has another store and knows nothing (TW-STR-020)', async () => {
    const first = await start();
    const admitted = await first.admit('one', 'say');
    await follow(first, admitted);
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    const second = await start();
    expect(second.harness.folder.store).not.toBe(first.harness.folder.store);
    const url = `/agents/coder/one?view=updates&submission=${admitted.submissionId}&offset=${admitted.offset}`;
    expect(await get(second, url)).toMatchObject({ status: 404, body: { code: 'unknown_conversation' } });
    // Begun again it has another incarnation: the old offset is gone, not empty (TW-STR-022).
    await second.admit('one', 'say');
    expect(await get(second, `/agents/coder/one?view=updates&offset=${admitted.offset}`)).toMatchObject({
      status: 410,
    });
  });
});

describe('time', () => {
  it('frees a conversation, tells its readers, and begins it again with another incarnation (TW-DUR-010)', async () => {
    let now = Date.now();
    const clock = { now: () => now, sleep: () => Promise.resolve() };
    const fixture = await start({ clock, keepMs: 1_000 });
    const admitted = await fixture.admit('one', 'say');
    await follow(fixture, admitted);
    const { conversations } = fixture.harness;
    const [conversation] = conversations.loaded;
    await until(() => conversation?.restful === true);
    const { body } = await get(fixture, '/agents/coder/one?view=history');
    const parked = fixture.call('GET', `/agents/coder/one?view=updates&live=long-poll&offset=${body.offset}`);
    await until(() => conversation?.watched === true);
    conversations.sweep();
    expect([...conversations.loaded].length).toBe(1);
    now += 1_001;
    conversations.sweep();
    expect((await parked).status).toBe(410);
    for (const url of [admitted.streamUrl, '/agents/coder/one?view=history']) {
      expect(await get(fixture, url)).toMatchObject({ status: 410, body: { code: 'stream_gone' } });
    }
    const restarted = await start({ clock, keepMs: 1_000 });
    expect((await get(restarted, '/agents/coder/one?view=updates')).status).toBe(410);
    const again = await restarted.admit('one', 'say');
    expect((await follow(restarted, again)).at(-1)).toMatchObject({ outcome: 'completed' });
    expect(again.offset.split('_')[0]).not.toBe(admitted.offset.split('_')[0]);
    expect((await get(restarted, `${again.streamUrl}&offset=${admitted.offset}`)).status).toBe(410);
    now += 1_001;
    restarted.harness.conversations.sweep();
    now += TOMBSTONE_KEEP_MS;
    restarted.harness.conversations.sweep();
    expect((await get(restarted, '/agents/coder/one?view=updates')).status).toBe(404);
    expect(readdirSync(join(folder, 'conversations'))).toEqual([]);
  });

  it('puts idle conversations to rest, and reads them again when they are asked for', async () => {
    let now = Date.now();
    const fixture = await start({ clock: { now: () => now, sleep: () => Promise.resolve() } });
    const admitted = await fixture.admit('one', 'say', {}, { 'idempotency-key': 'k' });
    const records = await follow(fixture, admitted);
    await until(() => [...fixture.harness.conversations.loaded][0]?.restful === true);
    now += 60_001;
    fixture.harness.conversations.sweep();
    expect([...fixture.harness.conversations.loaded]).toEqual([]);
    expect(await follow(fixture, admitted)).toEqual(records);
    expect(await fixture.admit('one', 'say', {}, { 'idempotency-key': 'k' })).toEqual(admitted);
  });

  it('forgets a remembered abort with the conversation that it alone made', async () => {
    let now = Date.now();
    const fixture = await start({ clock: { now: () => now, sleep: () => Promise.resolve() } });
    await fixture.call('POST', '/agents/coder/one/abort', { body: { turnId: 'never' } });
    await until(() => [...fixture.harness.conversations.loaded][0]?.restful === true);
    now += FENCE_KEEP_MS + 1;
    fixture.harness.conversations.sweep();
    expect(readdirSync(join(folder, 'conversations'))).toEqual([]);
  });
});

it('a log that is cut at any byte opens as what was acknowledged before that byte', async () => {
  const first = await start();
  const admitted = [await first.admit('one', 'say wait say', { turnId: 't1' }, { 'idempotency-key': 'k' })];
  await until(() => first.harness.turns.waiting === 1);
  first.turns.release(String(admitted[0]?.submissionId));
  admitted.push(await first.admit('one', 'say'));
  for (const each of admitted) await follow(first, each);
  await first.close();
  running = [];
  const bytes = readFileSync(pathOf('one'));
  const { blocks } = scanBlocks(bytes);
  expect(blocks.length).toBeGreaterThan(5);
  const path = pathOf('one');
  for (let cut = 0; cut <= bytes.length; cut++) {
    writeFileSync(path, bytes.subarray(0, cut));
    const whole = blocks.filter(({ to }) => to <= cut);
    const second = makeHarness(folder);
    second.harness.recover();
    const found = second.harness.conversations.find('coder', 'one');
    if (whole.length === 0) expect(found.is).toBe('unknown');
    else {
      // Everything acknowledged before the cut is there, and what came after it can only be the restart's own.
      const kept = readFileSync(path).subarray(0, whole.at(-1)?.to);
      expect(kept.equals(bytes.subarray(0, whole.at(-1)?.to))).toBe(true);
      await until(() => second.harness.turns.waiting === 1 || !busy(second), `the end of what was cut at ${cut}`);
    }
    await second.harness.journal.settled();
    second.harness.conversations.close();
  }
}, 120_000);

const busy = ({ harness }: { harness: Fixture['harness'] }): boolean =>
  harness.journal.busy || [...harness.conversations.loaded].some(({ visible }) => visible.live.length > 0);
