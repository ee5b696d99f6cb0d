import { describe, expect, it } from 'vitest';
import { type DeliverInput, deliver } from './index.ts';
import { type Act, foreign, freePort, ours, problem, type Reply, type Script } from './testing/peer.ts';
import { stage } from './testing/stage.ts';

const { peerOf, connected } = stage();
const pick: DeliverInput = { iid: 'i1', turnId: 't1', event: 'approve', input: {}, deliveryId: 'd1' };
const capable: DeliverInput = { ...pick, clientDeliveryIds: true };

const receipt = (more: object = {}) =>
  ours(200, {
    status: 'delivered',
    deliveryId: 'd1',
    event: 'approve',
    moved: true,
    turnComplete: false,
    allowed: ['finish'],
    ...more,
  });
const outstanding = ours(202, { status: 'outstanding', deliveryId: 'd1', event: 'approve' });

/** Picks and lookups answer by scripts of their own; the last line of each repeats. */
function orchestrator(picks: Act[], polls: Act[] = []): Script {
  let sent = 0;
  let asked = 0;
  return ({ method }) => {
    if (method === 'POST') return picks[Math.min(sent++, picks.length - 1)] ?? 'hang';
    return polls[Math.min(asked++, polls.length - 1)] ?? 'hang';
  };
}

async function delivered(input: DeliverInput, picks: Act[], polls: Act[] = [], signal?: AbortSignal) {
  const peer = await peerOf(orchestrator(picks, polls));
  const stageOf = connected(peer.url);
  const outcome = await deliver(stageOf.connection, input, signal === undefined ? {} : { signal });
  const sent = peer.seen.filter(({ method }) => method === 'POST');
  const asked = peer.seen.filter(({ method }) => method === 'GET');
  return { ...stageOf, peer, outcome, sent, asked };
}

describe('deliver: answers to the pick itself', () => {
  it.each([
    ['moved', receipt(), 'delivered', true],
    ['not_moved', receipt({ moved: false }), 'delivered', true],
    ['turn_complete', receipt({ turnComplete: true, allowed: [] }), 'delivered', true],
    [
      'refused',
      problem(422, 'refused', { problems: [{ path: '/file', message: 'missing' }], allowed: ['a'] }),
      'answered',
      false,
    ],
    ['rejected', problem(422, 'delivery_mismatch'), 'answered', false],
    [
      'outstanding_conflict',
      problem(409, 'pick_outstanding', { deliveryId: 'd0', event: 'run_checks' }),
      'answered',
      false,
    ],
    ['turn_over', problem(404, 'turn_over'), 'answered', false],
    ['rejected', problem(404, 'no_route'), 'answered', false],
    ['forbidden', problem(401, 'unauthorized'), 'answered', false],
    ['forbidden', problem(403, 'wrong_placement'), 'answered', false],
    ['rejected', problem(400, 'bad_request'), 'answered', false],
    ['rejected', problem(413, 'too_large'), 'answered', false],
    ['rejected', ours(301, undefined, { location: '/elsewhere' }), 'answered', false],
  ] as const)('%s, once, with and without the capability', async (code, answer, certainty, taken) => {
    for (const input of [pick, capable]) {
      const { outcome, sent, asked, clock } = await delivered(input, [answer]);
      expect(outcome).toMatchObject({ code, certainty, taken, attempts: 1 });
      expect([sent.length, asked.length, clock.slept.length]).toEqual([1, 0, 0]);
    }
  });

  it('TW-RET-009: the id goes out only where it is honoured', async () => {
    const base = await delivered(pick, [receipt()]);
    const own = await delivered(capable, [receipt()]);
    expect(JSON.parse(base.sent[0]?.body ?? '')).toEqual({ turnId: 't1', event: 'approve', input: {} });
    expect(JSON.parse(own.sent[0]?.body ?? '')).toEqual({
      turnId: 't1',
      deliveryId: 'd1',
      event: 'approve',
      input: {},
    });
  });

  it('TW-OUT-010, TW-OUT-011: what the answer says is in the text', async () => {
    const refused = problem(422, 'refused', { problems: [{ path: '/file', message: 'missing' }], allowed: ['a', 'b'] });
    const { outcome } = await delivered(pick, [refused]);
    expect(outcome).toMatchObject({ kind: 'error', allowed: ['a', 'b'] });
    expect(outcome.text).toContain('- /file: missing');
    expect(outcome.text).toContain('a, b');
    const conflict = await delivered(pick, [
      problem(409, 'pick_outstanding', { deliveryId: 'd0', event: 'run_checks' }),
    ]);
    expect(conflict.outcome.text).toContain('run_checks');
  });
});

