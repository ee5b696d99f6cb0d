import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Fixture, follow, startHarness, temporaryFolder, until } from '../testing/harness-fixture.ts';
import { abandon, drain } from './drain.ts';

let folder: string;
let it_: Fixture;
beforeEach(async () => {
  folder = temporaryFolder();
  it_ = await startHarness({ concurrency: 1 }, folder);
});
afterEach(async () => {
  await it_.close();
  rmSync(folder, { recursive: true, force: true });
});

const options = { timeoutMs: 10_000, lingerMs: 0, lastSettledAt: () => undefined };
const refused = async () => {
  const response = await it_.call('POST', '/agents/coder/new', { body: { message: 'say' } });
  return [response.status, response.headers.get('turnwire-code'), response.headers.get('connection')];
};

it('finishes what runs and what is queued, answers reads, and takes nothing new (TW-DRN-001, TW-DRN-002, TW-STR-034)', async () => {
  const running = await it_.admit('one', 'hold');
  const behind = await it_.admit('one', 'say');
  const elsewhere = await it_.admit('two', 'say');
  await until(() => it_.turns.began.length === 1);
  let over = false;
  const drained = drain(it_.harness, options).then(() => {
    over = true;
  });
  expect(await refused()).toEqual([503, 'draining', 'close']);
  expect((await it_.call('GET', '/readyz')).status).toBe(503);
  expect((await it_.call('GET', '/healthz')).status).toBe(204);
  expect((await it_.call('GET', running.streamUrl)).status).toBe(200);
  expect(over).toBe(false);
  it_.turns.release(running.submissionId);
  await drained;
  for (const admitted of [running, behind, elsewhere]) {
    expect((await follow(it_, admitted)).at(-1)).toMatchObject({ outcome: 'completed' });
  }
});

it('leaves what only waits for a delivery on disk, and the next process goes on with it (TW-DRN-003)', async () => {
  const waiting = await it_.admit('one', 'wait say');
  const behind = await it_.admit('one', 'say');
  const later = await it_.admit('two', 'hold wait');
  await until(() => it_.turns.began.length === 2);
  const drained = drain(it_.harness, options);
  // One that comes to wait while it drains is suspended as well.
  it_.turns.release(later.submissionId);
  await drained;
  expect(it_.turns.began).not.toContain(behind.submissionId);
  await it_.close();
  it_ = await startHarness({}, folder);
  expect(it_.turns.began.sort()).toEqual([waiting, later].map(({ submissionId }) => submissionId).sort());
  it_.turns.release(waiting.submissionId);
  const here = (url: string) => it_.url + new URL(url).pathname + new URL(url).search;
  for (const admitted of [waiting, behind]) {
    const records = await follow(it_, { ...admitted, streamUrl: here(admitted.streamUrl) });
    expect(records.at(-1)).toMatchObject({ outcome: 'completed' });
  }
});

it('aborts what is not over in time (TW-DRN-002)', async () => {
  const running = await it_.admit('one', 'hold');
  const behind = await it_.admit('one', 'say');
  const elsewhere = await it_.admit('two', 'say');
  await until(() => it_.turns.began.length === 1);
  await drain(it_.harness, { ...options, timeoutMs: 20 });
  for (const admitted of [running, behind, elsewhere]) {
    expect((await follow(it_, admitted)).at(-1)).toMatchObject({ outcome: 'aborted', error: { code: 'aborted' } });
  }
});

it('lingers after the last settlement, then ends parked reads (TW-DRN-004)', async () => {
  const settledAt = Date.now();
  const admitted = await it_.admit('one', 'wait');
  await until(() => it_.harness.turns.waiting === 1);
  const next = (await it_.call('GET', admitted.streamUrl)).headers.get('stream-next-offset');
  const parked = it_.call('GET', `${admitted.streamUrl}&live=long-poll&offset=${next}`);
  await drain(it_.harness, { ...options, lingerMs: 150, lastSettledAt: () => settledAt });
  expect(Date.now() - settledAt).toBeGreaterThanOrEqual(149);
  expect((await parked).status).toBe(204);
});

it('a second signal settles everything at once, even a turn that hears nothing (TW-DRN-005)', async () => {
  const deaf = await it_.admit('one', 'deaf');
  const behind = await it_.admit('one', 'say');
  await until(() => it_.turns.began.length === 1);
  void drain(it_.harness, options);
  await abandon(it_.harness);
  for (const admitted of [deaf, behind]) {
    expect((await follow(it_, admitted)).at(-1)).toMatchObject({ outcome: 'aborted' });
  }
  it_.turns.release(deaf.submissionId);
});

it('an admission in the same moment as the signal is either refused or finished, never lost', async () => {
  for (let round = 0; round < 10; round++) {
    const iid = `same-${round}`;
    const body = { message: 'say', definition: { model: 'openai/any', instructions: 'x' } };
    const asked = it_.call('POST', `/agents/coder/${iid}`, { body });
    await new Promise((resolve) => setTimeout(resolve, round % 4));
    await drain(it_.harness, options);
    const answer = await asked;
    if (answer.status === 202) {
      const admitted = (await answer.json()) as never;
      expect((await follow(it_, admitted)).at(-1)).toMatchObject({ outcome: 'completed' });
    } else {
      expect(answer.status).toBe(503);
      expect((await it_.call('GET', `/agents/coder/${iid}?view=updates`)).status).toBe(404);
    }
    await it_.close();
    it_ = await startHarness({}, folder);
  }
});

it('an abort ends one that the drain has suspended, and what waits behind it', async () => {
  const suspended = await it_.admit('one', 'wait');
  const behind = await it_.admit('one', 'say');
  await until(() => it_.harness.turns.waiting === 1);
  await drain(it_.harness, options);
  expect(it_.harness.turns.waiting).toBe(0);
  const ids = [suspended, behind].map(({ submissionId }) => submissionId);
  expect(await (await it_.call('POST', '/agents/coder/one/abort')).json()).toEqual({
    aborted: true,
    submissionIds: ids,
  });
});
