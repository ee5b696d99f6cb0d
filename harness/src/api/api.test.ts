import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_WAITING } from '../limits.ts';
import { DEFINITION, type Fixture, follow, startHarness, until } from '../testing/harness-fixture.ts';

let it_: Fixture;
beforeEach(async () => {
  it_ = await startHarness();
});
afterEach(() => it_.close());

const problem = async (response: Response) => ({
  status: response.status,
  code: response.headers.get('turnwire-code'),
  body: (await response.json()) as { code: string; detail: string; problems?: { path: string }[] },
});

describe('every answer', () => {
  it.each([
    ['GET', '/healthz', 204],
    ['GET', '/readyz', 204],
    ['GET', '/.well-known/turnwire', 200],
    ['GET', '/metrics', 200],
    ['GET', '/nowhere', 404],
    ['GET', '/agents/coder/none?view=history', 404],
    ['PUT', '/agents/coder/none', 405],
    ['GET', '/agents/coder/none', 400],
  ])(
    '%s %s is %i and carries the version and the store (TW-GEN-001, TW-GEN-003, TW-ADM-001)',
    async (method, path, status) => {
      const response = await it_.call(method, path);
      expect(response.status).toBe(status);
      expect(response.headers.get('turnwire-version')).toBe('1');
      expect(response.headers.get('turnwire-store')).toBe(it_.harness.folder.store);
    },
  );

  it('says what this Harness is (TW-GEN-016)', async () => {
    expect(await (await it_.call('GET', '/.well-known/turnwire')).json()).toEqual({
      role: 'harness',
      version: '1',
      software: { name: 'test', version: '0' },
      store: it_.harness.folder.store,
      capabilities: { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true },
    });
  });
});

describe('the token', () => {
  it.each([
    ['POST', '/agents/coder/x'],
    ['GET', '/agents/coder/x?view=updates'],
    ['POST', '/agents/coder/x/abort'],
    ['GET', '/.well-known/turnwire'],
    ['GET', '/metrics'],
    ['GET', '/nowhere'],
  ])('is asked for before anything else by %s %s (TW-TOK-015, TW-TOK-016)', async (method, path) => {
    for (const authorization of ['', 'Bearer wrong', 'Basic eDp5', 'Bearer']) {
      const refused = await it_.call(method, path, {
        headers: { authorization },
        ...(method === 'POST' ? { body: '{not json' } : {}),
      });
      expect(await problem(refused)).toMatchObject({ status: 401, code: 'unauthorized' });
    }
    expect([...it_.harness.conversations.loaded]).toEqual([]);
  });
});

