/** What `serve` hosts: the workflows of a folder, on a database, with one placement at a fixed address. */
import { type Logger, StartError } from '@turnwire/server';
import { fixedPlacements, type OpenHostOptions, openHost } from './host/index.ts';
import { SUCCESSOR_WAIT_MS } from './limits.ts';
import { type Loaded, machines, type Refused } from './machine/index.ts';
import type { HostStart, Prepared } from './serve.ts';
import type { Settings } from './settings.ts';

/**
 * @param more laid over what the settings say of the host
 * @throws StartError when a workflow is refused and that is not to be put up with (TW-AUT-012)
 */
export async function prepareHost(
  settings: Settings,
  log: Logger,
  more: Partial<OpenHostOptions> = {},
): Promise<Prepared> {
  const loaded = await machines.load(settings.workflows);
  const refused = [...loaded.refused.values()];
  if (settings.strict && refused.length > 0) throw new StartError(strictLine(refused));
  for (const { name, file, findings } of refused) {
    for (const { code, message } of findings) log.warn({ workflow: name, file, code }, `refused: ${message}`);
  }
  if (loaded.workflows.size === 0)
    log.warn({ folder: settings.workflows }, 'there is no workflow to run in this folder');
  return { startHost: (start) => startHost(start, loaded, more) };
}

function startHost({ settings, tokens, log, signal }: HostStart, loaded: Loaded, more: Partial<OpenHostOptions>) {
  const { placement, harnessUrl: baseUrl } = settings;
  return openHost({
    databaseUrl: `file:${settings.database}`,
    waitMs: SUCCESSOR_WAIT_MS,
    onWaiting: () =>
      log.info({ database: settings.database }, 'another process has the database; waiting for it to end'),
    signal,
    loaded,
    placements: fixedPlacements({ [placement]: { baseUrl, token: tokens.harnessToken(placement) } }),
    harnessToken: tokens.harnessToken,
    defaultPlacement: placement,
    restartGraceMs: settings.restartGraceMs,
    log,
    ...more,
    onFenced: (reason) => {
      log.fatal({ database: settings.database }, `${reason}; this process ends`);
      process.exit(1);
    },
  });
}

function strictLine(refused: readonly Refused[]): string {
  const lines = refused.flatMap(({ findings }) => findings.map(({ message }) => message));
  return `${refused.length === 1 ? 'a workflow is' : `${refused.length} workflows are`} refused: ${lines.join('; ')}`;
}
