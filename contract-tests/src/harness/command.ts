import { type Command, Option } from 'commander';
import { suiteCommand } from '../run/command.ts';
import { port } from '../run/flags.ts';
import { runHarness, type UrlOptions } from './run.ts';

/** `turnwire-contract harness`: a harness in any language. */
export const harnessCommand = (): Command =>
  suiteCommand<UrlOptions>({
    role: 'harness',
    description: 'holds a harness to the spec: the kit plays the orchestrator and the model',
    elsewhere: [
      new Option('--token <token>', 'with --url: the harness token'),
      new Option('--orchestrator-port <n>', 'with --url: where the kit is its TURNWIRE_CUSTODIAN_URL').argParser(port),
      new Option('--model-port <n>', 'with --url: where the kit is its OPENAI_BASE_URL, with /v1').argParser(port),
    ],
    at: (url, { token, orchestratorPort, modelPort }) => ({ url, token, orchestratorPort, modelPort }) as UrlOptions,
    run: ({ at, ...options }) => runHarness({ ...options, ...at }),
  });
