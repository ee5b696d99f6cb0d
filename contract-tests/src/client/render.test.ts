import { describe, expect, it } from 'vitest';
import { anyPhrase, readable, textPattern, type Values } from './render.ts';
import { outcomes, vectorsOf } from './spec.ts';

describe('the kit renders what the vectors say', () => {
  const vectors = vectorsOf('outcomes').vectors.filter(({ input }) => 'code' in input);
  it.each(vectors)('$id: $says', ({ input, expected }) => {
    const template = outcomes[input.code as string]?.text ?? '';
    expect(readable(template, input.values as Values)).toBe(expected.text);
    expect(textPattern(template, input.values as Values).test(expected.text as string)).toBe(true);
  });
});

it('takes any phrase for a value that it cannot know, and nothing else', () => {
  const pattern = textPattern('It failed ({detail}). {?more}More{/more}', { detail: anyPhrase, more: '' });
  expect(pattern.test('It failed (connect ECONNREFUSED 127.0.0.1:1). ')).toBe(true);
  expect(pattern.test('It failed (). ')).toBe(false);
  expect(pattern.test('It failed (a.). ')).toBe(false);
  expect(pattern.test('It failed (a). More')).toBe(false);
});

it('a template that is wrong is no text', () => {
  expect(() => readable('{a}', {})).toThrow('template: a has no value');
  expect(() => readable('{/a}', {})).toThrow('closes nothing');
});
