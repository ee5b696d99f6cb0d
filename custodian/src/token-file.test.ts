import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTokenFile } from './token-file.ts';

const token = (letter: string, placement = 'local') => `${placement}.${letter.repeat(43)}`;

describe('the placement token file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnwire-token-'));
    file = join(folder, 'token');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (text: string, mode = 0o600) => {
    writeFileSync(file, text);
    chmodSync(file, mode);
  };

  it.each(['', '\n', '\r\n'])('reads a token that ends in %j', (end) => {
    write(token('a') + end);
    const opened = openTokenFile(file);
    expect(opened.read()).toEqual({ placement: 'local', token: token('a') });
  });

  it('reads it again after it was replaced', () => {
    write(token('a'));
    const opened = openTokenFile(file);
    writeFileSync(`${file}.new`, token('b'), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    expect(opened.read().token).toBe(token('b'));
  });

  it('keeps the last good one while the file is being replaced', async () => {
    write(token('a'));
    const opened = openTokenFile(file);
    rmSync(file);
    const later = () => new Promise((resolve) => setImmediate(resolve));
    expect(opened.read().token).toBe(token('a'));
    await later();
    write('half a tok');
    expect(opened.read().token).toBe(token('a'));
    await later();
    write(token('b'), 0o644);
    expect(opened.read().token).toBe(token('a'));
    await later();
    write(token('b'));
    expect(opened.read().token).toBe(token('b'));
  });

  it.each([
    ['missing', () => undefined, /cannot be read \(ENOENT\); write one with/],
    ['empty', () => write(''), /holds no placement token/],
    ['something else', () => write('secret'), /holds no placement token/],
    ['readable by others', () => write(token('a'), 0o644), /can be read by others; run: chmod 600/],
    ['a folder', () => mkdirSync(file), /is not a file; name the file/],
  ])('refuses one that is %s, without a word of what it holds', (_, prepare, message) => {
    prepare();
    expect(() => openTokenFile(file)).toThrow(message);
  });

  it('lets the group read it', () => {
    write(token('a'), 0o640);
    expect(openTokenFile(file).read().placement).toBe('local');
  });
});
