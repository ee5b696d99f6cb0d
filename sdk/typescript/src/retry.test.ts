import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from './certainty.ts';
import { protocol } from './gen/protocol.ts';
import { policyOf } from './request.ts';
import { type AttemptOutcome, decide, type Fences, retryAfterMs, rungMs } from './retry.ts';
import type { SeatPolicy } from './table.ts';

const fresh = { startedAt: 0, rung: 0 };
const sources = { now: 0, random: () => 0 };
const never: AttemptOutcome = { verdict: { certainty: 'never_delivered' } };
const unknown: AttemptOutcome = { verdict: { certainty: 'unknown' } };
const answer = (status: number, code: string, headers = {}, body?: unknown): AttemptOutcome => ({
  verdict: classify({
    response: { status, headers: { 'turnwire-version': '1', 'turnwire-code': code, ...headers }, body },
  }),
  status,
});
const act = (policy: SeatPolicy, outcome: AttemptOutcome, fences: Fences = {}) => {
  const decision = decide(policy, outcome, fresh, fences, sources);
  return decision.action === 'stop' ? decision.because : decision.action;
};

describe('decide, by the policy table', () => {
  const safe = { sameKey: true, sameStore: true, fenced: true };
  it.each<[string, string, AttemptOutcome, Fences, string]>([
    ['admit', 'admission', never, {}, 'resend'],
    ['admit', 'admission', unknown, { sameKey: true }, 'policy'],
    ['admit', 'admission', unknown, { sameStore: true }, 'policy'],
    ['admit', 'admission', unknown, { sameKey: true, sameStore: true }, 'resend'],
    ['admit', 'admission', answer(503, 'draining'), {}, 'resend'],
    ['admit', 'admission', answer(429, 'queue_full'), {}, 'resend'],
    ['admit', 'admission', answer(422, 'invalid'), safe, 'final'],
    ['readSurface', 'surface', unknown, {}, 'resend'],
    ['readSurface', 'surface', answer(503, 'run_unavailable'), {}, 'resend'],
    ['readSurface', 'surface', answer(404, 'turn_over'), {}, 'final'],
    ['readSurface', 'surface_step', never, {}, 'policy'],
    ['readSurface', 'surface_step', unknown, {}, 'policy'],
    ['pick', 'pick_base', never, safe, 'policy'],
    ['pick', 'pick_base', unknown, safe, 'policy'],
    ['pick', 'pick', never, {}, 'resend'],
    ['pick', 'pick', unknown, {}, 'resolve'],
    ['pick', 'pick', answer(503, 'stopping'), {}, 'resend'],
    ['pick', 'pick', answer(422, 'refused'), {}, 'final'],
    ['readDelivery', 'delivery_poll', answer(500, 'internal_error'), {}, 'resend'],
    ['readConversation', 'stream', unknown, {}, 'resend'],
    ['readConversation', 'stream', answer(410, 'stream_gone'), {}, 'final'],
    ['abortConversation', 'abort', unknown, {}, 'policy'],
    // Whoever owes an abort sends it again: a call is one attempt.
    ['abortConversation', 'abort', unknown, { fenced: true }, 'exhausted'],
    ['abortConversation', 'abort', answer(500, 'internal_error'), {}, 'exhausted'],
    ['startRun', 'start_run', unknown, {}, 'policy'],
    ['startRun', 'start_run', unknown, { sameKey: true }, 'resend'],
    ['cancelRun', 'cancel_run', unknown, {}, 'resend'],
    ['getHealth', 'probe', unknown, {}, 'policy'],
  ])('%s, %s', (operation, seat, outcome, fences, expected) => {
    expect(act(policyOf(operation, seat), outcome, fences)).toBe(expected);
  });

  it('TW-RET-029: a permanent failure is not sent again by any seat', () => {
    for (const operation of Object.values(protocol.operations)) {
      for (const policy of Object.values(operation.seats)) {
        expect(act(policy, { verdict: { certainty: 'never_delivered', permanent: true } }, safe)).toBe('permanent');
      }
    }
  });

  it('TW-RET-025: somebody else’s answer is not one that a seat lists', () => {
    // No status: `AttemptOutcome.status` is of our answers alone.
    expect(act(policyOf('admit', 'admission'), unknown)).toBe('policy');
  });

  it('an abort stops whatever it was', () => {
    expect(act(policyOf('readConversation', 'stream'), { ...unknown, aborted: true })).toBe('aborted');
  });

  it('a taken request whose answer is lost is asked for again only where a second copy is harmless', () => {
    const lost: AttemptOutcome = { verdict: { certainty: 'delivered', taken: true }, status: 202, answerLost: true };
    expect(act(policyOf('admit', 'admission'), lost)).toBe('policy');
    expect(act(policyOf('admit', 'admission'), lost, safe)).toBe('resend');
    expect(act(policyOf('readConversation', 'history'), lost)).toBe('resend');
  });
});

