/** A Harness with all that it works with: engine, clock, the way to the Orchestrator, and what it logs. */
import { randomBytes } from 'node:crypto';
import { type Connection, systemClock } from '@turnwire/sdk';
import type { Logger } from '@turnwire/server';
import type { Settlement, Submission } from './conversation/state.ts';
import { aiSdkEngine } from './engine/ai-sdk.ts';
import { patientFetch } from './engine/model-fetch.ts';
import { modelSettings } from './engine/models.ts';
import type { Conversation } from './host/conversation.ts';
import { Harness } from './host/harness.ts';
import { FolderGone } from './log/identity.ts';
import type { Metrics } from './metrics.ts';
import type { ServeSettings } from './settings.ts';
import type { TurnClock } from './turn/port.ts';
import { runTurn } from './turn/run.ts';
import { agentSurface } from './turn/surface.ts';

const DAY_MS = 24 * 3_600_000;
const GONE = 'the data folder was removed or replaced while this process held it; nothing more is acknowledged';

export interface Assembled {
  readonly harness: Harness;
  readonly lastSettledAt: () => number | undefined;
}

/** Opens the data folder, which this process holds. Nothing runs before it recovers. */
export function assemble(settings: ServeSettings, custodian: Connection, log: Logger, metrics: Metrics): Assembled {
  const clock: TurnClock = { now: () => Date.now(), sleep: systemClock.sleep };
  let lastSettledAt: number | undefined;
  const harness = new Harness({
    dataDir: settings.dataDir,
    keepMs: settings.keepDays * DAY_MS,
    concurrency: settings.concurrency,
    runTurn,
    surface: agentSurface(custodian),
    engine: aiSdkEngine({ settings: modelSettings(process.env), clock, fetch: patientFetch() }),
    clock,
    newId,
    log,
    fail: (error) => {
      if (error instanceof FolderGone) log.fatal({ reason: error.message, dataDir: settings.dataDir }, GONE);
      else log.fatal({ err: error }, 'the data folder cannot be written; what is not written is not acknowledged');
      process.exit(1);
    },
    settled: (conversation, submission, settlement) => {
      lastSettledAt = clock.now();
      const ms = lastSettledAt - submission.admittedAt;
      metrics.settlement(settlement, ms);
      logSettlement(log, conversation, submission, settlement, ms);
    },
  });
  return { harness, lastSettledAt: () => lastSettledAt };
}

/** One line per settlement; never a prompt, an input or an answer. */
function logSettlement(
  log: Logger,
  { state }: Conversation,
  { submissionId, turnId }: Submission,
  { outcome, error }: Settlement,
  ms: number,
): void {
  const ids = { iid: state.iid, agent: state.name, submissionId, turnId };
  log.info({ ...ids, outcome, code: error?.code, ms }, 'turnwire.settlement');
}

/** A fresh id: a prefix for people and 96 random bits. */
const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;
