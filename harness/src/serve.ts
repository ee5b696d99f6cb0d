/** Puts a Harness together, serves it, and brings it down again. */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, readFileSync } from 'node:fs';
import { connect, type RoutabilityLine, systemClock } from '@turnwire/sdk';
import {
  createLogger,
  type FolderLock,
  holdFolder,
  type Listening,
  type Logger,
  listen,
  onSignals,
  StartError,
} from '@turnwire/server';
import { loadAgents } from './api/agents.ts';
import { createHarnessApp } from './api/app.ts';
import type { Settlement, Submission } from './conversation/state.ts';
import { aiSdkEngine } from './engine/ai-sdk.ts';
import { patientFetch } from './engine/model-fetch.ts';
import { knownModel, modelSettings } from './engine/models.ts';
import type { Conversation } from './host/conversation.ts';
import { abandon, drain } from './host/drain.ts';
import { Harness } from './host/harness.ts';
import { CLOSE_GRACE_MS, LOCK_WAIT_MS } from './limits.ts';
import { makeFolder, readStore } from './log/folder.ts';
import { FolderGone } from './log/identity.ts';
import { Metrics } from './metrics.ts';
import type { ServeSettings } from './settings.ts';
import type { TurnClock } from './turn/port.ts';
import { runTurn } from './turn/run.ts';
import { agentSurface } from './turn/surface.ts';

const DAY_MS = 24 * 3_600_000;
const GONE = 'the data folder was removed or replaced while this process held it; nothing more is acknowledged';

/** Serves until a signal. It listens before its folder is free, so that a successor can be seen to be coming up. */
export async function serve(settings: ServeSettings): Promise<void> {
  const log = createLogger('harness');
  checkFolder(settings.dataDir);
  const agents = settings.agentsFile === undefined ? new Map() : loadAgents(settings.agentsFile, knownModel);
  const storeOnDisk = readStore(settings.dataDir);
  let harness: Harness | undefined;
  let isReady: (harness: Harness) => void = () => undefined;
  const metrics = new Metrics(() => harness);
  const app = createHarnessApp({
    harness: () => harness,
    ready: new Promise((resolve) => {
      isReady = resolve;
    }),
    store: () => harness?.folder.store ?? storeOnDisk,
    tokenDigest: settings.harnessTokenSha256,
    ...(settings.publicUrl === undefined ? {} : { publicUrl: settings.publicUrl }),
    agents,
    knownModel,
    metrics,
    log,
    software: { name: '@turnwire/harness', version: version() },
  });
  const listening = await listen({ app, host: settings.host, port: settings.port, role: 'harness' });
  const giveUp = new AbortController();
  const stop = onSignals({ drain: () => giveUp.abort(), again: () => process.exit(1) });
  const lock = await holdFolder(settings.dataDir, {
    waitMs: LOCK_WAIT_MS,
    signal: giveUp.signal,
    onWaiting: () => log.info('waiting for the process that holds the data folder'),
  }).catch((error: unknown) => {
    // A signal while it waited: nothing was begun, and nothing is left to finish.
    if (giveUp.signal.aborted) process.exit(0);
    throw error;
  });
  stop();
  const made = { ...createHarness(settings, log, metrics), lock };
  made.harness.recover();
  harness = made.harness;
  isReady(harness);
  log.info({ store: harness.folder.store }, 'ready');
  if (giveUp.signal.aborted) await shutDown(made, listening, settings, log);
  onSignals({
    drain: () => void shutDown(made, listening, settings, log),
    again: () => void abandon(made.harness).finally(() => process.exit(1)),
  });
}

interface Made {
  readonly harness: Harness;
  readonly lastSettledAt: () => number | undefined;
}

function createHarness(settings: ServeSettings, log: Logger, metrics: Metrics): Made {
  const clock: TurnClock = { now: () => Date.now(), sleep: systemClock.sleep };
  let lastSettledAt: number | undefined;
  const custodian = connect({
    baseUrl: settings.custodianUrl,
    token: settings.placementToken,
    log: (line: RoutabilityLine) => log.warn(line, line.msg),
    metric: (line: RoutabilityLine) => metrics.routability(line),
  });
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

async function shutDown(
  made: Made & { lock: FolderLock },
  listening: Listening,
  settings: ServeSettings,
  log: Logger,
): Promise<void> {
  log.info('draining');
  await drain(made.harness, {
    timeoutMs: settings.drainTimeout * 1_000,
    lingerMs: settings.linger * 1_000,
    lastSettledAt: made.lastSettledAt,
  });
  await listening.close({ graceMs: CLOSE_GRACE_MS });
  await made.harness.journal.settled();
  made.harness.conversations.close();
  made.lock.release();
  log.info('drained');
  process.exit(0);
}

/** Seen before anything listens: a folder that cannot be used is one line, and nothing half started. */
function checkFolder(path: string): void {
  try {
    makeFolder(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new StartError(
      `the data folder ${path} cannot be written (${reason}); set TURNWIRE_DATA_DIR to a folder that this user may write`,
    );
  }
}

/** A fresh id: a prefix for people and 96 random bits. */
const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return text;
}
