import { describe, it } from 'vitest';
import { differences } from '../../broken/custodian/build.ts';
import { caught } from './broken.fixture.ts';

describe('every custodian that is wrong in one way is caught by the check that is meant for it', () => {
  it.concurrent.each(differences.map((difference) => [difference.name, difference] as const))(
    '%s',
    (_, difference) => caught(difference),
    120_000,
  );
});
