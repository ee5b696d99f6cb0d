import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { UsageError } from '../model/command.ts';
import { concluded, type SuiteFlags, suiteCommand, suiteOptions } from '../run/command.ts';
import { number } from '../run/flags.ts';
import { type OrchestratorRun, runOrchestrator } from './run.ts';

interface Flags extends SuiteFlags {
  instanceToken?: string;
  signingKeyFile?: string;
  harnessPort?: number;
}

/** `turnwire-contract orchestrator`: an orchestrator in any language. */
export function orchestratorCommand(): Command {
  return suiteCommand('orchestrator', 'holds an orchestrator to the spec: the kit plays harnesses, and people at gates')
    .option('--url <url>', 'or where one is running, with the statecharts of the kit and with what follows')
    .option('--instance-token <token>', 'with --url: the instance token')
    .option('--signing-key-file <file>', 'with --url: the file of the signing key')
    .option('--harness-port <n>', "with --url: where the kit's harness listens: its TURNWIRE_HARNESS_URL", number(1))
    .action(async (flags: Flags) => {
      const options = asked(flags);
      process.exitCode = await concluded(flags, (observed) => runOrchestrator({ ...options, ...observed }));
    });
}

/** @throws UsageError */
function asked(flags: Flags): OrchestratorRun {
  const { command, url, timeout } = flags;
  return {
    ...suiteOptions(flags),
    timeoutMs: timeout * 1000,
    ...(command === undefined ? {} : { command }),
    ...(url === undefined ? {} : { at: running(url, flags) }),
  };
}

function running(url: string, { instanceToken, signingKeyFile, harnessPort }: Flags) {
  if (instanceToken === undefined || signingKeyFile === undefined || harnessPort === undefined)
    throw new UsageError('--url needs --instance-token, --signing-key-file and --harness-port');
  try {
    const signingKey = readFileSync(signingKeyFile, 'utf8').replace(/\n$/, '');
    return { url, instanceToken, signingKey, harnessPort };
  } catch (error) {
    throw new UsageError(`cannot read ${signingKeyFile}: ${(error as Error).message}`);
  }
}
