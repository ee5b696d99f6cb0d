import { describe, expect, it } from 'vitest';
import { type DeliverInput, deliver } from './index.ts';
import { type Act, ours, problem } from './testing/peer.ts';
import { stage } from './testing/stage.ts';

const { peerOf, connected } = stage();
const pick: DeliverInput = { iid: 'i1', turnId: 't1', event: 'approve', input: {}, deliveryId: 'd1' };
const capable: DeliverInput = { ...pick, clientDeliveryIds: true };
const receipt = ours(200, {
  status: 'delivered',
  deliveryId: 'd1',
  event: 'approve',
  moved: true,
  turnComplete: true,
  allowed: [],
});
const outstanding = ours(202, { status: 'outstanding', deliveryId: 'd1', event: 'approve' });

/** Aborts while the `at`th request is with the peer, which then acts. */
async function aborted(input: DeliverInput, at: number, script: Act[]) {
  const controller = new AbortController();
  const peer = await peerOf((_, count) => {
    if (count === at) controller.abort(new Error('the turn ended'));
    return script[Math.min(count, script.length) - 1] ?? 'hang';
  });
  const { connection, clock } = connected(peer.url);
  const outcome = await deliver(connection, input, { signal: controller.signal });
  return { outcome, clock, methods: peer.seen.map(({ method }) => method) };
}

describe('deliver: after an abort (TW-RET-011)', () => {
  it('base: a pick in flight is unknown_turn_ended, and nothing more is sent', async () => {
    const { outcome, methods } = await aborted(pick, 1, ['hang']);
    expect(outcome).toMatchObject({
      code: 'unknown_turn_ended',
      kind: 'answer',
      certainty: 'unknown',
      taken: 'unknown',
    });
    expect(methods).toEqual(['POST']);
  });

  it.each<[string, Act, string]>([
    ['a receipt', receipt, 'taken_turn_ended'],
    ['outstanding', outstanding, 'taken_turn_ended'],
    ['a receipt with a broken body', { ...receipt, cut: true }, 'taken_turn_ended'],
    ['turn_over', problem(404, 'turn_over'), 'unknown_turn_ended'],
    ['401', problem(401, 'unauthorized'), 'unknown_turn_ended'],
  ])('with ids: it is looked up, and %s decides', async (_, word, code) => {
    const { outcome, methods } = await aborted(capable, 1, ['hang', word]);
    expect(outcome).toMatchObject({ code, kind: 'answer' });
    expect(methods).toEqual(['POST', 'GET']);
  });

  it('looks for at most 2 s, and never delivers again', async () => {
    const { outcome, methods, clock } = await aborted(capable, 1, ['hang', problem(404, 'unknown_delivery')]);
    expect(outcome.code).toBe('unknown_turn_ended');
    expect(methods.filter((method) => method === 'POST')).toHaveLength(1);
    expect(methods.length).toBeGreaterThan(3);
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(2000, 3);
  });

  it('an outstanding pick is taken_turn_ended', async () => {
    const { outcome, methods } = await aborted(capable, 2, [outstanding, 'hang']);
    expect(outcome).toMatchObject({ code: 'taken_turn_ended', taken: true });
    expect(methods).toEqual(['POST', 'GET']);
  });

  it('our 200 whose body was on its way is taken_turn_ended, in base mode too', async () => {
    const controller = new AbortController();
    const peer = await peerOf(() => ({ ...receipt, stall: true }));
    const { connection } = connected(peer.url);
    const delivering = deliver(connection, pick, { signal: controller.signal });
    await expect.poll(() => peer.seen.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    controller.abort();
    expect(await delivering).toMatchObject({ code: 'taken_turn_ended', certainty: 'delivered', taken: true });
  });

  it('an abort while the ladder sleeps sends nothing more', async () => {
    const controller = new AbortController();
    const peer = await peerOf(() => problem(503, 'stopping'));
    const { connection, clock } = connected(peer.url);
    clock.onSleep = (count) => {
      if (count === 2) controller.abort();
    };
    const outcome = await deliver(connection, capable, { signal: controller.signal });
    expect(outcome.code).toBe('unknown_turn_ended');
    expect(peer.seen).toHaveLength(2);
  });

  it('a call that was aborted before it began sends nothing', async () => {
    const peer = await peerOf(() => receipt);
    const outcome = await deliver(connected(peer.url).connection, capable, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ code: 'unknown_turn_ended', attempts: 0 });
    expect(peer.seen).toHaveLength(0);
  });

  it('a connection that is closed ends the pick without a lookup', async () => {
    const peer = await peerOf(() => 'hang');
    const { connection } = connected(peer.url);
    const delivering = deliver(connection, capable);
    await expect.poll(() => peer.seen.length).toBe(1);
    await connection.close();
    expect((await delivering).code).toBe('unknown_turn_ended');
    expect(peer.seen).toHaveLength(1);
  });
});
