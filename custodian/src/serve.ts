import { createLineLogger, createLogger, type Listening, listen, onSignals, StartError } from '@turnwire/server';
import { createCustodian } from './app.ts';
import { readAuthorities } from './authorities.ts';
import { checkHealth, createHealth } from './health.ts';
import { STOP_GRACE_MS } from './limits.ts';
import { pool } from './pool.ts';
import { watchSent } from './sent.ts';
import { openTokenFile } from './token-file.ts';

export interface ServeSettings {
  readonly host: string;
  readonly port: number;
  readonly orchestratorUrl: string;
  readonly placementTokenFile?: string;
  readonly healthPort?: number;
  readonly healthHost?: string;
  readonly caFile?: string;
}

/** The Node engine. */
export async function serve(settings: ServeSettings): Promise<void> {
  if (!settings.placementTokenFile) {
    throw new StartError('no placement token file; set --placement-token-file or TURNWIRE_PLACEMENT_TOKEN_FILE');
  }
  const { caFile, orchestratorUrl } = settings;
  checkHealth(settings);
  const authorities = caFile === undefined ? undefined : readAuthorities(caFile, orchestratorUrl);
  const token = openTokenFile(settings.placementTokenFile);
  const log = createLogger('custodian');
  const { origin, pathname } = new URL(orchestratorUrl);
  const base = pathname.replace(/\/$/, '');
  const upstream = { origin, base, dispatcher: pool(authorities), sent: watchSent() };
  const app = createCustodian({ upstream, token, log, decisions: createLineLogger('custodian') });
  const { host, port, healthPort, healthHost = host } = settings;
  const servers: Listening[] = [];
  if (healthPort !== undefined) {
    const health = { app: createHealth(log), host: healthHost, port: healthPort, announce: false };
    servers.push(await listen({ ...health, role: 'custodian' }));
  }
  servers.push(await listen({ app, host, port, role: 'custodian' }));
  onSignals({
    drain: () => void stop(servers).then(() => process.exit(0)),
    again: () => process.exit(1),
  });
}

const stop = (servers: readonly Listening[]) =>
  Promise.all(servers.map((server) => server.close({ graceMs: STOP_GRACE_MS })));
