import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FeedEvent } from '../host/port.ts';
import { frameText } from './feed.ts';
import { AT, snapshot } from './host.fixture.ts';
import { INSTANCE, type Serving, serveFake } from './serving.fixture.ts';

let serving: Serving;
beforeEach(async () => {
  serving = await serveFake({ feedCommentMs: 40 });
});
afterEach(() => serving.close());

const read = (path: string, signal?: AbortSignal) =>
  fetch(serving.url + path, { headers: { authorization: `Bearer ${INSTANCE}` }, ...(signal && { signal }) });

const status = (id: string, value: string): FeedEvent => ({
  id,
  type: 'run.status',
  at: AT,
  runId: 'run_1',
  data: { workflow: 'review', status: value, value: 'x' },
});

/** A feed that yields, then waits for the reader to go or the process to stop. */
function quietFeed(frames: FeedEvent[], ended: { value: boolean }): Serving['host']['feed'] {
  return async function* feed(_runId, signal) {
    try {
      yield* frames;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    } finally {
      ended.value = true;
    }
  };
}

describe('a feed', () => {
  it('is a snapshot first, then what is committed, and ends with its source (TW-FED-001, TW-FED-003, TW-FED-005)', async () => {
    serving.host.will('feed', async function* feed() {
      yield snapshot();
      yield status('2', 'active');
      yield status('3', 'done');
    });
    const response = await read('/runs/run_1/events');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const frames = (await response.text()).split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
    expect(frames.map((frame) => /event: (.*)/.exec(frame)?.[1])).toEqual(['snapshot', 'run.status', 'run.status']);
    expect(frames[2]).toBe(frameText(status('3', 'done')).trimEnd());
    expect(serving.host.calls[0]?.slice(0, 2)).toEqual(['feed', 'run_1']);
  });

  it('carries the id and the time of the record (TW-FED-002)', () => {
    const [id, event, data] = frameText(status('7', 'active')).split('\n');
    expect([id, event]).toEqual(['id: 7', 'event: run.status']);
    expect(JSON.parse(data?.slice('data: '.length) ?? '')).toEqual({
      id: '7',
      type: 'run.status',
      at: AT,
      runId: 'run_1',
      workflow: 'review',
      status: 'active',
      value: 'x',
    });
  });

  it('says that it is alive while it is quiet (TW-FED-004)', async () => {
    const ended = { value: false };
    serving.host.will('feed', quietFeed([snapshot()], ended));
    const leave = new AbortController();
    const response = await read('/events', leave.signal);
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.split('\n\n: still here').length > 2) break;
    }
    expect(text).toMatch(/^id: 1\n.*\n\n: still here\n\n: still here\n\n/s);
    leave.abort();
    // The host's side is let go with the reader.
    await expect.poll(() => ended.value).toBe(true);
    expect(serving.host.calls[0]?.[1]).toBeUndefined();
  });

  it('ends when the process stops', async () => {
    const ended = { value: false };
    serving.host.will('feed', quietFeed([snapshot()], ended));
    const response = await read('/runs/run_1/events');
    const text = response.text();
    serving.service.stop();
    expect(await text).toContain('event: snapshot');
    expect(ended.value).toBe(true);
  });

  it('that fails on the way ends, and the next one is served', async () => {
    serving.host.will('feed', async function* feed() {
      yield snapshot();
      throw new Error('the store is gone');
    });
    expect(await (await read('/runs/run_1/events')).text()).not.toContain('store is gone');
    expect((await read('/runs/run_1/events')).status).toBe(200);
  });
});
