import { describe, expect, it } from 'vitest';
import { problemsIn } from './repository.ts';
import { vectors } from './vectors.ts';

const spec = {
  'spec/outcomes.yaml': 'outcomes: {moved: {}}\ntexts: {nudge: {}}\n',
  'spec/openapi/protocol-root.yaml': 'x-turnwire: {evidence: {reset: {}}}\n',
};
const vector = (id: string, input: object, more: object = {}) => ({
  id,
  says: 'A sentence.',
  requirements: ['TW-CER-001'],
  input,
  expected: {},
  ...more,
});
const whole = [vector('a', { code: 'moved' }), vector('b', { text: 'nudge' }), vector('c', { kind: 'reset' })];
const file = (list: object[]) => ({ ...spec, 'spec/vectors/x.json': JSON.stringify({ vectors: list }) });

describe('vectors', () => {
  it('holds when each is well-formed and everything has one', async () => {
    expect(await problemsIn(vectors, file(whole))).toEqual([]);
  });

  it('catches an outcome, a text and an evidence name without a vector', async () => {
    expect(await problemsIn(vectors, file([]))).toEqual([
      'spec/vectors: add a vector for the outcome `moved`',
      'spec/vectors: add a vector for the text `nudge`',
      'spec/vectors: add a vector for the evidence `reset`',
    ]);
  });

  it('catches a repeated id, a missing sentence, no requirement and no expectation', async () => {
    const broken = [
      vector('a', {}),
      vector('d', {}, { says: 'no sentence' }),
      vector('e', {}, { requirements: [] }),
      vector('f', {}, { expected: undefined }),
    ];
    expect(await problemsIn(vectors, file([...whole, ...broken]))).toHaveLength(4);
  });
});
