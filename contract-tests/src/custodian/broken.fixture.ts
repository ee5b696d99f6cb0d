/** What the kit says of a custodian that is wrong in one way. */
import { expect } from 'vitest';
import type { Difference } from '../../broken/custodian/build.ts';
import { nodeEngine, usual } from './engines.fixture.ts';
import { runCustodian } from './run.ts';

export const themeOf = ({ caughtBy: [id = ''] }: Difference): string => id.split('.')[0] ?? '';

/** It fails exactly the checks that are meant to catch it, of those. */
export async function caught(difference: Difference): Promise<void> {
  const only = difference.caughtBy;
  const { checks } = await runCustodian({ ...usual, command: await nodeEngine(difference), only });
  const failed = checks.flatMap(({ id, verdict }) => (verdict === 'failed' ? [id] : [])).sort();
  expect(failed).toEqual([...only].sort());
}
