import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFINITION, type Fixture, follow, startHarness, until } from '../testing/harness-fixture.ts';

let it_: Fixture;
beforeEach(async () => {
  it_ = await startHarness();
});
afterEach(() => it_.close());

const abort = async (iid: string, body?: object) => {
  const response = await it_.call('POST', `/agents/coder/${iid}/abort`, body ? { body } : {});
  return { status: response.status, ...((await response.json()) as { aborted: boolean; submissionIds: string[] }) };
};
const NOTHING = { status: 200, aborted: false, submissionIds: [] };

describe('an abort', () => {
  it('ends what runs and what waits, and answers when it is over (TW-ABT-001, TW-ABT-005, TW-ABT-009)', async () => {
    const admitted = [await it_.admit('one', 'hold'), await it_.admit('one', 'say'), await it_.admit('one', 'say')];
    await until(() => it_.turns.began.length === 1);
    const ids = admitted.map(({ submissionId }) => submissionId);
    expect(await abort('one')).toEqual({ status: 200, aborted: true, submissionIds: ids });
    const history = (await (await it_.call('GET', '/agents/coder/one?view=history')).json()) as {
      submissions: object[];
    };
    expect(history.submissions).toEqual(
      ids.map((submissionId) =>
        expect.objectContaining({
          submissionId,
          state: 'settled',
          settlement: expect.objectContaining({ outcome: 'aborted' }),
        }),
      ),
    );
    expect(it_.turns.began).toEqual([ids[0]]);
  });

  it('with a fence leaves later ones alone (TW-ABT-002)', async () => {
    const first = await it_.admit('one', 'hold', { turnId: 't1' });
    const second = await it_.admit('one', 'say', { turnId: 't2' });
    const third = await it_.admit('one', 'say', { turnId: 't3' });
    expect(await abort('one', { turnId: 't2' })).toMatchObject({
      submissionIds: [first.submissionId, second.submissionId],
    });
    expect((await follow(it_, third)).at(-1)).toMatchObject({ outcome: 'completed' });
    // A late one of a turn that is over touches nothing.
    const fourth = await it_.admit('one', 'hold', { turnId: 't4' });
    expect(await abort('one', { submissionId: first.submissionId })).toEqual(NOTHING);
    expect(await abort('one', { turnId: 't1' })).toEqual(NOTHING);
    it_.turns.release(fourth.submissionId);
    expect((await follow(it_, fourth)).at(-1)).toMatchObject({ outcome: 'completed' });
  });

  it('of what is idle, settled or unknown ends nothing and creates nothing (TW-ABT-004)', async () => {
    expect(await abort('none')).toEqual(NOTHING);
    expect(await abort('none', { submissionId: 'sub_x' })).toEqual(NOTHING);
    expect([...it_.harness.conversations.loaded]).toEqual([]);
    await follow(it_, await it_.admit('one', 'say'));
    expect(await abort('one')).toEqual(NOTHING);
  });

  it('of a turn that was not admitted yet is remembered, before the conversation is there, too (TW-ABT-003)', async () => {
    expect(await abort('one', { turnId: 'late' })).toEqual(NOTHING);
    expect((await it_.call('GET', '/agents/coder/one?view=updates')).status).toBe(404);
    const records = await follow(it_, await it_.admit('one', 'say', { turnId: 'late' }));
    expect(records.map(({ type }) => type)).toEqual(['submission.queued', 'submission.settled']);
    expect(records.at(-1)).toMatchObject({ outcome: 'aborted', error: { code: 'aborted' } });
    expect(it_.turns.began).toEqual([]);
    expect((await follow(it_, await it_.admit('one', 'say', { turnId: 'other' }))).at(-1)).toMatchObject({
      outcome: 'completed',
    });
  });

  it('ends one that waits for a delivery', async () => {
    const admitted = await it_.admit('one', 'wait');
    await until(() => it_.harness.turns.waiting === 1);
    expect(await abort('one')).toMatchObject({ aborted: true, submissionIds: [admitted.submissionId] });
  });

  it('of a turn that does not hear it settles it all the same, and names it', async () => {
    const admitted = await it_.admit('one', 'deaf say');
    await until(() => it_.turns.began.length === 1);
    expect(await abort('one')).toMatchObject({ submissionIds: [admitted.submissionId] });
    it_.turns.release(admitted.submissionId);
    const next = await it_.admit('one', 'say');
    await follow(it_, next);
    // What the left turn said after that was not heard.
    const records = await follow(it_, admitted);
    expect(records.map(({ type }) => type).slice(-2)).toEqual(['message.appended', 'submission.settled']);
    expect(records.length).toBe(4);
  });

  it('sent twice settles once; a copy that comes too late ended nothing', async () => {
    const admitted = await it_.admit('one', 'hold');
    const both = await Promise.all([abort('one'), abort('one')]);
    const named = both.map(({ submissionIds }) => submissionIds).sort((a, b) => b.length - a.length);
    expect(named[0]).toEqual([admitted.submissionId]);
    expect([[], [admitted.submissionId]]).toContainEqual(named[1]);
    expect((await follow(it_, admitted)).filter(({ type }) => type === 'submission.settled').length).toBe(1);
  });

  it.each([
    ['[]', 422],
    ['{"submissionId": 7}', 422],
    ['{', 400],
  ])('with the body %s is %i', async (body, status) => {
    expect((await it_.call('POST', '/agents/coder/one/abort', { body })).status).toBe(status);
  });
});

it('races: whenever an abort comes, there is exactly one terminal record and turns do not overlap (TW-STR-030)', async () => {
  const delays = [0, 0, 1, 2, 5];
  for (let round = 0; round < 60; round++) {
    const iid = `race-${round % 7}`;
    const admitted = await it_.admit(iid, 'say hold say');
    const released = sleep(delays[round % 5] ?? 0).then(() => it_.turns.release(admitted.submissionId));
    const [{ submissionIds }] = await Promise.all([
      sleep(delays[(round * 3) % 5] ?? 0).then(() => abort(iid, { submissionId: admitted.submissionId })),
      released,
    ]);
    const terminal = (await follow(it_, admitted)).filter(({ type }) => type === 'submission.settled');
    expect(terminal.length).toBe(1);
    expect(submissionIds).toEqual(terminal[0]?.outcome === 'aborted' ? [admitted.submissionId] : []);
  }
  expect(it_.turns.overlaps).toBe(0);
});

it('an admission that is sent while the abort of its conversation is under way is a later one', async () => {
  await it_.admit('one', 'hold');
  const [answer, later] = await Promise.all([
    abort('one'),
    sleep(1).then(() => it_.call('POST', '/agents/coder/one', { body: { message: 'say', definition: DEFINITION } })),
  ]);
  expect(answer.submissionIds.length).toBeGreaterThan(0);
  const { submissionId } = (await later.json()) as { submissionId: string };
  await until(() => it_.turns.began.includes(submissionId) || answer.submissionIds.includes(submissionId));
});
