/** One Orchestrator process, from its settings to its end. What it hosts comes in through `startHost`. */
import { announce, type Listening, type Logger, listen, StartError } from '@turnwire/server';
import { createOrchestratorApp } from './api/app.ts';
import { createMetrics } from './api/metrics.ts';
import { Service } from './api/service.ts';
import type { RunHost } from './host/port.ts';
import { ANNOUNCE_AFTER_MS, STOP_CONNECTIONS_MS, STOP_HOST_MS } from './limits.ts';
import type { Settings } from './settings.ts';
import { createTokens, instanceToken, signingKey, type Tokens } from './tokens.ts';

export interface HostStart {
  readonly settings: Settings;
  readonly tokens: Tokens;
  readonly log: Logger;
  /** Fires when the process is told to stop before its host is up. */
  readonly signal: AbortSignal;
}

export interface ServeParts {
  readonly log: Logger;
  readonly software: { readonly name: string; readonly version: string };
  /** How often a quiet feed says that it is alive, in milliseconds. */
  readonly feedCommentMs: number;
  /**
   * Loads the workflows. Nothing is open yet: what it refuses leaves nothing behind.
   * @throws StartError
   */
  readonly prepare: (settings: Settings, log: Logger) => Promise<Prepared>;
}

export interface Prepared {
  /** Waits for the database, migrates it, loads every live run. @throws StartError */
  startHost(start: HostStart): Promise<RunHost>;
}

export interface Serving {
  readonly url: string;
  readonly service: Service;
  /** Resolves when every live run is loaded and the API is served. @throws StartError */
  readonly ready: Promise<void>;
  /** Ends it: new work refused, parked polls answered, commits finished. Within 10 s (TW-DRN-007). */
  stop(): Promise<void>;
}

/**
 * Checks everything that can be checked, takes the port, then opens the database and loads the runs behind it: until
 * then `/healthz` and `/readyz` are served alone.
 * @throws StartError in one line; nothing is left half started
 */
export async function serve(settings: Settings, parts: ServeParts): Promise<Serving> {
  const { log } = parts;
  const made = (file: string) => log.info({ file }, `made ${file}`);
  const key = signingKey(settings.stateDir, made);
  const tokens = createTokens(key, instanceToken(settings.stateDir, made), [settings.placement]);
  const prepared = await parts.prepare(settings, log);
  const service = new Service();
  const app = createOrchestratorApp({ ...parts, service, tokens, metrics: createMetrics(service) });
  const listening = await listen({
    app,
    host: settings.host,
    port: settings.port,
    role: 'orchestrator',
    announce: false,
  });
  const starting = prepared.startHost({ settings, tokens, log, signal: service.ended });
  return {
    url: listening.url,
    service,
    ready: becomeReady(starting, service, listening),
    stop: once(() => stop(service, starting, listening, log)),
  };
}

async function becomeReady(starting: Promise<RunHost>, service: Service, listening: Listening): Promise<void> {
  // A quick start is announced when it serves; a slow one, or one that waits for the lock, can at least be asked how it is.
  const say = once(async () => announce('orchestrator', listening.url));
  const slow = setTimeout(say, ANNOUNCE_AFTER_MS);
  try {
    service.serve(await starting);
    await say();
  } catch (error) {
    await listening.close({ graceMs: 0 });
    // Told to stop while it waited: that is no failure.
    if (service.phase !== 'stopping' || !(error instanceof StartError)) throw error;
  } finally {
    clearTimeout(slow);
  }
}

async function stop(service: Service, starting: Promise<RunHost>, listening: Listening, log: Logger): Promise<void> {
  service.stop();
  const host = await starting.catch(() => undefined);
  const inTime = await within(STOP_HOST_MS, host?.stop());
  if (!inTime) log.warn({ ms: STOP_HOST_MS }, 'the host did not stop in time; what it had committed is kept');
  await listening.close({ graceMs: STOP_CONNECTIONS_MS });
}

/** Whether `work` ended within `ms`; it goes on by itself if not. */
async function within(ms: number, work: Promise<void> | undefined): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([Promise.resolve(work).then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
