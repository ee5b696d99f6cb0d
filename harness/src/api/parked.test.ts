import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openStream, type Stream } from '../host/stream.ts';
import { type Fixture, startHarness, until } from '../testing/harness-fixture.ts';
import { serverSentEvents } from './sse.ts';
import { longPoll } from './stream.ts';

let it_: Fixture;
let stream: Stream;
beforeEach(async () => {
  it_ = await startHarness();
  const { submissionId } = await it_.admit('one', 'hold');
  stream = openStream(it_.harness.conversations, 'coder', 'one', submissionId);
  await until(() => stream.range.tail - stream.range.first === 3);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await it_.close();
});

const live = { now: () => Date.now(), random: () => 0, signals: [] };

it('a long-poll is parked for 25 s, no longer (TW-STR-011)', async () => {
  let answer: Response | undefined;
  const asked = longPoll(stream, { view: 'updates', offset: 'now', live: 'long-poll', cursor: 1 }, live).then(
    (response) => {
      answer = response;
    },
  );
  await vi.advanceTimersByTimeAsync(24_999);
  expect(answer).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await asked;
  expect(answer?.status).toBe(204);
  expect(answer?.headers.get('stream-up-to-date')).toBe('true');
  expect(Number(answer?.headers.get('stream-cursor'))).toBeGreaterThan(1);
  expect(stream.conversation.watched).toBe(false);
});

it('server-sent events say something in a silence, and end after a minute (TW-STR-017)', async () => {
  const response = serverSentEvents(stream, { view: 'updates', offset: 'now', live: 'sse' }, live);
  const text = response.text();
  await vi.advanceTimersByTimeAsync(61_000);
  const frames = (await text).trim().split('\n\n');
  expect(frames[0]).toMatch(/^event: control/);
  expect(frames.slice(1)).toEqual(Array(4).fill(': still here'));
});

it('a reader that goes leaves nothing behind', async () => {
  const response = serverSentEvents(stream, { view: 'updates', offset: 'now', live: 'sse' }, live);
  const reader = response.body?.getReader();
  await reader?.read();
  void reader?.read();
  await vi.waitFor(() => expect(stream.conversation.watched).toBe(true));
  await reader?.cancel();
  expect(stream.conversation.watched).toBe(false);
});
