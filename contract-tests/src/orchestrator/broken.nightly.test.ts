import { describe, it } from 'vitest';
import { differences } from '../../broken/orchestrator/build.ts';
import { caught } from './broken.fixture.ts';

describe('every orchestrator that is wrong in one way is caught by the check that is meant for it', () => {
  it.concurrent.each(differences.map((difference) => [difference.name, difference] as const))(
    '%s',
    (_, difference) => caught(difference),
    240_000,
  );
});
