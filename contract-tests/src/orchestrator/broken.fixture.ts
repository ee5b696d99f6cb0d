/** What the kit says of an orchestrator that is wrong in one way. */
import type { Difference } from '../../broken/bundle.ts';
import { buildOrchestrator } from '../../broken/orchestrator/build.ts';
import { expectCaught } from '../run/caught.fixture.ts';
import { type OrchestratorRun, runOrchestrator } from './run.ts';

export const usual: OrchestratorRun = { level: 'may', timeoutMs: 30_000, jobs: 2, seed: 1 };

/** Milliseconds; the reference needs no more of them for any of these checks. */
const waits = { patienceMs: 8_000 };

export async function caught(difference: Difference): Promise<void> {
  const file = await buildOrchestrator(difference);
  const command = `node ${JSON.stringify(file)} serve`;
  expectCaught(difference, await runOrchestrator({ ...usual, waits, command, only: difference.caughtBy }));
}