describe('deliver: base mode', () => {
  it.each<[string, Act, string]>([
    ['unknown', 'reset', 'unknown'],
    ['unknown', foreign(503), 'unknown'],
    ['unknown', foreign(200), 'unknown'],
    ['unknown', problem(500, 'internal_error'), 'unknown'],
    ['taken_answer_lost', { ...receipt(), cut: true }, 'delivered'],
    ['taken_answer_lost', ours(200, { hello: 'there' }), 'delivered'],
  ])('TW-RET-008: %s, and nothing is sent twice', async (code, act, certainty) => {
    const { outcome, peer, clock } = await delivered(pick, [act]);
    expect(outcome).toMatchObject({ code, certainty, kind: 'answer', attempts: 1 });
    expect(peer.seen).toHaveLength(1);
    expect(clock.slept).toEqual([]);
  });

  it('TW-OUT-017: never_reached and stopping come after one sleep of the ladder', async () => {
    const { connection, clock } = connected(`http://127.0.0.1:${await freePort()}`);
    const outcome = await deliver(connection, pick);
    expect(outcome).toMatchObject({ code: 'never_reached', certainty: 'never_delivered', taken: false, attempts: 1 });
    expect(outcome.text).toContain('connect ECONNREFUSED 127.0.0.1');
    expect(clock.slept).toEqual([125]);
    const stopping = await delivered(pick, [problem(503, 'stopping', {}, { 'retry-after': '1' })]);
    expect(stopping.outcome).toMatchObject({ code: 'stopping', taken: false, attempts: 1 });
    expect(stopping.clock.slept).toEqual([125]);
  });

  it('TW-CER-015: the custodian proves by its flags alone that nothing was written', async () => {
    const marked = (flags: unknown) =>
      problem(502, 'custodian_unreachable', { flags }, { 'x-turnwire-custodian': 'unreachable' });
    expect((await delivered(pick, [marked(['UF', 'URX'])])).outcome.code).toBe('never_reached');
    for (const flags of [['UF', 'UC'], ['uf'], ['UF '], [], 'UF', undefined]) {
      expect((await delivered(pick, [marked(flags)])).outcome.code).toBe('unknown');
    }
    const unmarked = problem(502, 'custodian_unreachable', { flags: ['UF'] });
    expect((await delivered(pick, [unmarked])).outcome.code).toBe('unknown');
  });

  it('TW-RET-013: an outstanding pick is polled by the id that the Orchestrator gave it', async () => {
    const told: string[] = [];
    const named = ours(202, { status: 'outstanding', deliveryId: 'made-there', event: 'approve' });
    const input = { ...pick, onOutstanding: (id: string) => void told.push(id) };
    const { outcome, asked, sent } = await delivered(
      input,
      [named],
      [named, 'reset', receipt({ deliveryId: 'made-there' })],
    );
    expect(outcome).toMatchObject({ code: 'moved', deliveryId: 'made-there' });
    expect(told).toEqual(['made-there']);
    expect([sent.length, asked.length]).toEqual([1, 3]);
    expect(asked[0]).toMatchObject({ path: '/agents/i1/deliveries/made-there' });
    expect(asked[0]?.query.get('wait')).toBe('25');
  });
});

