import { command, dnsLabel, host as hostName, httpUrl, path, port, runMain, setting } from '@turnwire/server';
import { type EnvoyFlags, printBootstrap } from './envoy/command.ts';
import { ENVOY_FLAGS } from './limits.ts';
import { type ServeSettings, serve } from './serve.ts';

const program = command('turnwire-custodian', 'The proxy beside a Harness that holds its credential.');

const host = () => setting('HOST', 'the address to listen on', { default: '127.0.0.1', parse: hostName });
const orchestratorUrl = () =>
  setting('ORCHESTRATOR_URL', 'where the Orchestrator is', { default: 'http://127.0.0.1:4000', parse: httpUrl });
const tokenFile = () =>
  setting('PLACEMENT_TOKEN_FILE', 'the file (0600) that holds the placement token', { parse: path });
const healthPort = () => setting('HEALTH_PORT', 'answer GET /healthz on this port too', { parse: port });
const healthHost = () =>
  setting('HEALTH_HOST', 'the address of the health port; in a pod 0.0.0.0 (default: the host)', { parse: hostName });
const caFile = () =>
  setting('CA_FILE', 'the authorities (PEM) that an https Orchestrator’s certificate must come from', {
    parse: path,
  });

program
  .command('serve', { isDefault: false })
  .description('forward the agent surface to the Orchestrator')
  .addOption(host())
  .addOption(setting('PORT', 'the port to listen on; 0 picks a free one', { default: 8081, parse: port }))
  .addOption(orchestratorUrl())
  .addOption(tokenFile())
  .addOption(healthPort())
  .addOption(healthHost())
  .addOption(caFile())
  .action((settings: ServeSettings) => serve(settings));

program
  .command('envoy')
  .description('print the bootstrap (JSON) of an Envoy that does the same')
  .addHelpText('after', `\nStart it so: envoy -c bootstrap.json ${ENVOY_FLAGS}`)
  .addOption(setting('PLACEMENT', 'the placement whose token the file holds', { parse: dnsLabel }))
  .addOption(orchestratorUrl())
  .option('--listen <address>', 'HOST:PORT to listen on, in place of --host and --port')
  .addOption(host())
  .addOption(setting('PORT', 'the port to listen on', { default: 8081, parse: port }))
  .addOption(tokenFile())
  .option('--token-file <value>', 'the same as --placement-token-file', path)
  .addOption(healthPort())
  .addOption(healthHost())
  .addOption(caFile())
  .action((flags: EnvoyFlags, self: typeof program) =>
    printBootstrap(flags, (option) => self.getOptionValueSource(option) === 'cli'),
  );

await runMain('turnwire-custodian', async () => {
  await program.parseAsync();
});
