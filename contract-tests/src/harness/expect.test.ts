import { describe, expect, it } from 'vitest';
import { mismatch } from './expect.ts';
import { fill } from './fill.ts';

describe('what is expected', () => {
  it.each<[unknown, unknown]>([
    [{ a: 1 }, { a: 1, b: 2 }],
    [
      [{ a: 1 }, {}],
      [{ a: 1, b: 2 }, { c: 3 }],
    ],
    [{ $matches: '^a.c$' }, 'abc'],
    [{ $includes: 'b' }, 'abc'],
    [{ $includes: { a: 1 } }, [{ a: 2 }, { a: 1 }]],
    [{ $not: 1 }, 2],
    [{ $length: { $atLeast: 2 } }, [1, 2]],
    [{ $absent: true }, undefined],
    [{ $any: true }, null],
    [{ $each: { a: 1 } }, [{ a: 1 }, { a: 1, b: 1 }]],
    [{ $atLeast: 2, $atMost: 3 }, 3],
    [{ $equals: { a: 1 } }, { a: 1 }],
    [null, null],
  ])('%j takes %j', (wanted, actual) => expect(mismatch(wanted, actual)).toBeUndefined());

  it.each<[unknown, unknown, string]>([
    [{ a: { b: 1 } }, { a: { b: 2 } }, 'a.b is 2, not 1'],
    [[1], [1, 2], 'it has 2 entries: [1,2], not 1'],
    [{ a: 1 }, undefined, 'it is absent, not {"a":1}'],
    [{ $matches: 'x' }, 'abc', 'it is "abc", not a match of "x"'],
    [{ $atLeast: 2, $atMost: 3 }, 4, 'it is 4, not at most 3'],
    [{ $equals: { a: 1 } }, { a: 1, b: 2 }, 'it is {"a":1,"b":2}, not {"a":1}'],
    [{ $absent: true }, 1, 'it is 1, not absent'],
    [{ $unknown: 1 }, 1, 'it is 1, not unknown 1'],
    [{ $each: 1 }, undefined, 'it is absent, not a list, each 1'],
    [{ a: { $each: { b: 1 } } }, { a: [{ b: 1 }, { b: 2 }] }, 'a[1].b is 2, not 1'],
    [{ $length: { $atLeast: 2 } }, 'a', 'it is "a", not of length at least 2'],
  ])('%j does not take %j', (wanted, actual, sentence) => expect(mismatch(wanted, actual)).toBe(sentence));
});

it('fills in what is known, and leaves the rest', () => {
  const known = { one: { id: 'x', list: [1, 2] }, n: 7 };
  expect(fill({ a: '{one.id}-{n}', b: '{one.list}', c: ['{one.list.1}', '{nobody}', '{"json": 1}'] }, known)).toEqual({
    ...{ a: 'x-7', b: [1, 2], c: [2, '{nobody}', '{"json": 1}'] },
  });
});
