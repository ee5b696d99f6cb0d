/** What the kit says of an orchestrator that is wrong in one way. */
import { expect } from 'vitest';
import type { Difference } from '../../broken/bundle.ts';
import { buildOrchestrator } from '../../broken/orchestrator/build.ts';
import { type OrchestratorRun, runOrchestrator } from './run.ts';

export const usual: OrchestratorRun = { level: 'may', timeoutMs: 30_000, jobs: 2, seed: 1 };

export const themeOf = ({ caughtBy: [id = ''] }: Difference): string => id.split('.')[0] ?? '';

/** It fails exactly the checks that are meant to catch it, of those. */
export async function caught(difference: Difference): Promise<void> {
  const file = await buildOrchestrator(difference);
  const only = difference.caughtBy;
  const { checks } = await runOrchestrator({ ...usual, command: `node ${JSON.stringify(file)} serve`, only });
  const failed = checks.flatMap(({ id, verdict }) => (verdict === 'failed' ? [id] : [])).sort();
  expect(failed).toEqual([...only].sort());
}
