import { describe, expect, it } from 'vitest';
import { marksOf, usesOf } from './template.ts';

describe('the template language', () => {
  it('reads values, lists and sections', () => {
    expect(marksOf('{a} {b,}{?c}{!d}{/d}{#e}{/e}{/c}').map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'value a',
      'list b',
      'if c',
      'unless d',
      'end d',
      'each e',
      'end e',
      'end c',
    ]);
  });

  it.each([
    ['{?a}', '{/a} is missing'],
    ['{/a}', '{/a} closes nothing'],
    ['{?a}{?b}{/a}{/b}', '{/a} closes nothing'],
    ['{ a }', 'a brace that is not part of a mark'],
    ['{?a,}', '{?a,} is not a mark'],
  ])('refuses %s', (template, reason) => {
    expect(() => marksOf(template)).toThrow(reason);
  });

  it('knows where a value is under its own condition', () => {
    expect(usesOf('{a}{?b}{b}{a}{/b}{!c}{c}{/c}{#d}{inner}{/d}')).toEqual([
      { name: 'a', guarded: false },
      { name: 'b', guarded: true },
      { name: 'b', guarded: true },
      { name: 'a', guarded: false },
      { name: 'c', guarded: true },
      { name: 'c', guarded: false },
      { name: 'd', guarded: false },
    ]);
  });
});
