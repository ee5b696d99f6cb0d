import { stream } from '@durable-streams/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdmissionView, type Fixture, follow, startHarness, TOKEN, until } from '../testing/harness-fixture.ts';
import { nextCursor } from './cursor.ts';
import { readStreamRequest } from './stream-request.ts';

let it_: Fixture;
beforeEach(async () => {
  it_ = await startHarness();
});
afterEach(() => it_.close());

const settle = async (iid: string, message = 'say') => {
  const admitted = await it_.admit(iid, message);
  await follow(it_, admitted);
  return admitted;
};
const read = async (url: string, headers: Record<string, string> = {}) => {
  const response = await it_.call('GET', url, { headers });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    next: response.headers.get('stream-next-offset'),
    upToDate: response.headers.get('stream-up-to-date'),
    closed: response.headers.get('stream-closed'),
    cursor: response.headers.get('stream-cursor'),
    etag: response.headers.get('etag'),
    cache: response.headers.get('cache-control'),
    code: response.headers.get('turnwire-code'),
  };
};
const types = (body: unknown) => (body as { type: string }[]).map(({ type }) => type);

describe('a catch-up read', () => {
  it('of a closed stream is everything from the start, with its end (TW-STR-003, TW-STR-006, TW-STR-007)', async () => {
    const { streamUrl, offset } = await settle('one');
    for (const from of ['', '&offset=-1', `&offset=${offset}`]) {
      const page = await read(`${streamUrl}${from}`);
      expect(page).toMatchObject({ status: 200, upToDate: 'true', closed: 'true', cursor: null });
      expect(types(page.body).at(-1)).toBe('submission.settled');
      expect(page.body.length).toBe(5);
      expect(page.etag).toBeTruthy();
    }
  });

  it('of an open stream is what there is, and is not the end', async () => {
    const { streamUrl, submissionId } = await it_.admit('one', 'say hold');
    await until(async () => (await read(streamUrl)).body.length === 4);
    const open = await read(streamUrl);
    expect(open).toMatchObject({ status: 200, upToDate: 'true', closed: null });
    it_.turns.release(submissionId);
    await until(async () => (await read(streamUrl)).closed === 'true');
    const rest = await read(`${streamUrl}&offset=${open.next}`);
    expect(types(rest.body)).toEqual(['submission.settled']);
    // It reached the tail before; that it closed since then has to change the tag (TW-STR-009).
    expect((await read(streamUrl)).etag).not.toBe(open.etag);
  });

  it('at the tail is empty and keeps the offset that was asked for (TW-STR-004)', async () => {
    const { streamUrl } = await settle('one');
    const { next } = await read(streamUrl);
    expect(await read(`${streamUrl}&offset=${next}`)).toMatchObject({
      status: 200,
      body: [],
      next,
      upToDate: 'true',
      closed: 'true',
    });
  });

  it('is not sent again to who has it (TW-STR-010)', async () => {
    const { streamUrl } = await settle('one');
    const { etag } = await read(streamUrl);
    for (const names of [etag, `"other", W/${etag}`, '*']) {
      expect(await read(streamUrl, { 'if-none-match': String(names) })).toMatchObject({ status: 304, etag });
    }
    expect((await read(streamUrl, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('from now is empty at the tail, and not to be kept (TW-STR-018)', async () => {
    const { streamUrl } = await settle('one');
    const { next } = await read(streamUrl);
    const now = await read(`${streamUrl}&offset=now`);
    expect(now).toMatchObject({
      status: 200,
      body: [],
      next,
      upToDate: 'true',
      closed: 'true',
      etag: null,
      cache: 'no-store',
    });
  });

  it('of a conversation is all Submissions, open for ever (TW-STR-002), and of one its own alone (TW-STR-001)', async () => {
    const first = await settle('one');
    const second = await settle('one');
    const whole = await read('/agents/coder/one?view=updates');
    expect(whole).toMatchObject({ closed: null, upToDate: 'true' });
    expect(whole.body.length).toBe(10);
    const own = await read(`${second.streamUrl}&offset=${first.offset}`);
    expect(own.body.map(({ submissionId }: AdmissionView) => submissionId)).toEqual(Array(5).fill(second.submissionId));
  });
});

describe('a long-poll', () => {
  it('is answered as soon as a record is there, each once and in order (TW-STR-012)', async () => {
    const { streamUrl, submissionId, offset } = await it_.admit('one', 'hold say');
    await until(async () => (await read(streamUrl)).body.length === 3);
    const { next } = await read(streamUrl);
    const parked = read(`${streamUrl}&live=long-poll&offset=${next}`);
    await until(() => [...it_.harness.conversations.loaded][0]?.watched === true);
    it_.turns.release(submissionId);
    expect(await parked).toMatchObject({ status: 200, upToDate: 'true' });
    expect((await follow(it_, { streamUrl, offset, submissionId })).length).toBe(5);
  });

  it('of a queued Submission is not woken for good by the records of another', async () => {
    const running = await it_.admit('one', 'hold say');
    const queued = await it_.admit('one', 'say');
    const records = follow(it_, queued);
    it_.turns.release(running.submissionId);
    expect(new Set((await records).map(({ submissionId }) => submissionId))).toEqual(new Set([queued.submissionId]));
  });

  it('at the end is answered at once (TW-STR-013)', async () => {
    const { streamUrl } = await settle('one');
    const { next } = await read(streamUrl);
    for (const from of [next, 'now']) {
      const end = await read(`${streamUrl}&live=long-poll&offset=${from}`);
      expect(end).toMatchObject({ status: 204, next, upToDate: 'true', closed: 'true', cursor: null });
    }
  });

  it('is ended with nothing when the Harness ends, at the same offset', async () => {
    const { streamUrl, offset } = await it_.admit('one', 'hold');
    await until(async () => (await read(streamUrl)).body.length === 3);
    const { next } = await read(streamUrl);
    expect(offset < String(next)).toBe(true);
    const parked = read(`${streamUrl}&live=long-poll&offset=${next}&cursor=1`);
    await until(() => [...it_.harness.conversations.loaded][0]?.watched === true);
    it_.harness.closing.abort();
    expect(await parked).toMatchObject({ status: 204, next, upToDate: 'true', closed: null });
  });

  it('leaves nothing behind when its client goes', async () => {
    const { streamUrl } = await it_.admit('one', 'hold');
    const { next } = await read(streamUrl);
    const client = new AbortController();
    const parked = it_
      .call('GET', `${streamUrl}&live=long-poll&offset=${next}`, { signal: client.signal })
      .catch(() => undefined);
    const [conversation] = it_.harness.conversations.loaded;
    await until(() => conversation?.watched === true);
    client.abort();
    await parked;
    await until(() => conversation?.watched === false);
  });

  it('gives a cursor that is strictly greater than one that is not old (TW-STR-014)', () => {
    const now = Date.UTC(2024, 9, 9, 0, 1);
    expect(nextCursor(now, undefined, () => 0)).toBe('3');
    expect(nextCursor(now, 2, () => 0)).toBe('3');
    expect(nextCursor(now, 3, () => 0)).toBe('4');
    expect(Number(nextCursor(now, 9, () => 0.999))).toBeGreaterThan(9);
  });
});

describe('what is not there', () => {
  it.each([
    ['/agents/coder/none?view=updates', 404, 'unknown_conversation'],
    ['/agents/coder/none?view=history', 404, 'unknown_conversation'],
    ['/agents/coder/one?view=updates&submission=none', 404, 'unknown_submission'],
    ['/agents/coder/one?view=updates&offset=abc_0000000000000000', 410, 'stream_gone'],
    ['/agents/coder/one?view=updates&offset=INC_9000000000000000', 410, 'stream_gone'],
    ['/agents/coder/one?view=updates&live=long-poll&offset=INC_9000000000000000', 410, 'stream_gone'],
    ['/agents/coder/one?view=updates&live=sse&offset=INC_9000000000000000', 410, 'stream_gone'],
  ])('%s is %i %s (TW-STR-020, TW-STR-021, TW-STR-022, TW-STR-023, TW-HIS-003)', async (path, status, code) => {
    const { offset } = await settle('one');
    expect(await read(path.replace('INC', String(offset.split('_')[0])))).toMatchObject({ status, code });
  });

  it.each([
    '',
    'view=all',
    'view=updates&offset=',
    'view=updates&offset=7',
    'view=updates&offset=-1&offset=-1',
    'view=updates&live=long-poll',
    'view=updates&live=carrier-pigeon&offset=-1',
    'view=updates&live=long-poll&offset=-1&cursor=x',
    'view=updates&submission=',
  ])('%j is 400 (TW-STR-019)', async (query) => {
    await settle('one');
    expect(await read(`/agents/coder/one?${query}`)).toMatchObject({ status: 400, code: 'bad_request' });
  });

  it('reads what it is asked', () => {
    expect(readStreamRequest({ view: ['updates'], live: ['sse'], offset: ['now'], cursor: ['12'] })).toEqual({
      view: 'updates',
      live: 'sse',
      offset: 'now',
      cursor: 12,
    });
  });
});

describe('HEAD and writes', () => {
  it('HEAD says where the tail is and whether it is the end (TW-STR-024)', async () => {
    const { streamUrl } = await settle('one');
    const { next } = await read(streamUrl);
    const head = await it_.call('HEAD', streamUrl);
    expect(head.status).toBe(200);
    expect(Object.fromEntries(head.headers)).toMatchObject({
      'content-type': 'application/json',
      'stream-next-offset': next,
      'stream-closed': 'true',
      'cache-control': 'no-store',
      'turnwire-version': '1',
    });
    expect((await it_.call('HEAD', '/agents/coder/none?view=updates')).headers.get('turnwire-code')).toBe(
      'unknown_conversation',
    );
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'POST'])('%s is refused with what is allowed (TW-STR-025)', async (method) => {
    const { streamUrl } = await settle('one');
    const refused = await it_.call(method, streamUrl);
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET, HEAD, POST');
    expect(refused.headers.get('turnwire-code')).toBe('method_not_allowed');
  });
});

describe('the public client of Durable Streams', () => {
  const headers = { authorization: `Bearer ${TOKEN}` };

  it.each([false, 'long-poll', 'sse'] as const)('reads a finished stream to its end, live: %s', async (live) => {
    const { streamUrl } = await settle('one', 'say say say');
    const opened = await stream<{ type: string }>({ url: streamUrl, offset: '-1', live, headers });
    const items: { type: string }[] = [];
    for await (const item of opened.jsonStream()) items.push(item);
    expect(types(items)).toEqual([
      'submission.queued',
      'submission.started',
      ...Array(4).fill('message.appended'),
      'submission.settled',
    ]);
  });

  it.each(['long-poll', 'sse'] as const)('follows a stream that is being written, live: %s', async (live) => {
    const { streamUrl, submissionId, offset } = await it_.admit('one', 'say hold say');
    const opened = await stream<{ type: string }>({ url: streamUrl, offset, live, headers });
    const items: { type: string }[] = [];
    const reading = (async () => {
      for await (const item of opened.jsonStream()) items.push(item);
    })();
    await until(() => items.length === 4, 'what was written so far');
    it_.turns.release(submissionId);
    await reading;
    expect(types(items)).toEqual([
      'submission.queued',
      'submission.started',
      ...Array(3).fill('message.appended'),
      'submission.settled',
    ]);
  });
});

describe('server-sent events', () => {
  it('are data, then always control, and end with the stream (TW-STR-015, TW-STR-016)', async () => {
    const { streamUrl } = await settle('one');
    const { next } = await read(streamUrl);
    const response = await it_.call('GET', `${streamUrl}&live=sse&offset=-1`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = (await response.text()).trim().split('\n\n');
    expect(events.map((event) => event.split('\n')[0])).toEqual(['event: data', 'event: control']);
    expect(JSON.parse(String(events[1]?.split('data: ')[1]))).toEqual({
      streamNextOffset: next,
      upToDate: true,
      streamClosed: true,
    });
  });

  it('from now begin with a control at the tail', async () => {
    const { streamUrl } = await it_.admit('one', 'hold');
    const response = await it_.call('GET', `${streamUrl}&live=sse&offset=now`);
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toMatch(/^event: control\ndata: .*"streamCursor"/);
    it_.harness.closing.abort();
  });
});