describe('deliver: with clientDeliveryIds', () => {
  it('TW-RET-009: a reset is looked up; the receipt that is there is the answer', async () => {
    const { outcome, sent, asked, lines } = await delivered(capable, ['reset'], [receipt()]);
    expect(outcome).toMatchObject({ code: 'moved', attempts: 1 });
    expect([sent.length, asked.length]).toEqual([1, 1]);
    expect(asked[0]).toMatchObject({ path: '/agents/i1/deliveries/d1' });
    expect(lines).toMatchObject([{ seat: 'pick', attempts: 2, ok: true }]);
  });

  it('TW-RET-010: unknown_delivery is delivered again under the same id', async () => {
    const { outcome, sent, asked } = await delivered(
      capable,
      ['reset', 'reset', receipt()],
      [problem(404, 'unknown_delivery')],
    );
    expect(outcome).toMatchObject({ code: 'moved', attempts: 3 });
    expect(asked).toHaveLength(2);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
  });

  it.each<[string, Act, string, string]>([
    ['turn_over', problem(404, 'turn_over'), 'unknown_turn_ended', 'answer'],
    ['unauthorized', problem(401, 'unauthorized'), 'unknown', 'answer'],
    ['wrong_placement', problem(403, 'wrong_placement'), 'unknown', 'answer'],
    ['another 404', problem(404, 'no_route'), 'unknown', 'answer'],
  ])('a lookup answered %s ends it', async (_, word, code, kind) => {
    const { outcome, sent, asked } = await delivered(capable, ['reset'], [word]);
    expect(outcome).toMatchObject({ code, kind, certainty: 'unknown', taken: 'unknown' });
    expect([sent.length, asked.length]).toEqual([1, 1]);
  });

  it('a lookup that fails is asked again, within the window of the pick', async () => {
    const { outcome, asked, clock } = await delivered(
      capable,
      ['reset'],
      [foreign(502), 'reset', problem(503, 'stopping')],
    );
    expect(outcome).toMatchObject({ code: 'unknown', taken: 'unknown' });
    expect(asked.length).toBeGreaterThan(15);
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(90_000);
  });

  it('TW-RET-012: delivered, body lost is polled by the id and never sent again', async () => {
    const { outcome, sent, asked } = await delivered(capable, [{ ...receipt(), cut: true }], [receipt()]);
    expect(outcome).toMatchObject({ code: 'moved', attempts: 1 });
    expect([sent.length, asked.length]).toEqual([1, 1]);
  });

  it('a broken body that no poll replaces is taken_answer_lost, after a few', async () => {
    const broken: Reply = { ...receipt(), body: '{"status":"deli' };
    const { outcome, sent, asked } = await delivered(capable, [broken], [broken]);
    expect(outcome).toMatchObject({ code: 'taken_answer_lost', certainty: 'delivered', taken: true });
    expect([sent.length, asked.length]).toEqual([1, 4]);
  });

  it.each<[string, Act, string]>([
    ['404 turn_over', problem(404, 'turn_over'), 'taken_turn_ended'],
    ['404 unknown_delivery', problem(404, 'unknown_delivery'), 'taken_turn_ended'],
    ['400', problem(400, 'bad_request'), 'taken_answer_lost'],
    ['401', problem(401, 'unauthorized'), 'taken_answer_lost'],
    ['403', problem(403, 'forbidden'), 'taken_answer_lost'],
  ])('the poll of a taken pick answered %s', async (_, word, code) => {
    const { outcome, asked } = await delivered(capable, [outstanding], [outstanding, word]);
    expect(outcome).toMatchObject({ code, kind: 'answer', taken: true });
    expect(asked).toHaveLength(2);
  });

  it('TW-RET-013: polls go on through restarts for longer than any window', async () => {
    const polls: Act[] = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? 'reset' : foreign(502)));
    const { outcome, sent, clock, lines } = await delivered(capable, [outstanding], [...polls, receipt()]);
    expect(outcome.code).toBe('moved');
    expect(sent).toHaveLength(1);
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(90_000);
    expect(lines).toMatchObject([{ seat: 'delivery_poll', attempts: 61, ok: true }]);
  });

  it('TW-RET-006: proof is sent again under the same id until the window ends, then stopping or never_reached', async () => {
    const restarted = await delivered(capable, [problem(503, 'stopping'), problem(503, 'run_unavailable'), receipt()]);
    expect(restarted.outcome).toMatchObject({ code: 'moved', attempts: 3 });
    expect(restarted.asked).toHaveLength(0);
    const stuck = await delivered(capable, [problem(503, 'stopping')]);
    expect(stuck.outcome).toMatchObject({ code: 'stopping', certainty: 'answered', taken: false });
    const { connection, clock } = connected(`http://127.0.0.1:${await freePort()}`);
    expect(await deliver(connection, capable)).toMatchObject({ code: 'never_reached', certainty: 'never_delivered' });
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(90_000, 3);
  });

  it('TW-OUT-018: with a copy in doubt nothing is said to be not taken', async () => {
    const lost = problem(404, 'unknown_delivery');
    expect((await delivered(capable, ['reset', problem(503, 'stopping')], [lost])).outcome.code).toBe('unknown');
    expect((await delivered(capable, ['reset', problem(401, 'unauthorized')], [lost])).outcome.code).toBe('unknown');
    // Another pick being worked on passes, and the first copy can arrive after it.
    const other = problem(409, 'pick_outstanding', { deliveryId: 'd9', event: 'slow' });
    expect((await delivered(capable, ['reset', other], [lost])).outcome.code).toBe('unknown');
    // Given after the check for a known id, so it speaks of the first copy as well.
    expect((await delivered(capable, ['reset', problem(422, 'refused')], [lost])).outcome.code).toBe('refused');
  });

  it('409 that names this very delivery is its own outstanding answer', async () => {
    const own = problem(409, 'pick_outstanding', { deliveryId: 'd1', event: 'approve' });
    expect((await delivered(capable, [own], [receipt()])).outcome.code).toBe('moved');
  });

  it('resume: a pick known taken is polled and never sent; one in doubt is looked up first', async () => {
    const polled = await delivered({ ...capable, resume: 'poll' }, [receipt()], [outstanding, receipt()]);
    expect(polled.outcome).toMatchObject({ code: 'moved', attempts: 0 });
    expect([polled.sent.length, polled.asked.length]).toEqual([0, 2]);
    const looked = await delivered({ ...capable, resume: 'lookup' }, [receipt()], [problem(404, 'unknown_delivery')]);
    expect(looked.outcome).toMatchObject({ code: 'moved', attempts: 1 });
    expect([looked.sent.length, looked.asked.length]).toEqual([1, 1]);
  });
});
