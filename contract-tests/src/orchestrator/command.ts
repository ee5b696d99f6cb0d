import { type Command, Option } from 'commander';
import { suiteCommand } from '../run/command.ts';
import { port, readSecret } from '../run/flags.ts';
import { runOrchestrator } from './run.ts';
import type { UrlOptions } from './stage.ts';

/** `turnwire-contract orchestrator`: an orchestrator in any language. */
export const orchestratorCommand = (): Command =>
  suiteCommand<UrlOptions>({
    role: 'orchestrator',
    description: 'holds an orchestrator to the spec: the kit plays harnesses, and people at gates',
    elsewhere: [
      new Option('--instance-token <token>', 'with --url: the instance token'),
      new Option('--signing-key-file <file>', 'with --url: the file of the signing key'),
      new Option('--harness-port <n>', 'with --url: where the kit is its TURNWIRE_HARNESS_URL').argParser(port),
    ],
    at: (url, { instanceToken, signingKeyFile, harnessPort }) =>
      ({ url, instanceToken, signingKey: readSecret(String(signingKeyFile)), harnessPort }) as UrlOptions,
    run: runOrchestrator,
  });
