/** Finding out what became of a pick of unknown fate (TW-RET-009, TW-RET-010, TW-RET-011). */
import { protocol } from './gen/protocol.ts';
import { says } from './meaning.ts';
import { readDelivery } from './receipt.ts';
import { policyOf } from './request.ts';
import { isReasked, rungMs } from './retry.ts';
import type { Attempt, SeatCall } from './seat.ts';
import type { HttpRequest } from './transport.ts';
import type { Outstanding, Receipt } from './wire.ts';

/** What a lookup found. */
export type Found =
  | { readonly kind: 'found'; readonly delivery: Receipt | Outstanding }
  | { readonly kind: 'body_lost' | 'stays_unknown'; readonly reason: string }
  | { readonly kind: 'not_taken_so_far' | 'turn_over' | 'aborted' };

/** Looks a delivery up until there is a word of the Orchestrator or the pick's window ends. */
export async function lookUp(call: SeatCall, request: HttpRequest): Promise<Found> {
  const polling = policyOf('readDelivery', 'delivery_poll');
  // A lookup is a read: asked again like a poll, within what is left of the pick's own window.
  const policy = { ...polling, windowMs: call.policy.windowMs, answerResets: false };
  for (;;) {
    const attempt = await call.attempt(request, {
      counted: false,
      timeoutMs: call.options?.attemptMs ?? polling.attemptMs,
    });
    const found = wordOf(attempt);
    if (found !== undefined) return found;
    if (call.signal.aborted) return { kind: 'aborted' };
    const decision = await call.next(attempt, {}, policy);
    if (decision.action !== 'stop') continue;
    return decision.because === 'aborted' ? { kind: 'aborted' } : { kind: 'stays_unknown', reason: attempt.reason };
  }
}

/**
 * After the call was aborted: looks only, and for at most 2 s (TW-RET-011).
 *
 * @returns The receipt, `taken` without one, or `undefined` when it stays unknown.
 */
export async function lookUpAfterAbort(call: SeatCall, request: HttpRequest): Promise<Receipt | 'taken' | undefined> {
  const { clock, random, closing } = call.internals;
  const until = clock.now() + protocol.constants.abortLookupMs;
  const policy = policyOf('readDelivery', 'delivery_poll');
  // The call's own signal is spent; what bounds this is its time.
  const { signal } = new AbortController();
  for (let rung = 0; !closing.closed; rung++) {
    const left = until - clock.now();
    if (left <= 0) return undefined;
    const attempt = await call.attempt(request, { counted: false, timeoutMs: left, signal });
    const found = wordOf(attempt);
    if (found?.kind === 'found') return found.delivery.status === 'delivered' ? found.delivery : 'taken';
    if (found?.kind === 'body_lost') return 'taken';
    const again = found?.kind === 'not_taken_so_far' || (found === undefined && mayChange(attempt, policy));
    if (!again) return undefined;
    await clock.sleep(Math.min(rungMs(rung, random), Math.max(0, until - clock.now())));
  }
  return undefined;
}

/** What an answer to a lookup settles; `undefined`: ask again, if that may be asked again. */
function wordOf(attempt: Attempt): Found | undefined {
  if (attempt.verdict.certainty === 'delivered') {
    const delivery = attempt.answer === undefined ? undefined : readDelivery(attempt.answer);
    return delivery === undefined ? { kind: 'body_lost', reason: attempt.reason } : { kind: 'found', delivery };
  }
  if (says(attempt.said, 'unknown_delivery')) return { kind: 'not_taken_so_far' };
  return says(attempt.said, 'turn_over') ? { kind: 'turn_over' } : undefined;
}

function mayChange(attempt: Attempt, policy: ReturnType<typeof policyOf>): boolean {
  if (attempt.answer !== undefined && isReasked(policy, attempt.answer.status, attempt.verdict.code)) return true;
  return attempt.verdict.certainty === 'unknown' || attempt.verdict.certainty === 'never_delivered';
}
