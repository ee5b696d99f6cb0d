/** Whether and when a failed attempt of a step is begun again. Pure: a step has no effect but its cost. */
import { retryAfterMs } from '@turnwire/sdk';
import { MODEL_ATTEMPTS, MODEL_WINDOW_MS } from '../turn/limits.ts';

export interface Failure {
  readonly retryable: boolean;
  /** What the provider asked for, in milliseconds. */
  readonly retryAfterMs?: number;
}

export interface Tried {
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly elapsedMs: number;
  /** Of the shared ladder, jitter included. */
  readonly rungMs: number;
}

/** Milliseconds to wait before the next attempt, or undefined: it failed for good. */
export function nextAttempt(failure: Failure, tried: Tried): number | undefined {
  if (!failure.retryable || tried.attempts >= MODEL_ATTEMPTS) return undefined;
  const wait = Math.max(failure.retryAfterMs ?? 0, tried.rungMs);
  return tried.elapsedMs + wait <= MODEL_WINDOW_MS ? wait : undefined;
}

/** `retry-after-ms`, which the model providers send beside the standard header, else `retry-after`. */
export function askedToWait(headers: Readonly<Record<string, string>> | undefined, now: number): number | undefined {
  const ms = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  return retryAfterMs(headers?.['retry-after'], headers?.date, now);
}
