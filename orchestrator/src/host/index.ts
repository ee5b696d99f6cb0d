/** Opens the database and hosts its runs: what `serve` starts. */
import { type ConnectionOptions, systemClock } from '@turnwire/sdk';
import type { Logger } from '@turnwire/server';
import { machines } from '../machine/index.ts';
import type { Loaded } from '../machine/port.ts';
import { openStore } from '../store/open.ts';
import type { StoreOptions } from '../store/port.ts';
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
  placements: Placements;
  /** Where Agents run that name no placement. */
  defaultPlacement: string;
  log: Logger;
  clock?: HostClock;
  /** A successor has the database: this process must end. */
  onFenced?: () => void;
  connection?: Omit<ConnectionOptions, 'baseUrl' | 'token'>;
}

/**
 * Waits for the database, migrates it, loads every live run and sets its work going.
 * @throws StartError
 */
export async function openHost(options: OpenHostOptions): Promise<RunHost> {
  const { log, loaded, placements, defaultPlacement } = options;
  const clock = options.clock ?? { now: Date.now, sleep: systemClock.sleep };
  const tally = new Tally();
  const store = await openStore(options.databaseUrl, options);
  const harnesses = new SdkHarnesses({
    placements,
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
    defaultPlacement,
    clock,
    log,
    tally,
    ...fenced,
  });
  await host.restore();
  harnesses.learnAll();
  return Object.assign(host, { stop: stopAll(host, harnesses, store) });
}

function stopAll(host: DurableRunHost, harnesses: SdkHarnesses, store: { close(): void }): () => Promise<void> {
  const stop = host.stop.bind(host);
  return async () => {
    await stop();
    await harnesses.close();
    store.close();
  };
}
