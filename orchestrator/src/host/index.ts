/** Opens the database and hosts its runs: what `serve` starts. */
import { type ConnectionOptions, systemClock } from '@turnwire/sdk';
import type { Logger } from '@turnwire/server';
import { NODE_HEARING_MS } from '../limits.ts';
import { machines } from '../machine/index.ts';
import type { Loaded } from '../machine/port.ts';
import { HealthChecker } from '../nodes/checker.ts';
import { nodePlacements } from '../nodes/placements.ts';
import { Prober } from '../nodes/probe.ts';
import { LiveNodes } from '../nodes/registry.ts';
import { openStore } from '../store/open.ts';
import type { Store, StoreOptions } from '../store/port.ts';
import type { HostClock } from './clock.ts';
import { SdkHarnesses } from './harnesses.ts';
import type { Placements } from './placements.ts';
import type { RunHost } from './port.ts';
import { DurableRunHost } from './run-host.ts';
import { Tally } from './tally.ts';

export { fixedPlacements } from './placements.ts';

export interface OpenHostOptions extends StoreOptions {
  /** `file:PATH` or `memory:`. */
  databaseUrl: string;
  /** How long a successor waits for the process before it, in milliseconds (TW-DUR-008). */
  waitMs: number;
  /** Called once when it has to wait for the database. */
  onWaiting?: () => void;
  /** Gives up that wait. */
  signal?: AbortSignal;
  loaded: Loaded;
  /** Where Harnesses are that are no nodes. */
  placements: Placements;
  /** What is presented to the Harness of a placement. */
  harnessToken: (placement: string) => string;
  /** How long the restart of a node is waited for, in milliseconds; negative: not at all. */
  restartGraceMs?: number;
  /** Where Agents run that name no placement. */
  defaultPlacement: string;
  log: Logger;
  clock?: HostClock;
  /** The database is this process's no more, for this reason: it must end. */
  onFenced?: (reason: string) => void;
  connection?: Omit<ConnectionOptions, 'baseUrl' | 'token'>;
}

/**
 * Waits for the database, migrates it, loads every live run and sets its work going.
 * @throws StartError
 */
export async function openHost(options: OpenHostOptions): Promise<RunHost> {
  const { log, loaded, defaultPlacement, restartGraceMs } = options;
  const clock = options.clock ?? { now: Date.now, sleep: systemClock.sleep };
  const tally = new Tally();
  const store = await openStore(options.databaseUrl, options);
  const nodes: LiveNodes = new LiveNodes({
    saved: await store.nodes(),
    now: clock.now,
    hearingMs: NODE_HEARING_MS,
    commit: (writes) => host.commit(writes),
  });
  const harnesses = new SdkHarnesses({
    placements: nodePlacements(nodes, options.placements, options.harnessToken),
    nodes,
    remembered: await store.placements(),
    clock,
    save: (row) => store.commit([{ placements: [row] }]),
    connection: {
      log: (line) => log.warn(line, line.msg),
      metric: ({ seat, ok }) => tally.add('routability_total', { seat, ok: String(ok) }),
      ...options.connection,
    },
  });
  const fenced = options.onFenced === undefined ? {} : { onFenced: options.onFenced };
  const host = new DurableRunHost({
    store,
    machines,
    loaded,
    harnesses,
    nodes,
    defaultPlacement,
    clock,
    log,
    tally,
    ...fenced,
    ...(restartGraceMs !== undefined && { restartGraceMs }),
  });
  await host.restore();
  harnesses.learnAll();
  nodes.onChange((nodeId) => {
    if (nodes.get(nodeId)?.health === 'unknown') harnesses.registered(nodeId);
  });
  const watching = watch(nodes, clock, options);
  return Object.assign(host, { stop: stopAll(host, harnesses, watching, store) });
}

/** Sets the health checker going. */
function watch(nodes: LiveNodes, clock: HostClock, { log, connection }: OpenHostOptions): { stop(): Promise<void> } {
  const prober = new Prober(connection);
  const checker = new HealthChecker({
    nodes,
    clock,
    random: Math.random,
    probe: prober.probe,
    failed: (error) => log.warn({ reason: String(error) }, 'the health of a node could not be written'),
  });
  nodes.onChange((nodeId) => {
    if (!nodes.get(nodeId)) prober.forget(nodeId);
  });
  return {
    stop() {
      checker.stop();
      return prober.close();
    },
  };
}

function stopAll(
  host: DurableRunHost,
  harnesses: SdkHarnesses,
  watching: { stop(): Promise<void> },
  store: Store,
): () => Promise<void> {
  const stop = host.stop.bind(host);
  return async () => {
    // Both at once: from here on new work is refused.
    await Promise.all([stop(), watching.stop()]);
    await harnesses.close();
    store.close();
  };
}
