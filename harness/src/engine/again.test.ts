import { describe, expect, it } from 'vitest';
import { MODEL_ATTEMPTS, MODEL_WINDOW_MS } from '../turn/limits.ts';
import { askedToWait, nextAttempt } from './again.ts';

describe('the next attempt of a step', () => {
  const tried = { attempts: 1, elapsedMs: 0, rungMs: 250 };

  it.each([
    ['comes after its rung', nextAttempt({ retryable: true }, tried), 250],
    ['comes when it was asked for', nextAttempt({ retryable: true, retryAfterMs: 900 }, tried), 900],
    ['comes no sooner than its rung', nextAttempt({ retryable: true, retryAfterMs: 0 }, tried), 250],
    ['does not come after a final word', nextAttempt({ retryable: false }, tried), undefined],
    [
      'does not come after the last one',
      nextAttempt({ retryable: true }, { ...tried, attempts: MODEL_ATTEMPTS }),
      undefined,
    ],
    [
      'does not come past the window',
      nextAttempt({ retryable: true }, { ...tried, elapsedMs: MODEL_WINDOW_MS - 249 }),
      undefined,
    ],
    [
      'comes at the very end of it',
      nextAttempt({ retryable: true }, { ...tried, elapsedMs: MODEL_WINDOW_MS - 250 }),
      250,
    ],
  ])('%s', (_, wait, expected) => expect(wait).toBe(expected));
});

describe('how long a provider asks to wait', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it.each([
    [undefined, undefined],
    [{}, undefined],
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5000],
    [{ 'retry-after': '3', 'retry-after-ms': '120' }, 120],
    [{ 'retry-after': '3', 'retry-after-ms': 'x' }, 3000],
  ])('%j', (headers, ms) => expect(askedToWait(headers, now)).toBe(ms));
});
