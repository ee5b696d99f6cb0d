import { describe, expect, it } from 'vitest';
import type { Facts } from './conversation.ts';
import { extractAll, fill, firstJson } from './template.ts';

const facts = (lastToolResult: string): Facts => ({
  model: 'm',
  tools: [],
  system: '',
  messages: '',
  lastMessage: '',
  toolResults: lastToolResult,
  lastToolResult,
  step: 1,
  called: [],
});

describe('extract', () => {
  it('takes each match with its named groups', () => {
    const rule = {
      extract: { found: { from: 'lastToolResult' as const, matches: '(?<file>\\S+):(?<line>\\d+)' } },
      reply: {},
    };
    expect(extractAll(rule, facts('a.ts:3 and b.ts:14')).found).toEqual([
      { match: 'a.ts:3', file: 'a.ts', line: '3' },
      { match: 'b.ts:14', file: 'b.ts', line: '14' },
    ]);
  });

  it('walks into the first JSON of a text, and is null where nothing is', () => {
    const rule = { extract: { found: { from: 'lastToolResult' as const, json: '/findings/0' } }, reply: {} };
    expect(extractAll(rule, facts('It said {"findings":[{"a":1}]}. More.')).found).toEqual({ a: 1 });
    expect(extractAll(rule, facts('nothing')).found).toBeNull();
  });
});

describe('firstJson', () => {
  it.each([
    ['prose {not json} then [1, 2]', [1, 2]],
    ['brackets in texts: {"a": "}] \\" {"}', { a: '}] " {' }],
    ['an open one [1, 2', undefined],
    ['', undefined],
  ])('%s', (text, value) => expect(firstJson(text)).toEqual(value));
});

describe('fill', () => {
  const values = {
    list: [
      { file: 'a', line: '7' },
      { file: 'b', line: '9' },
    ],
    n: 3,
    word: 'hi',
  };

  it.each([
    ['a value alone keeps its type', '{n}', 3],
    ['a number made of a text', '{list.0.line:number}', 7],
    ['inside a text it is text', 'n={n}, {word}, {list.length}', 'n=3, hi, 2'],
    ['an unknown name stays', '{nobody} {"a": 1}', '{nobody} {"a": 1}'],
    ['a default where nothing is', '{nobody|1} and {word|x}', '1 and hi'],
    ['a default alone, as a number', '{nobody:number|1}', 1],
    ['objects and lists', { a: ['{word}'], b: true }, { a: ['hi'], b: true }],
  ])('%s', (_, template, filled) => expect(fill(template, values)).toEqual(filled));

  it('repeats for each item', () => {
    const template = { comments: { $each: 'list', item: { file: '{file}', line: '{line:number}', of: '{word}' } } };
    expect(fill(template, values)).toEqual({
      comments: [
        { file: 'a', line: 7, of: 'hi' },
        { file: 'b', line: 9, of: 'hi' },
      ],
    });
    expect(fill({ $each: 'list', item: '{file}', limit: 1 }, values)).toEqual(['a']);
    expect(fill({ $each: 'nobody' }, values)).toEqual([]);
  });
});
