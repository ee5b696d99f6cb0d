import { CURSOR_EPOCH_MS, CURSOR_INTERVAL_MS, CURSOR_JITTER } from '../limits.ts';

/**
 * The cursor of a live answer: the current interval, or a strictly greater one than the client's when that is not older,
 * so that no cache between them answers the same request for ever (TW-STR-014).
 * @param random uniform in [0, 1)
 */
export function nextCursor(now: number, asked: number | undefined, random: () => number): string {
  const current = Math.floor((now - CURSOR_EPOCH_MS) / CURSOR_INTERVAL_MS);
  if (asked === undefined || asked < current) return String(current);
  return String(asked + 1 + Math.floor(random() * CURSOR_JITTER));
}
