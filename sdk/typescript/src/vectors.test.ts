import { describe, expect, it } from 'vitest';
import { vectorChecks } from './testing/vectors.ts';

describe('the vectors of the spec', () => {
  it('are there', () => expect(vectorChecks.length).toBeGreaterThan(300));
  it.each(vectorChecks)('$name', ({ run }) => run());
});
