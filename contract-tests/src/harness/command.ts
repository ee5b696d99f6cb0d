import type { Command } from 'commander';
import { UsageError } from '../model/command.ts';
import { concluded, type SuiteFlags, suiteCommand, suiteOptions } from '../run/command.ts';
import { number } from '../run/flags.ts';
import { type HarnessRun, runHarness } from './run.ts';

interface Flags extends SuiteFlags {
  token?: string;
  orchestratorPort?: number;
  modelPort?: number;
}

/** `turnwire-contract harness`: a harness in any language. */
export function harnessCommand(): Command {
  return suiteCommand('harness', 'holds a harness to the spec: the kit plays the orchestrator and the model')
    .option('--url <url>', 'or where one is running, with what follows')
    .option('--token <token>', 'with --url: the harness token')
    .option('--orchestrator-port <n>', "where the kit's orchestrator listens: its TURNWIRE_CUSTODIAN_URL", number(1))
    .option('--model-port <n>', "where the kit's model listens: its OPENAI_BASE_URL, with /v1", number(1))
    .action(async (flags: Flags) => {
      const options = asked(flags);
      process.exitCode = await concluded(flags, (observed) => runHarness({ ...options, ...observed }));
    });
}

/** @throws UsageError */
function asked(flags: Flags): HarnessRun {
  const { command, url, timeout, token, orchestratorPort, modelPort } = flags;
  const options = suiteOptions(flags);
  if (url !== undefined && token === undefined) throw new UsageError('--url needs --token, the harness token');
  return {
    ...options,
    timeoutMs: timeout * 1000,
    ...(command === undefined ? {} : { command }),
    ...(url === undefined ? {} : { url }),
    ...(token === undefined ? {} : { token }),
    ...(orchestratorPort === undefined ? {} : { orchestratorPort }),
    ...(modelPort === undefined ? {} : { modelPort }),
  };
}
