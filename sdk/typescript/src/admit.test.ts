import { describe, expect, it } from 'vitest';
import { admit } from './index.ts';
import { foreign, freePort, ours, type Peer, problem } from './testing/peer.ts';
import { faultOf, stage } from './testing/stage.ts';

const { peerOf, connected } = stage();

const admission = {
  streamUrl: 'http://h/agents/coder/i1?view=updates&submission=s1',
  offset: 'a_0',
  submissionId: 's1',
};
const taken = ours(202, admission, { 'turnwire-store': 'store-a' });
const input = { name: 'coder', iid: 'i1', body: { message: 'hello' }, key: 'k1' };

function circular(): { message: string } {
  const body: { message: string; self?: unknown } = { message: 'round' };
  body.self = body;
  return body;
}

describe('admit', () => {
  it('TW-ADM-003, TW-RET-024: sends the key, the exact body and the token, once, and asks nothing before', async () => {
    const peer = await peerOf(() => taken);
    const { connection, clock, lines } = connected(peer.url);
    const text = '{"message": "hello",  "notices":[]}';
    const got = await admit(connection, { ...input, body: text, expectStore: 'store-a' });
    expect(got).toMatchObject({ admission, store: 'store-a', replayed: false, attempts: 1 });
    expect(peer.seen).toHaveLength(1);
    expect(peer.seen[0]).toMatchObject({ method: 'POST', path: '/agents/coder/i1', body: text });
    expect(peer.seen[0]?.headers).toMatchObject({
      'idempotency-key': 'k1',
      'turnwire-expect-store': 'store-a',
      authorization: 'Bearer secret-token',
      'content-type': 'application/json',
    });
    expect(clock.slept).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('TW-RET-006, TW-RET-022: a refused dial is sent again until the peer is up, and costs one line', async () => {
    const port = await freePort();
    const { connection, clock, lines } = connected(`http://127.0.0.1:${port}`);
    let peer: Peer | undefined;
    clock.onSleep = async (count) => {
      if (count === 2) peer = await peerOf(() => taken, port);
    };
    const got = await admit(connection, input);
    expect(got.attempts).toBe(3);
    expect(peer?.seen).toHaveLength(1);
    expect(clock.slept).toEqual([125, 250]);
    expect(lines).toHaveLength(1);
    const url = `http://127.0.0.1:${port}/agents/coder/i1`;
    expect(lines[0]?.msg).toBe(`turnwire.routability seat=admission attempts=3 ms=375 last=ECONNREFUSED url=${url}`);
    expect(lines[0]).toMatchObject({ ok: true, withinBudget: true, attempts: 3 });
    expect(lines[0]?.msg).not.toContain('secret');
  });

  it('TW-RET-021: exhaustion names seat, address, errno, attempts and time, and keeps the window of 90 s', async () => {
    const port = await freePort();
    const { connection, clock } = connected(`http://127.0.0.1:${port}`, { random: () => 0.999 });
    const fault = await faultOf(admit(connection, input));
    expect(fault).toMatchObject({
      seat: 'admission',
      certainty: 'never_delivered',
      code: 'unreachable',
      status: undefined,
    });
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(90_000, 3);
    expect(fault.message).toBe(
      `admission: connect ECONNREFUSED 127.0.0.1:${port} after ${fault.attempts} attempts in 90000 ms`,
    );
    expect(fault.attempts).toBe(clock.slept.length + 1);
  });

  it('TW-RET-003: a reset after the whole request is admission_unknown without a known store', async () => {
    const peer = await peerOf(() => 'reset');
    const { connection } = connected(peer.url);
    const fault = await faultOf(admit(connection, { ...input, idempotentAdmissions: true }));
    expect(fault).toMatchObject({ code: 'admission_unknown', certainty: 'unknown', attempts: 1 });
    expect(peer.seen).toHaveLength(1);
  });

  it('TW-RET-003: nor is it sent again to a Harness without idempotentAdmissions', async () => {
    const peer = await peerOf(() => 'reset');
    const { connection } = connected(peer.url);
    const fault = await faultOf(admit(connection, { ...input, expectStore: 'store-a' }));
    expect(fault.code).toBe('admission_unknown');
    expect(peer.seen).toHaveLength(1);
  });

  it('TW-RET-002: it is sent again with the same key, body and store when both are known', async () => {
    const peer = await peerOf((_, count) =>
      count === 1 ? 'reset' : ours(202, admission, { 'idempotency-replayed': 'true' }),
    );
    const { connection } = connected(peer.url);
    const got = await admit(connection, { ...input, expectStore: 'store-a', idempotentAdmissions: true });
    expect(got).toMatchObject({ replayed: true, attempts: 2 });
    expect(peer.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['k1', 'k1']);
    expect(peer.seen.map(({ headers }) => headers['turnwire-expect-store'])).toEqual(['store-a', 'store-a']);
    expect(new Set(peer.seen.map(({ body }) => body)).size).toBe(1);
  });

  it('TW-RET-020: 503 draining is sent again on a new connection, not before Retry-After', async () => {
    const draining = problem(503, 'draining', {}, { 'retry-after': '2', 'turnwire-store': 'store-a' });
    const peer = await peerOf((_, count) => (count === 1 ? draining : taken));
    const { connection, clock } = connected(peer.url);
    expect(await admit(connection, input)).toMatchObject({ attempts: 2 });
    expect(clock.slept).toEqual([2000]);
    expect(peer.seen.map((seen) => seen.connection)).toEqual([1, 2]);
    // The answer named the store, so the next copy is meant for it (TW-RET-005).
    expect(peer.seen[1]?.headers['turnwire-expect-store']).toBe('store-a');
  });

  it('TW-CER-002: a 503 of an ingress proves nothing', async () => {
    const peer = await peerOf(() => foreign(503, { 'retry-after': '1' }));
    const { connection } = connected(peer.url);
    const fault = await faultOf(admit(connection, input));
    expect(fault).toMatchObject({ code: 'admission_unknown', certainty: 'unknown' });
    expect(peer.seen).toHaveLength(1);
  });

  it('TW-CER-020: a redirect of an ingress is not followed', async () => {
    const other = await peerOf(() => taken);
    const peer = await peerOf(() => foreign(301, { location: `${other.url}/agents/coder/i1` }));
    const { connection } = connected(peer.url);
    expect((await faultOf(admit(connection, input))).certainty).toBe('unknown');
    expect(other.seen).toHaveLength(0);
  });

  it('TW-RET-004: 412 with nothing in doubt takes the new store', async () => {
    const changed = problem(412, 'store_changed', {}, { 'turnwire-store': 'store-b' });
    const peer = await peerOf((seen) => (seen.headers['turnwire-expect-store'] === 'store-b' ? taken : changed));
    const { connection } = connected(peer.url);
    const got = await admit(connection, { ...input, expectStore: 'store-a', idempotentAdmissions: true });
    expect(got.attempts).toBe(2);
  });

  it('TW-RET-004: 412 is a fault with the new store where the next copy has to be another one', async () => {
    const peer = await peerOf(() => problem(412, 'store_changed', {}, { 'turnwire-store': 'store-b' }));
    const { connection } = connected(peer.url);
    const fault = await faultOf(admit(connection, { ...input, expectStore: 'store-a', onStoreChanged: 'fault' }));
    expect(fault).toMatchObject({ code: 'store_changed', certainty: 'answered', store: 'store-b', attempts: 1 });
  });

  it('TW-RET-004: 412 with a copy in doubt stays unknown', async () => {
    const changed = problem(412, 'store_changed', {}, { 'turnwire-store': 'store-b' });
    const peer = await peerOf((_, count) => (count === 1 ? 'reset' : changed));
    const { connection } = connected(peer.url);
    const fault = await faultOf(admit(connection, { ...input, expectStore: 'store-a', idempotentAdmissions: true }));
    expect(fault).toMatchObject({ code: 'admission_unknown', certainty: 'unknown', attempts: 2 });
    expect(peer.seen.every(({ headers }) => headers['turnwire-expect-store'] === 'store-a')).toBe(true);
  });

  it('TW-DUR-014: an intent in doubt without a store is not sent at all', async () => {
    const peer = await peerOf(() => taken);
    const { connection } = connected(peer.url);
    const fault = await faultOf(admit(connection, { ...input, inDoubt: true, idempotentAdmissions: true }));
    expect(fault).toMatchObject({ code: 'admission_unknown', certainty: 'unknown', attempts: 0 });
    expect(peer.seen).toHaveLength(0);
  });

  it('TW-CER-010: a 202 whose body is lost is asked for again where that is safe, and else is unknown but taken', async () => {
    const peer = await peerOf((_, count) => (count === 1 ? { ...taken, cut: true } : taken));
    const { connection } = connected(peer.url);
    expect(await admit(connection, { ...input, expectStore: 's', idempotentAdmissions: true })).toMatchObject({
      attempts: 2,
    });
    const lossy = await peerOf(() => ({ ...taken, cut: true }));
    const fault = await faultOf(admit(connected(lossy.url).connection, input));
    expect(fault).toMatchObject({ code: 'admission_unknown', certainty: 'delivered', attempts: 1 });
  });

  it('TW-RET-025: another answer of ours is final and keeps its code', async () => {
    const peer = await peerOf(() =>
      problem(422, 'invalid', { problems: [{ path: '/definition', message: 'no model' }] }),
    );
    const { connection } = connected(peer.url);
    const fault = await faultOf(admit(connection, input));
    expect(fault).toMatchObject({ code: 'invalid', status: 422, certainty: 'answered', attempts: 1 });
    expect(fault.problem?.problems).toEqual([{ path: '/definition', message: 'no model' }]);
  });

  it('TW-CER-012: an abort is a fault at once, and unknown', async () => {
    const controller = new AbortController();
    const peer = await peerOf(() => {
      controller.abort(new Error('enough'));
      return 'hang';
    });
    const { connection } = connected(peer.url);
    const fault = await faultOf(admit(connection, input, { signal: controller.signal }));
    expect(fault).toMatchObject({ code: 'aborted', certainty: 'unknown', attempts: 1 });
    expect(peer.seen).toHaveLength(1);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ iid: 'a/b' }, 'iid'],
    [{ iid: '..' }, 'iid'],
    [{ key: 'white space' }, 'key'],
    [{ body: '{broken' }, 'body'],
    [{ body: circular() }, 'body'],
  ])(
    'TW-CER-018: what is wrong is thrown as a TypeError that names it, and nothing is sent',
    async (wrong, argument) => {
      const peer = await peerOf(() => taken);
      const { connection } = connected(peer.url);
      const thrown = await admit(connection, { ...input, ...wrong }).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(TypeError);
      expect((thrown as Error).message).toContain(argument);
      expect(peer.seen).toHaveLength(0);
    },
  );
});
