import { describe, expect, it } from 'vitest';
import { type StreamRecord, wait } from './index.ts';
import { foreign, freePort, ours, type Peer, problem, type Reply } from './testing/peer.ts';
import { faultOf, stage } from './testing/stage.ts';

const { peerOf, connected } = stage();
const path = '/agents/coder/i1?view=updates&submission=s1';

const record = (type: string, more: object = {}) => ({ type, submissionId: 's1', at: '2026-01-01T00:00:00Z', ...more });
const settled = record('submission.settled', { outcome: 'completed' });

function page(records: object[], next: string, more: Record<string, string> = {}): Reply {
  return ours(200, records, { 'stream-next-offset': next, ...more });
}

const upToDate = { 'stream-up-to-date': 'true' };
const end = { ...upToDate, 'stream-closed': 'true' };

async function all(records: AsyncIterable<StreamRecord>): Promise<string[]> {
  const types: string[] = [];
  for await (const each of records) types.push(each.type);
  return types;
}

describe('wait', () => {
  it('catches up, then long-polls with the cursor that it was given, and ends with the Settlement', async () => {
    const script = [
      page([record('submission.queued')], 'a_1', { ...upToDate, 'stream-cursor': '100' }),
      ours(204, undefined, { 'stream-next-offset': 'a_1', ...upToDate, 'stream-cursor': '101' }),
      page([record('submission.started'), settled], 'a_3', end),
    ];
    const peer = await peerOf((_, count) => script[count - 1] ?? 'hang');
    const { connection, lines } = connected(peer.url);
    const waiting = wait(connection, { streamUrl: peer.url + path, offset: 'a_0' });
    expect(await all(waiting)).toEqual(['submission.queued', 'submission.started', 'submission.settled']);
    expect(waiting.offset).toBe('a_3');
    expect(await waiting.settlement()).toEqual({ outcome: 'completed' });
    const asked = peer.seen.map(({ query }) => [query.get('offset'), query.get('live'), query.get('cursor')]);
    expect(asked).toEqual([
      ['a_0', null, null],
      ['a_1', 'long-poll', '100'],
      ['a_1', 'long-poll', '101'],
    ]);
    expect(peer.seen.every(({ query }) => query.get('submission') === 's1')).toBe(true);
    // A parked poll that brought nothing is no trouble.
    expect(lines).toEqual([]);
  });

  it('TW-RET-014: two cuts without a byte carry the same offset', async () => {
    const script: (Reply | 'reset' | 'close')[] = ['reset', 'close', page([settled], 'a_9', end)];
    const peer = await peerOf((_, count) => script[count - 1] ?? 'hang');
    const { connection, clock, lines } = connected(peer.url);
    const settlement = await wait(connection, { streamUrl: path, offset: 'a_7' }).settlement();
    expect(settlement.outcome).toBe('completed');
    expect(peer.seen.map(({ query }) => query.get('offset'))).toEqual(['a_7', 'a_7', 'a_7']);
    expect(clock.slept).toEqual([125, 250]);
    expect(lines).toMatchObject([{ seat: 'stream', attempts: 3, ok: true }]);
  });

  it('TW-CER-010: a page that was cut is read again from its beginning', async () => {
    const whole = page([record('submission.queued'), settled], 'a_2', end);
    const peer = await peerOf((_, count) => (count === 1 ? { ...whole, cut: true } : whole));
    const { connection } = connected(peer.url);
    const waiting = wait(connection, { streamUrl: path, offset: 'a_0' });
    expect(await all(waiting)).toEqual(['submission.queued', 'submission.settled']);
    expect(peer.seen.map(({ query }) => query.get('offset'))).toEqual(['a_0', 'a_0']);
  });

  it('TW-RET-019: an answer resets the ladder', async () => {
    const nothing = ours(204, undefined, { 'stream-next-offset': 'a_0', ...upToDate });
    const script: (Reply | 'reset')[] = ['reset', 'reset', 'reset', nothing, 'reset', page([settled], 'a_1', end)];
    const peer = await peerOf((_, count) => script[count - 1] ?? 'hang');
    const { connection, clock } = connected(peer.url);
    await wait(connection, { streamUrl: path, offset: 'a_0' }).settlement();
    expect(clock.slept.slice(0, 3)).toEqual([125, 250, 500]);
    expect(clock.slept.at(-1)).toBeLessThanOrEqual(250);
  });

  it('TW-CER-002, TW-RET-021: whatever stands in between is waited out, without a window', async () => {
    const port = await freePort();
    const { connection, clock, lines } = connected(`http://127.0.0.1:${port}`);
    let peer: Peer | undefined;
    const script = [foreign(502), foreign(404), problem(503, 'draining'), foreign(200), page([settled], 'a_1', end)];
    clock.onSleep = async (count) => {
      if (count === 40) peer = await peerOf((_, asked) => script[asked - 1] ?? 'hang', port);
    };
    await wait(connection, { streamUrl: path, offset: 'a_0' }).settlement();
    expect(peer?.seen).toHaveLength(5);
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(90_000);
    expect(lines).toMatchObject([{ ok: true, withinBudget: false }]);
  });

  it.each([
    [404, 'unknown_conversation', 'conversation_lost'],
    [404, 'unknown_submission', 'bad_response'],
    [404, 'not_found', 'bad_response'],
    [410, 'stream_gone', 'stream_gone'],
    [401, 'unauthorized', 'unauthorized'],
    [403, 'forbidden', 'forbidden'],
    [400, 'bad_request', 'bad_response'],
  ])('TW-RET-026: %i %s is the fault %s at once', async (status, code, expected) => {
    const peer = await peerOf(() => problem(status, code));
    const { connection } = connected(peer.url);
    const fault = await faultOf(wait(connection, { streamUrl: path, offset: 'a_0' }).settlement());
    expect(fault).toMatchObject({ code: expected, status, seat: 'stream', attempts: 1, certainty: 'answered' });
  });

  it.each([
    ['TW-STR-005: no next offset', ours(200, [settled])],
    ['records without a new offset', page([record('submission.queued')], 'a_0')],
    ['TW-STR-023: an end without a Settlement', page([], 'a_0', end)],
  ])('%s is a bad_response', async (_, reply) => {
    const peer = await peerOf(() => reply);
    const { connection } = connected(peer.url);
    expect((await faultOf(wait(connection, { streamUrl: path, offset: 'a_0' }).settlement())).code).toBe(
      'bad_response',
    );
    expect(peer.seen).toHaveLength(1);
  });

  it('TW-RUN-013: a stream on another origin is a bad_response, and is not asked', async () => {
    const other = await peerOf(() => page([settled], 'a_1', end));
    const peer = await peerOf(() => page([settled], 'a_1', end));
    const { connection } = connected(peer.url);
    const fault = await faultOf(wait(connection, { streamUrl: other.url + path, offset: 'a_0' }).settlement());
    expect(fault.code).toBe('bad_response');
    expect([...other.seen, ...peer.seen]).toEqual([]);
  });

  it('an idle connection is noticed by the timer of the attempt', async () => {
    const script: (Reply | 'hang')[] = ['hang', page([settled], 'a_1', end)];
    const peer = await peerOf((_, count) => script[count - 1] ?? 'hang');
    const { connection, lines } = connected(peer.url);
    await wait(connection, { streamUrl: path, offset: 'a_0' }, { attemptMs: 60 }).settlement();
    expect(peer.seen).toHaveLength(2);
    expect(lines[0]).toMatchObject({ last: 'attempt_timeout', attempts: 2 });
  });

  it('ends with the fault `aborted` when its signal does, and with nothing when its reader leaves', async () => {
    const controller = new AbortController();
    const peer = await peerOf((_, count) =>
      count === 1 ? page([record('submission.queued')], 'a_1', upToDate) : 'hang',
    );
    const { connection } = connected(peer.url);
    const waiting = wait(connection, { streamUrl: path, offset: 'a_0' }, { signal: controller.signal });
    for await (const each of waiting) {
      expect(each.type).toBe('submission.queued');
      break;
    }
    expect(peer.seen).toHaveLength(1);
    const again = wait(connection, { streamUrl: path, offset: 'a_1' }, { signal: controller.signal }).settlement();
    controller.abort();
    expect((await faultOf(again)).code).toBe('aborted');
  });
});
