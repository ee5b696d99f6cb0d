import { type Command, Option } from 'commander';
import { suiteCommand } from '../run/command.ts';
import { port, readSecret } from '../run/flags.ts';
import { runCustodian } from './run.ts';
import type { UrlOptions } from './stage.ts';

/** `turnwire-contract custodian`: a custodian in any language, or a proxy that is configured to be one. */
export const custodianCommand = (): Command =>
  suiteCommand<UrlOptions>({
    role: 'custodian',
    description: 'holds a custodian to the spec: the kit plays the Orchestrator and the Harness',
    elsewhere: [
      new Option('--placement-token-file <file>', 'with --url: the token that it puts in'),
      new Option('--orchestrator-port <n>', 'with --url: where the kit is its TURNWIRE_ORCHESTRATOR_URL').argParser(
        port,
      ),
    ],
    at: (url, { placementTokenFile, orchestratorPort }) =>
      ({ url, token: readSecret(String(placementTokenFile)), orchestratorPort }) as UrlOptions,
    run: runCustodian,
  });
