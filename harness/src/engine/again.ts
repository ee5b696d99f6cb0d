/** Whether and when a failed attempt of a step is begun again. Pure: a step has no effect but its cost. */
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

/** `retry-after-ms`, else `retry-after` in seconds or as a date. */
export function askedToWait(headers: Readonly<Record<string, string>> | undefined, now: number): number | undefined {
  const ms = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const text = headers?.['retry-after'];
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
