import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { UsageError } from '../model/command.ts';
import { concluded, type SuiteFlags, suiteCommand, suiteOptions } from '../run/command.ts';
import { number } from '../run/flags.ts';
import { type CustodianRun, runCustodian } from './run.ts';
import type { UrlOptions } from './stage.ts';

interface Flags extends SuiteFlags {
  placementTokenFile?: string;
  orchestratorPort?: number;
}

/** `turnwire-contract custodian`: a custodian in any language, or a proxy that is configured to be one. */
export function custodianCommand(): Command {
  return suiteCommand('custodian', 'holds a custodian to the spec: the kit plays the Orchestrator and the Harness')
    .option('--url <url>', 'or where one is running, with what follows')
    .option('--placement-token-file <file>', 'with --url: the token that it puts in')
    .option('--orchestrator-port <n>', 'with --url: where the kit listens: its TURNWIRE_ORCHESTRATOR_URL', number(1))
    .action(async (flags: Flags) => {
      const options = asked(flags);
      process.exitCode = await concluded(flags, (observed) => runCustodian({ ...options, ...observed }));
    });
}

/** @throws UsageError */
function asked(flags: Flags): CustodianRun {
  const { command, url, timeout } = flags;
  return {
    ...suiteOptions(flags),
    timeoutMs: timeout * 1000,
    ...(command === undefined ? {} : { command }),
    ...(url === undefined ? {} : { at: running(url, flags) }),
  };
}

function running(url: string, { placementTokenFile, orchestratorPort }: Flags): UrlOptions {
  if (placementTokenFile === undefined || orchestratorPort === undefined)
    throw new UsageError('--url needs --placement-token-file and --orchestrator-port');
  try {
    return { url, token: readFileSync(placementTokenFile, 'utf8').replace(/\r?\n$/, ''), orchestratorPort };
  } catch (error) {
    throw new UsageError(`cannot read ${placementTokenFile}: ${(error as Error).message}`);
  }
}
