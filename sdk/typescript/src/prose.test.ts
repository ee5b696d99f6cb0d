import { describe, it } from 'vitest';
import { proseChecks } from './testing/prose.ts';

describe('the tables say what the prose says', () => {
  it.each(proseChecks)('$name', ({ run }) => run());
});
