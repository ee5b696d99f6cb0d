/** Serves a Harness, and brings it down again. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { connect, type RoutabilityLine } from '@turnwire/sdk';
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
import { type Agents, loadAgents } from './api/agents.ts';
import { createHarnessApp } from './api/app.ts';
import { type Assembled, assemble } from './assemble.ts';
import { knownModel } from './engine/models.ts';
import { abandon, drain } from './host/drain.ts';
import type { Harness } from './host/harness.ts';
import { CLOSE_GRACE_MS, LAST_WORD_MS, LOCK_WAIT_MS } from './limits.ts';
import { makeFolder, readStore } from './log/folder.ts';
import { Metrics } from './metrics.ts';
import type { NodeClient } from './node/client.ts';
import { becomeNode, checkNodeAgents } from './node/node.ts';
import type { ServeSettings } from './settings.ts';

/** Serves until a signal. It listens before its folder is free, so that a successor can be seen to be coming up. */
export async function serve(settings: ServeSettings): Promise<void> {
  const log = createLogger('harness');
  checkFolder(settings.dataDir);
  const agents: Agents = settings.agentsFile === undefined ? new Map() : loadAgents(settings.agentsFile, knownModel);
  if (settings.nodeId !== undefined) checkNodeAgents(agents);
  const door = openDoor(settings, agents, log);
  const listening = await listen({ app: door.app, host: settings.host, port: settings.port, role: 'harness' });
  const giveUp = new AbortController();
  const stop = onSignals({ drain: () => giveUp.abort(), again: () => process.exit(1) });
  const lock = await waitForFolder(settings, giveUp.signal, log);
  const custodian = connect({
    baseUrl: settings.custodianUrl,
    token: settings.placementToken,
    log: (line: RoutabilityLine) => log.warn(line, line.msg),
    metric: (line: RoutabilityLine) => door.metrics.routability(line),
  });
  const made = assemble(settings, custodian, log, door.metrics);
  const { harness } = made;
  let recovered = false;
  const node = await becomeNode({
    ...{ settings, agents, url: listening.url, version: version(), custodian, harness, log },
    recovered: () => recovered,
  });
  harness.recover();
  recovered = true;
  door.open(harness);
  node?.look();
  log.info({ store: harness.folder.store }, 'ready');
  const end = () => void shutDown({ ...made, lock, listening, node }, settings, log);
  stop();
  onSignals({ drain: end, again: () => void abandon(harness).finally(() => process.exit(1)) });
  if (giveUp.signal.aborted) end();
}

/** What callers see: an app that answers as one that is starting until it has a Harness behind it. */
function openDoor(settings: ServeSettings, agents: Agents, log: Logger) {
  let harness: Harness | undefined;
  let isReady: (harness: Harness) => void = () => undefined;
  let store = readStore(settings.dataDir);
  const metrics = new Metrics(() => harness);
  const app = createHarnessApp({
    harness: () => harness,
    ready: new Promise((resolve) => {
      isReady = resolve;
    }),
    store: () => {
      // One that waits for a new folder learns its name from the process that has made it (TW-ADM-001).
      store ??= harness?.folder.store ?? readStore(settings.dataDir);
      return store;
    },
    tokenDigest: settings.harnessTokenSha256,
    ...(settings.publicUrl === undefined ? {} : { publicUrl: settings.publicUrl }),
    agents,
    knownModel,
    metrics,
    log,
    software: { name: '@turnwire/harness', version: version() },
  });
  const open = (made: Harness): void => {
    harness = made;
    isReady(made);
  };
  return { app, metrics, open };
}

function waitForFolder({ dataDir }: ServeSettings, giveUp: AbortSignal, log: Logger): Promise<FolderLock> {
  return holdFolder(dataDir, {
    waitMs: LOCK_WAIT_MS,
    signal: giveUp,
    onWaiting: () => log.info('waiting for the process that holds the data folder'),
  }).catch((error: unknown) => {
    // A signal while it waited: nothing was begun, and nothing is left to finish.
    if (giveUp.aborted) process.exit(0);
    throw error;
  });
}

interface Serving extends Assembled {
  readonly lock: FolderLock;
  readonly listening: Listening;
  readonly node: NodeClient | undefined;
}

/** Its node heartbeats until the end (TW-NOD-023), and is not gone before it was heard that it goes. */
async function shutDown(serving: Serving, settings: ServeSettings, log: Logger): Promise<void> {
  const { harness, lastSettledAt, lock, listening, node } = serving;
  log.info('draining');
  const drained = drain(harness, {
    timeoutMs: settings.drainTimeout * 1_000,
    lingerMs: settings.linger * 1_000,
    lastSettledAt,
  });
  node?.look();
  await Promise.all([drained, node?.heard('draining', LAST_WORD_MS)]);
  await listening.close({ graceMs: CLOSE_GRACE_MS });
  await harness.journal.settled();
  harness.conversations.close();
  lock.release();
  node?.end();
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

function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return text;
}
