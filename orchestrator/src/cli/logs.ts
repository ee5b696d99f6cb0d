import { getRun } from '@turnwire/sdk';
import type { Command } from 'commander';
import { COMMAND_WINDOW_MS } from '../limits.ts';
import { urlId } from './arguments.ts';
import { follow } from './follow.ts';
import { type Io, printJson } from './io.ts';
import { followerOf } from './progress.ts';
import { printRun } from './status.ts';
import { type TargetFlags, targetOptions, withTarget } from './target.ts';

/** `turnwire logs RUN [-f]`: the run as it stands; with `-f` what happens to it until it ends. */
export function logsCommand(program: Command, io: Io): void {
  targetOptions(program.command('logs').description('show what a run does').argument('<RUN>', 'its runId', urlId))
    .option('-f, --follow', 'go on until the run ends')
    .action((runId: string, flags: TargetFlags & { follow?: boolean }) =>
      withTarget(flags, io, async (connection) => {
        // Asked first, so that an unknown run is one clear line before anything is printed.
        const run = await getRun(connection, { runId }, { signal: io.signal, windowMs: COMMAND_WINDOW_MS });
        if (!flags.follow) return flags.json ? printJson(io, run) : printRun(io, run);
        await follow(connection, runId, followerOf(io, flags.json === true));
      }),
    );
}