describe('the ladder', () => {
  const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('TW-RET-017: half of a rung is a floor, and the last rung repeats', () => {
    fc.assert(
      fc.property(fc.nat(40), draw, (rung, random) => {
        const full = protocol.ladder.rungsMs[Math.min(rung, protocol.ladder.rungsMs.length - 1)] ?? 0;
        const delay = rungMs(rung, () => random);
        expect(delay).toBeGreaterThanOrEqual(full / 2);
        expect(delay).toBeLessThanOrEqual(full);
      }),
    );
  });

  it('TW-RET-018: no delay is longer than what is left of the window, whatever Retry-After says', () => {
    const policy = policyOf('admit', 'admission');
    fc.assert(
      fc.property(
        fc.nat(100_000),
        fc.nat(20),
        fc.option(fc.nat(10_000_000), { nil: 0 }),
        draw,
        (now, rung, asked, random) => {
          const decision = decide(
            policy,
            { ...never, retryAfterMs: asked },
            { startedAt: 0, rung },
            {},
            { now, random: () => random },
          );
          const left = (policy.windowMs ?? 0) - now;
          expect(decision.action === 'stop' ? decision.because : 'goes on').toBe(left <= 0 ? 'exhausted' : 'goes on');
          if (decision.action === 'stop') return;
          expect(decision.delayMs).toBeLessThanOrEqual(left);
          expect(decision.delayMs).toBeGreaterThanOrEqual(Math.min(asked, left));
        },
      ),
    );
  });

  it('TW-RET-019: an answer resets it only in a seat without a window, and a broken one does not', () => {
    const climbed = { startedAt: 0, rung: 5 };
    const rungAfter = (operation: string, seat: string, outcome: AttemptOutcome) => {
      const decision = decide(policyOf(operation, seat), outcome, climbed, {}, sources);
      return decision.action === 'stop' ? undefined : decision.state.rung;
    };
    const draining: AttemptOutcome = { verdict: { certainty: 'answered', code: 'draining' }, status: 503 };
    expect(rungAfter('readConversation', 'stream', draining)).toBe(1);
    expect(rungAfter('readDelivery', 'delivery_poll', answer(502, 'custodian_unreachable'))).toBe(6);
    expect(rungAfter('readConversation', 'stream', unknown)).toBe(6);
    // The custodian answered, and says that the peer did not; a handler that failed answered nothing that helps.
    const body = { code: 'custodian_unreachable', flags: ['UF'] };
    const marked = answer(502, 'custodian_unreachable', { 'x-turnwire-custodian': 'unreachable' }, body);
    expect(marked.verdict.certainty).toBe('never_delivered');
    expect(rungAfter('readDelivery', 'delivery_poll', marked)).toBe(6);
    expect(rungAfter('readDelivery', 'delivery_poll', answer(500, 'internal_error'))).toBe(6);
    expect(rungAfter('admit', 'admission', draining)).toBe(6);
    const broken: AttemptOutcome = { verdict: { certainty: 'delivered' }, status: 200, answerLost: true };
    expect(rungAfter('readConversation', 'stream', broken)).toBe(6);
  });

  it('a poll that was parked is asked again at once, and one that was not waits its rung', () => {
    const policy = policyOf('readDelivery', 'delivery_poll');
    const parked = (ms: number) =>
      decide(policy, { verdict: { certainty: 'delivered' }, status: 202, ms }, fresh, {}, sources);
    expect(parked(25_000)).toMatchObject({ action: 'resend', delayMs: 0 });
    expect(parked(0)).toMatchObject({ action: 'resend', delayMs: 125 });
  });
});

