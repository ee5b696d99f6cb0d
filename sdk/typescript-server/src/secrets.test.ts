import { describe, expect, it } from 'vitest';
import { bearerOf, hmac, sameText, sha256 } from './secrets.ts';

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
