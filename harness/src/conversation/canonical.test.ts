import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bodyDigest, canonical } from './canonical.ts';

it('gives equal JSON values one text, whatever the order of their members (TW-GEN-018)', () => {
  expect(canonical({ b: [1, { d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[1,{"c":null,"d":1}]}');
  expect(bodyDigest(JSON.parse('{"a":1.0,"b":2}'))).toBe(bodyDigest(JSON.parse('{ "b": 2, "a": 1 }')));
});

it('gives different values different texts', () => {
  expect(bodyDigest({ a: '1' })).not.toBe(bodyDigest({ a: 1 }));
  expect(bodyDigest([1, 2])).not.toBe(bodyDigest([2, 1]));
  expect(bodyDigest(JSON.parse('{"__proto__":1}'))).not.toBe(bodyDigest({}));
});

it('is JSON of the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noNegativeZero: true } as never), (value) => {
      expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