describe('an admission', () => {
  it('is answered with its durable handle, and its turn runs (TW-ADM-002, TW-ADM-011, TW-ADM-013)', async () => {
    const admitted = await it_.admit('one', 'say', { turnId: 't1' });
    expect(admitted.streamUrl).toBe(`${it_.url}/agents/coder/one?view=updates&submission=${admitted.submissionId}`);
    const records = await follow(it_, admitted);
    expect(records.map(({ type }) => type)).toEqual([
      'submission.queued',
      'submission.started',
      'message.appended',
      'message.appended',
      'submission.settled',
    ]);
    // TW-STR-029, TW-STR-030.
    const stamp = { submissionId: admitted.submissionId, turnId: 't1', at: expect.stringMatching(/^\d{4}-.*Z$/) };
    for (const record of records) expect(record).toMatchObject(stamp);
    expect(records.at(-1)).toMatchObject({ outcome: 'completed' });
  });

  it('with a known key is the first one again, and runs once (TW-GEN-018, TW-GEN-019)', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const body = { message: 'say', definition: DEFINITION };
    const answers = await Promise.all(
      [body, { definition: DEFINITION, message: 'say' }, body].map((sent) =>
        it_.call('POST', '/agents/coder/one', { body: sent, headers }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(answers.map((answer) => answer.headers.get('idempotency-replayed')).sort()).toEqual(
      [null, 'true', 'true'].sort(),
    );
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[2]).toEqual(bodies[0]);
    const other = await it_.call('POST', '/agents/coder/one', { body: { ...body, message: 'other' }, headers });
    expect(await problem(other)).toMatchObject({ status: 409, code: 'idempotency_mismatch' });
    await follow(it_, bodies[0] as never);
    expect(it_.turns.began.length).toBe(1);
  });

  it('to a full queue is refused with Retry-After, and one more fits when one is over (TW-ADM-010)', async () => {
    const first = await it_.admit('one', 'hold');
    for (let index = 0; index < MAX_WAITING; index++) await it_.admit('one', 'say');
    const refused = await it_.call('POST', '/agents/coder/one', { body: { message: 'x', definition: DEFINITION } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await problem(refused)).toMatchObject({ status: 429, code: 'queue_full' });
    it_.turns.release(first.submissionId);
    await follow(it_, first);
    await it_.admit('one', 'say');
  });

  it('meant for another data folder queues nothing (TW-ADM-005)', async () => {
    const body = { message: 'say', definition: DEFINITION };
    const headers = { 'turnwire-expect-store': 'another' };
    const refused = await it_.call('POST', '/agents/coder/one', { body, headers });
    expect(await problem(refused)).toMatchObject({ status: 412, code: 'store_changed' });
    expect((await it_.call('GET', '/agents/coder/one?view=history')).status).toBe(404);
    await it_.admit('one', 'say', {}, { 'turnwire-expect-store': it_.harness.folder.store });
  });

  it.each([
    ['no definition and no such agent', { message: 'x' }, 404, 'unknown_agent'],
    ['an unknown model', { message: 'x', definition: { ...DEFINITION, model: 'acme/x' } }, 422, 'invalid'],
    ['an unknown model on top', { message: 'x', definition: DEFINITION, model: 'acme/x' }, 422, 'invalid'],
    ['a definition without instructions', { message: 'x', definition: { model: 'openai/x' } }, 422, 'invalid'],
    ['a message of the wrong type', { message: 1, definition: DEFINITION }, 422, 'invalid'],
    ['no object', '[]', 422, 'invalid'],
    ['no JSON', '{', 400, 'bad_request'],
    ['deep nesting', '['.repeat(100_000), 400, 'bad_request'],
  ])(
    'with %s is refused and leaves nothing behind (TW-ADM-006, TW-ADM-007, TW-ADM-018, TW-GEN-005, TW-GEN-007)',
    async (_what, body, status, code) => {
      const refused = await it_.call('POST', '/agents/coder/one', { body, headers: { 'idempotency-key': 'k' } });
      expect(await problem(refused)).toMatchObject({ status, code, body: { code, status } });
      expect((await it_.call('GET', '/agents/coder/one?view=updates')).status).toBe(404);
      expect([...it_.harness.conversations.loaded]).toEqual([]);
    },
  );

  it.each(['a%2fb', 'a%00b', '%F0%9F%98%80', 'x'.repeat(129), 'a%20b', '%'])(
    'to the iid %s is refused (TW-GEN-026)',
    async (iid) => {
      const body = { message: 'say', definition: DEFINITION };
      const refused = await it_.call('POST', `/agents/coder/${iid}`, { body });
      expect(await problem(refused)).toMatchObject({ status: 400, code: 'bad_request' });
    },
  );

  it('with a key that is too long is refused', async () => {
    const body = { message: 'say', definition: DEFINITION };
    const refused = await it_.call('POST', '/agents/coder/one', {
      body,
      headers: { 'idempotency-key': 'k'.repeat(129) },
    });
    expect(await problem(refused)).toMatchObject({ status: 400, code: 'bad_request' });
  });

  it('without a definition runs the configured agent, its own fields on top (TW-ADM-008, TW-ADM-009)', async () => {
    const body = {
      message: 'say',
      model: 'openai/other',
      limits: { maxToolCalls: 3 },
      thinkingLevel: 'low',
      notices: ['n'],
    };
    const response = await it_.call('POST', '/agents/configured/one', { body });
    expect(response.status).toBe(202);
    await until(() => it_.turns.inputs.length === 1);
    expect(it_.turns.inputs[0]).toMatchObject({
      agentName: 'configured',
      definition: { ...DEFINITION, model: 'openai/other', limits: { maxToolCalls: 3 }, thinkingLevel: 'low' },
      notices: ['n'],
    });
  });

  it('under the name of another agent is refused: a conversation has one', async () => {
    const admitted = await it_.admit('one', 'say');
    const refused = await it_.call('POST', '/agents/other/one', { body: { message: 'say', definition: DEFINITION } });
    expect(await problem(refused)).toMatchObject({ status: 422, code: 'invalid' });
    const read = await it_.call('GET', admitted.streamUrl.replace('/coder/', '/other/'));
    expect(await problem(read)).toMatchObject({ status: 404, code: 'unknown_conversation' });
  });

  it('runs conversations side by side up to the concurrency, waiting ones not counted (TW-ADM-015)', async () => {
    await it_.close();
    it_ = await startHarness({ concurrency: 1 });
    const waiting = await it_.admit('a', 'wait say');
    await until(() => it_.harness.turns.waiting === 1);
    const holding = await it_.admit('b', 'hold');
    await until(() => it_.turns.began.length === 2);
    const third = await it_.admit('c', 'say');
    it_.turns.release(waiting.submissionId);
    // Its pick is answered, and it stands before the third one for the slot that the second has.
    await until(() => it_.harness.turns.waiting === 0);
    it_.turns.release(holding.submissionId);
    await Promise.all([waiting, holding, third].map((admitted) => follow(it_, admitted)));
    expect(it_.turns.began).toEqual([waiting, holding, third].map(({ submissionId }) => submissionId));
    expect(it_.turns.overlaps).toBe(0);
  });

  it('whose turn is a defect settles failed and says so', async () => {
    const records = await follow(it_, await it_.admit('one', 'throw'));
    expect(records.at(-1)).toMatchObject({ outcome: 'failed', error: { code: 'engine_failed' } });
  });
});

describe('the history', () => {
  it('is the whole conversation with the state of each Submission (TW-HIS-001, TW-HIS-002, TW-HIS-004)', async () => {
    const first = await it_.admit('one', 'say', { turnId: 't1' });
    await follow(it_, first);
    const second = await it_.admit('one', 'wait');
    const third = await it_.admit('one', 'say');
    const read = async () =>
      (await it_.call('GET', '/agents/coder/one?view=history')).json() as Promise<Record<string, unknown>>;
    await until(async () => JSON.stringify(await read()).includes('"waiting"'));
    const history = await read();
    expect(history).toMatchObject({
      conversationId: 'one',
      submissions: [
        { submissionId: first.submissionId, turnId: 't1', state: 'settled', settlement: { outcome: 'completed' } },
        { submissionId: second.submissionId, state: 'waiting' },
        { submissionId: third.submissionId, state: 'queued' },
      ],
    });
    expect((history.messages as { role: string }[]).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(history.offset).toBe(`${String(history.incarnation)}_${String(history.offset).split('_')[1]}`);
  });
});
