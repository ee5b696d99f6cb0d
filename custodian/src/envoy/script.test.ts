import { describe, expect, it } from 'vitest';
import { lua } from './script.ts';

describe('a value in Lua', () => {
  it.each([
    ["it's", "'it\\39s'"],
    ['a\\b\n', "'a\\92b\\10'"],
    [8, '8'],
    [true, 'true'],
    [{ 'a-b': { c: 1 } }, "{ ['a-b'] = { ['c'] = 1 } }"],
  ])('%j', (value, text) => {
    expect(lua(value)).toBe(text);
  });
});