describe('decide, for any outcome whatever', () => {
  const policies = Object.values(protocol.operations).flatMap(({ seats }) => Object.values(seats));
  const certainties = ['never_delivered', 'unknown', 'delivered', 'answered'] as const;
  const outcome: fc.Arbitrary<AttemptOutcome> = fc
    .record({
      verdict: fc.record({ certainty: fc.constantFrom(...certainties), permanent: fc.boolean() }),
      status: fc.option(fc.integer({ min: 200, max: 599 }), { nil: undefined }),
      answerLost: fc.boolean(),
      aborted: fc.boolean(),
      retryAfterMs: fc.option(fc.double({ min: 0 }), { nil: undefined }),
      ms: fc.nat(),
    })
    .map((made) => made as AttemptOutcome);
  const fences = fc.record({ sameKey: fc.boolean(), sameStore: fc.boolean(), fenced: fc.boolean() });

  it('TW-RET-018: a Retry-After that is no number asks for nothing', () => {
    const policy = policyOf('admit', 'admission');
    const asking = (retryAfterMs: number) => decide(policy, { ...never, retryAfterMs }, fresh, {}, sources);
    expect(asking(Number.NaN)).toEqual(asking(0));
    expect(asking(Number.POSITIVE_INFINITY)).toMatchObject({ delayMs: policy.windowMs });
  });

  it('a pause is a number of milliseconds that can be slept, and the ladder climbs by one rung', () => {
    fc.assert(
      fc.property(fc.constantFrom(...policies), outcome, fences, fc.nat(60), (policy, of, fenced, rung) => {
        const decision = decide(policy, of, { startedAt: 0, rung }, fenced, { now: 10, random: () => 0.5 });
        if (decision.action === 'stop') return;
        expect(decision.delayMs).toBeGreaterThanOrEqual(0);
        expect(decision.delayMs).toBeLessThanOrEqual(policy.windowMs ?? 60_000);
        expect([1, rung + 1]).toContain(decision.state.rung);
        expect(of.aborted).toBe(false);
      }),
    );
  });

  it('TW-RET-002: less proof never allows more: what doubt may do, proof may do too', () => {
    const resends = (policy: SeatPolicy, of: AttemptOutcome, fenced: Fences) =>
      decide(policy, of, fresh, fenced, sources).action !== 'stop';
    fc.assert(
      fc.property(fc.constantFrom(...policies), fences, (policy, fenced) => {
        if (resends(policy, unknown, fenced)) expect(resends(policy, never, fenced)).toBe(true);
        for (const name of ['sameKey', 'sameStore', 'fenced'] as const) {
          if (resends(policy, unknown, { ...fenced, [name]: false }))
            expect(resends(policy, unknown, { ...fenced, [name]: true })).toBe(true);
        }
      }),
    );
  });

  it('TW-RET-018: Retry-After is a number of milliseconds or nothing, whatever its text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[0-9]{1,400}$/),
      fc.date({ noInvalidDate: true }).map((at) => at.toUTCString()),
    );
    fc.assert(
      fc.property(text, fc.option(text, { nil: undefined }), (value, date) => {
        const ms = retryAfterMs(value, date, 0);
        expect(ms === undefined || ms >= 0).toBe(true);
      }),
    );
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['0', undefined, 0],
    ['3', undefined, 3000],
    [' 3 ', undefined, 3000],
    ['Thu, 01 Jan 2026 00:00:10 GMT', undefined, 10_000],
    ['Thursday, 01-Jan-26 00:00:10 GMT', undefined, 10_000],
    ['Thu Jan  1 00:00:10 2026', undefined, 10_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', undefined, 0],
    // The peer's own clock is five seconds ahead.
    ['Thu, 01 Jan 2026 00:00:10 GMT', 'Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['-3', undefined, undefined],
    ['1.5', undefined, undefined],
    ['soon', undefined, undefined],
    ['2026-01-01', undefined, undefined],
    ['', undefined, undefined],
    [undefined, undefined, undefined],
  ])('TW-RET-018: %j', (value, date, expected) => {
    expect(retryAfterMs(value, date, now)).toBe(expected);
  });
});
