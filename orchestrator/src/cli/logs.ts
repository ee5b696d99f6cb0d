import { getRun } from '@turnwire/sdk';
import type { Command } from 'commander';
import { COMMAND_WINDOW_MS } from '../limits.ts';
import { urlId } from './arguments.ts';
import { follow } from './follow.ts';
import { followUp } from './follow-up.ts';
import { type Io, print, printJson } from './io.ts';
import { followerOf, Progress } from './progress.ts';
import { type TargetFlags, targetOptions, withTarget } from './target.ts';

const NOTES = `
What is kept of a run is told with its times: its turns, the gates that are open, how it stands or ended. Picks, retries,
emitted events and gates that closed are told to whoever follows it then (-f).`;

/** `turnwire logs RUN [-f]`: what is kept of what happened; with `-f` also what happens until it ends. */
export function logsCommand(program: Command, io: Io): void {
  targetOptions(program.command('logs').description('tell what a run has done').argument('<RUN>', 'its runId', urlId))
    .option('-f, --follow', 'go on until the run ends')
    .addHelpText('after', NOTES)
    .action((runId: string, flags: TargetFlags & { follow?: boolean }, command: Command) =>
      withTarget(flags, io, async (connection) => {
        // Asked first, so that an unknown run is one clear line before anything is printed.
        const run = await getRun(connection, { runId }, { signal: io.signal, windowMs: COMMAND_WINDOW_MS });
        const again = followUp(io, command);
        if (flags.json && !flags.follow) return printJson(io, run);
        if (!flags.json) print(io, `${run.runId} of ${run.workflow}, started ${run.startedAt}`);
        if (flags.follow) {
          await follow(connection, runId, followerOf(io, flags.json === true, again));
          return;
        }
        const snapshot = { event: 'snapshot', data: { runs: [run] as never } };
        for (const line of new Progress(again).lines(snapshot)) print(io, line);
        if (run.status === 'active') print(io, `it goes on; follow it with: ${again('logs', runId, '-f')}`);
      }),
    );
}
