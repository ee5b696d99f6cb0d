import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTokens, harnessToken, harnessTokenDigest, instanceToken, placementToken, signingKey } from './tokens.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tw-tokens-'));
});
afterEach(() => {
  chmodSync(dir, 0o700);
  rmSync(dir, { recursive: true });
});

const put = (name: string, content: string | Buffer, mode = 0o600): string => {
  const file = join(dir, name);
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
};

// Computed apart from this code:
//   printf %s local | openssl dgst -sha256 -hmac KEY -binary | basenc --base64url | tr -d =
const KEY = '0123456789abcdef0123456789abcdef';
const PLACEMENT = 'local.nhmgpVAUyeDRPgzj6toRRzVxgCTS75UracCyFalU5UI';
const HARNESS = 'pDSIRMQkvwSzyzRtEtOjIhyjyvOWWzJ-FZA4SqeQihM';
const DIGEST = 'xELqJgoYng7ujKswnjgolM2M_CXh4KJEmTRk13NiSHY';

describe('known answers (TW-TOK)', () => {
  const key = Buffer.from(KEY);
  it('derives the placement token', () => expect(placementToken(key, 'local')).toBe(PLACEMENT));
  it('derives the harness token', () => expect(harnessToken(key, 'local')).toBe(HARNESS));
  it('derives the digest that the Harness holds', () => expect(harnessTokenDigest(key, 'local')).toBe(DIGEST));
});

describe('the signing key file', () => {
  it('is made at the first start: 32 random bytes as base64url text, mode 0600', () => {
    const made: string[] = [];
    const key = signingKey(join(dir, 'deep', 'state'), (file) => made.push(file));
    const file = join(dir, 'deep', 'state', 'signing.key');
    expect(made).toEqual([file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'deep', 'state')).mode & 0o777).toBe(0o700);
    expect(readFileSync(file, 'utf8')).toMatch(/^[A-Za-z0-9_-]{43}\n$/);
    expect(key).toHaveLength(43);
  });

  it('is the same at every later start', () => {
    const first = signingKey(dir);
    expect(signingKey(dir, () => expect.unreachable())).toEqual(first);
  });

  it.each([
    ['no newline', KEY, KEY],
    ['one trailing newline, which does not count', `${KEY}\n`, KEY],
    ['two, of which one counts', `${KEY}\n\n`, `${KEY}\n`],
  ])('reads %s', (_name, content, expected) => {
    put('signing.key', content);
    expect(signingKey(dir).toString()).toBe(expected);
  });

  it('reads bytes that are no text', () => {
    const bytes = Buffer.from(Array.from({ length: 40 }, (_, index) => 250 - index * 6));
    put('signing.key', bytes);
    expect(signingKey(dir).equals(bytes)).toBe(true);
  });

  it.each([0o640, 0o604, 0o644, 0o620, 0o602])('is refused with mode %o, naming the remedy', (mode) => {
    const file = put('signing.key', KEY, mode);
    expect(() => signingKey(dir)).toThrow(
      `${file} can be read by others (mode 0${mode.toString(8)}); run: chmod 600 ${file}`,
    );
  });

  it('is refused when 31 bytes are left without the newline', () => {
    put('signing.key', `${KEY.slice(1)}\n`);
    expect(() => signingKey(dir)).toThrow(/holds 31 bytes and a signing key needs at least 32/);
  });

  it('is refused when it is a folder', () => {
    mkdirSync(join(dir, 'signing.key'));
    expect(() => signingKey(dir)).toThrow(/signing\.key is not a file/);
  });

  it('is refused when it cannot be made, in one line', () => {
    put('state', 'a file where the folder should be');
    expect(() => signingKey(join(dir, 'state'))).toThrow(/^[^\n]*signing\.key cannot be read \(ENOTDIR\)[^\n]*$/);
    symlinkSync(join(dir, 'nowhere', 'x'), join(dir, 'dangling'));
    expect(() => signingKey(join(dir, 'dangling'))).toThrow(
      /is missing and cannot be made \([A-Z]+\); make .* writable/,
    );
  });
});

describe('the instance token file', () => {
  it('is made at the first start and read without its newline', () => {
    const token = instanceToken(dir);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(statSync(join(dir, 'instance.token')).mode & 0o777).toBe(0o600);
    expect(instanceToken(dir)).toBe(token);
  });

  it.each(['', 'short', 'two words and more of them', 'line\nbreak-in-the-middle-of-it'])('refuses %j', (content) => {
    put('instance.token', content);
    expect(() => instanceToken(dir)).toThrow(/does not hold an instance token/);
  });

  it('is refused when others can read it', () => {
    put('instance.token', 'x'.repeat(43), 0o644);
    expect(() => instanceToken(dir)).toThrow(/can be read by others \(mode 0644\)/);
  });
});

describe('who a bearer is', () => {
  const key = Buffer.from(KEY);
  const tokens = createTokens(key, 'instance-token-of-this-test', ['local']);

  it.each([
    ['instance-token-of-this-test', { kind: 'instance' }],
    [PLACEMENT, { kind: 'placement', placement: 'local' }],
    [placementToken(key, 'a-far-place'), { kind: 'placement', placement: 'a-far-place' }],
    [HARNESS, { kind: 'harness', placement: 'local' }],
  ])('knows %s', (bearer, caller) => expect(tokens.identify(bearer)).toEqual(caller));

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['another placement with the same mac', PLACEMENT.replace('local', 'other')],
    ['a mac that lacks its last letter', PLACEMENT.slice(0, -1)],
    ['a mac with one letter more', `${PLACEMENT}A`],
    ['a mac of another key', placementToken(Buffer.from(KEY.toUpperCase()), 'local')],
    ['a name that is no DNS label', placementToken(key, 'Local')],
    ['a name with a dot', placementToken(key, 'a.b')],
    ['an instance token in another case', 'INSTANCE-TOKEN-OF-THIS-TEST'],
    ['the harness token of an unknown placement', harnessToken(key, 'elsewhere')],
    ['the key itself', KEY],
  ])('does not verify %s', (_name, bearer) => expect(tokens.identify(bearer)).toBeUndefined());
});
