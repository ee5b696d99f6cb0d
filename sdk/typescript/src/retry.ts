/**
 * Whether and when a seat sends again: pure, with clock and random source injected, and without a Node import. The
 * policies are the documents' own (TW-RET-001).
 */
import type { Verdict } from './certainty.ts';
import { protocol } from './gen/protocol.ts';
import { unboundedRetryAfterMs } from './limits.ts';
import { isListed } from './meaning.ts';
import type { SeatPolicy } from './table.ts';

/** Where a seat stands on its ladder. */
export interface RetryState {
  /** `clock.now()` at its first attempt. */
  readonly startedAt: number;
  /** Rungs climbed since the start, or since the ladder was last reset. */
  readonly rung: number;
}

/** What `decide` looks at of one attempt. */
export interface AttemptOutcome {
  readonly verdict: Verdict;
  /** The status of an answer of ours; absent when there was none, or it was somebody else's. */
  readonly status?: number;
  /** Our 2xx came, and its body was lost or makes no sense. */
  readonly answerLost?: boolean;
  /** The caller aborted the call. */
  readonly aborted?: boolean;
  /** Milliseconds that the answer asks to wait. */
  readonly retryAfterMs?: number;
  /** Milliseconds that the attempt took: what a parked poll waited already is not waited again. */
  readonly ms?: number;
}

/** What the request carries that makes a second copy harmless. */
export interface Fences {
  readonly sameKey?: boolean;
  /** The store that every copy in doubt was meant for is named in it, and the peer honours that. */
  readonly sameStore?: boolean;
  /** It carries a fence, and the peer honours it. */
  readonly fenced?: boolean;
}

/** `resolve`: find out first, then perhaps send again (TW-RET-009). */
export type Decision =
  | { readonly action: 'resend' | 'resolve'; readonly delayMs: number; readonly state: RetryState }
  | { readonly action: 'stop'; readonly because: 'final' | 'permanent' | 'policy' | 'exhausted' | 'aborted' };

/** A uniform random source in [0, 1), and the time in milliseconds. */
export interface RetrySources {
  readonly now: number;
  readonly random: () => number;
}

/** Milliseconds of a rung, counted from 0: equal jitter, half floor and half uniformly random (TW-RET-017). */
export function rungMs(rung: number, random: () => number): number {
  const { rungsMs, floorShare } = protocol.ladder;
  const full = rungsMs[Math.min(rung, rungsMs.length - 1)] ?? 0;
  return full * floorShare + full * (1 - floorShare) * random();
}

/**
 * `Retry-After` in milliseconds, from whole seconds or an HTTP date; `undefined` when it is neither.
 *
 * @param date The answer's own `Date`, which makes a date independent of how the two clocks differ.
 * @param wallNow Milliseconds since 1970, for an answer without one.
 */
export function retryAfterMs(value: string | undefined, date: string | undefined, wallNow: number): number | undefined {
  const trimmed = value?.trim();
  if (!trimmed) return undefined;
  if (/^\d+$/.test(trimmed)) return Number(trimmed) * 1000;
  const until = httpDate(trimmed);
  if (until === undefined) return undefined;
  return Math.max(0, until - ((date === undefined ? undefined : httpDate(date)) ?? wallNow));
}

/** All three forms of RFC 9110; the one without a zone is UTC. */
function httpDate(text: string): number | undefined {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  const parsed = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** What a seat does after one attempt. */
export function decide(
  policy: SeatPolicy,
  outcome: AttemptOutcome,
  state: RetryState,
  fences: Fences,
  sources: RetrySources,
): Decision {
  if (outcome.aborted === true) return { action: 'stop', because: 'aborted' };
  const action = wanted(policy, outcome, fences);
  if (action === 'final' || action === 'permanent' || action === 'policy') return { action: 'stop', because: action };
  const left = windowLeft(policy, state, sources.now);
  if (left <= 0) return { action: 'stop', because: 'exhausted' };
  const rung = resetsLadder(policy, outcome) ? 0 : state.rung;
  const pauseMs = pause(outcome, rungMs(rung, sources.random), policy.windowMs ?? unboundedRetryAfterMs);
  const delayMs = Math.min(pauseMs, left);
  return { action, delayMs, state: { ...state, rung: rung + 1 } };
}

/** Milliseconds that are left of the window; Infinity without one. A seat of a single attempt has none left at once. */
export function windowLeft(policy: SeatPolicy, state: RetryState, now: number): number {
  if (policy.windowMs === null) return Number.POSITIVE_INFINITY;
  return policy.windowMs - (now - state.startedAt);
}

type Wanted = 'resend' | 'resolve' | 'final' | 'permanent' | 'policy';

function wanted(policy: SeatPolicy, outcome: AttemptOutcome, fences: Fences): Wanted {
  const { certainty, permanent, code } = outcome.verdict;
  // What a seat lists it asks again after, whatever the answer proves; every other answer is final (TW-RET-025).
  if (outcome.status !== undefined && isReasked(policy, outcome.status, code)) return 'resend';
  if (permanent === true) return 'permanent';
  if (certainty === 'never_delivered') return policy.neverDelivered === 'resend' ? 'resend' : 'policy';
  if (certainty === 'unknown') return afterUnknown(policy, fences);
  // Taken, and what it said is lost: asking for it again is a second copy.
  if (certainty === 'delivered' && outcome.answerLost === true) return afterUnknown(policy, fences);
  return 'final';
}

function afterUnknown(policy: SeatPolicy, fences: Fences): Wanted {
  switch (policy.unknown) {
    case 'resend':
      return 'resend';
    case 'resolve':
      return 'resolve';
    case 'resend_same_key':
      return fences.sameKey === true ? 'resend' : 'policy';
    case 'resend_same_store':
      return fences.sameKey === true && fences.sameStore === true ? 'resend' : 'policy';
    case 'resend_if_fenced':
      return fences.fenced === true ? 'resend' : 'policy';
    default:
      return 'policy';
  }
}

/** Whether a seat asks again after an answer of ours. */
export function isReasked(policy: SeatPolicy, status: number, code: string | undefined): boolean {
  return isListed(policy.answers, { status, code });
}

/**
 * A peer that answers is up (TW-RET-019). One whose answers arrive broken is not helped by hurry, nor is one that failed,
 * and the custodian's word that it got no answer is not the peer's.
 */
function resetsLadder(policy: SeatPolicy, { verdict, answerLost }: AttemptOutcome): boolean {
  const answered = verdict.certainty === 'delivered' || verdict.certainty === 'answered';
  return policy.answerResets === true && answered && answerLost !== true;
}

/** `Retry-After` raises a rung; a poll that was parked has waited its rung already (TW-RET-018). No number asks for nothing. */
function pause(outcome: AttemptOutcome, rung: number, longest: number): number {
  const asked = Math.min(outcome.retryAfterMs || 0, longest);
  const parked = outcome.verdict.certainty === 'delivered' && outcome.answerLost !== true ? (outcome.ms ?? 0) : 0;
  return Math.max(rung - parked, asked, 0);
}
