import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { UsageError } from '../model/command.ts';
import { concluded, type SuiteFlags, suiteCommand, suiteOptions } from '../run/command.ts';
import { runClient } from './run.ts';

/** Most of a check is waiting; more processes than this only make each other late. */
const mostJobs = 8;

/** `turnwire-contract client`: an SDK in any language, by way of its adapter. */
export function clientCommand(): Command {
  const wording = {
    ...{ starts: 'starts the adapter, in a shell', timeout: 'for one command of the adapter' },
    ...{ jobs: 'adapters that run side by side', usualJobs: Math.min(mostJobs, availableParallelism() * 4) },
  };
  return suiteCommand('client', 'holds an SDK to the spec, by way of an adapter: see docs/adapters.md', wording).action(
    async (flags: SuiteFlags) => {
      const { command, timeout } = flags;
      if (command === undefined) throw new UsageError('give --command, which starts the adapter');
      const options = { ...suiteOptions(flags), command, timeoutMs: timeout * 1000 };
      process.exitCode = await concluded(flags, (observed) => runClient({ ...options, ...observed }));
    },
  );
}
