import { timingSafeEqual } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { bearerOf, hmac, sameText, sha256 } from './secrets.ts';

vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  return { ...crypto, timingSafeEqual: vi.fn(crypto.timingSafeEqual) };
});

describe('secrets', () => {
  it('digests as base64url', () => {
    expect(sha256('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
    expect(hmac(Buffer.from('key'), 'The quick brown fox jumps over the lazy dog')).toBe(
      '97yD9DBThCSxMpjmqm-xQ-9NWaFJRhdZl0edvC0aPNg',
    );
  });

  it('compares texts of any length', () => {
    expect(sameText('a', 'a')).toBe(true);
    expect(sameText('a', 'b')).toBe(false);
    expect(sameText('a', 'aa')).toBe(false);
  });

  it('compares them in constant time, as digests of one length (TW-TOK-013)', () => {
    vi.mocked(timingSafeEqual).mockClear();
    sameText('a', 'a longer one');
    const [[one, other] = []] = vi.mocked(timingSafeEqual).mock.calls;
    expect([one?.byteLength, other?.byteLength]).toEqual([32, 32]);
  });

  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['Bearer  abc', undefined],
    ['Bearer a b', undefined],
    ['Basic abc', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %j', (header, token) => {
    expect(bearerOf(header)).toBe(token);
  });
});
