import { protocol } from '@turnwire/sdk';
import {
  command,
  createLogger,
  httpUrl,
  type Listening,
  listen,
  onSignals,
  port,
  runMain,
  StartError,
  setting,
} from '@turnwire/server';
import { Agent } from 'undici';
import { createCustodian } from './app.ts';
import { createHealth } from './health.ts';
import { STOP_GRACE_MS } from './limits.ts';
import { watchSent } from './sent.ts';
import { openTokenFile } from './token-file.ts';

interface Settings {
  readonly host: string;
  readonly port: number;
  readonly orchestratorUrl: string;
  readonly placementTokenFile?: string;
  readonly healthPort?: number;
}

const program = command('turnwire-custodian', 'The proxy beside a Harness that holds its credential.');

program
  .command('serve', { isDefault: false })
  .description('forward the agent surface to the Orchestrator')
  .addOption(setting('HOST', 'the address to listen on', { default: '127.0.0.1' }))
  .addOption(setting('PORT', 'the port to listen on; 0 picks a free one', { default: 8081, parse: port }))
  .addOption(
    setting('ORCHESTRATOR_URL', 'where the Orchestrator is', { default: 'http://127.0.0.1:4000', parse: httpUrl }),
  )
  .addOption(setting('PLACEMENT_TOKEN_FILE', 'the file (0600) that holds the placement token'))
  .addOption(setting('HEALTH_PORT', 'answer GET /healthz on this port too', { parse: port }))
  .action((settings: Settings) => serve(settings));

async function serve(settings: Settings): Promise<void> {
  if (!settings.placementTokenFile) {
    throw new StartError('no placement token file; set --placement-token-file or TURNWIRE_PLACEMENT_TOKEN_FILE');
  }
  const token = openTokenFile(settings.placementTokenFile);
  const log = createLogger('custodian');
  const sent = watchSent();
  const dispatcher = new Agent({
    connect: { timeout: protocol.custodian.connectTimeoutMs },
    keepAliveTimeout: protocol.constants.idleSocketMs,
    keepAliveMaxTimeout: protocol.constants.idleSocketMs,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const app = createCustodian({ upstream: { origin: settings.orchestratorUrl, dispatcher, sent }, token, log });
  const servers: Listening[] = [];
  if (settings.healthPort !== undefined) {
    servers.push(
      await listen({
        app: createHealth(log),
        host: settings.host,
        port: settings.healthPort,
        role: 'custodian',
        announce: false,
      }),
    );
  }
  servers.push(await listen({ app, host: settings.host, port: settings.port, role: 'custodian' }));
  onSignals({
    drain: () => void stop(servers).then(() => process.exit(0)),
    again: () => process.exit(1),
  });
}

const stop = (servers: readonly Listening[]) =>
  Promise.all(servers.map((server) => server.close({ graceMs: STOP_GRACE_MS })));

await runMain('turnwire-custodian', async () => {
  await program.parseAsync();
});
