import { cancelRun } from '@turnwire/sdk';
import type { Command } from 'commander';
import { COMMAND_WINDOW_MS } from '../limits.ts';
import { someText, urlId } from './arguments.ts';
import { type Io, print, printJson } from './io.ts';
import { type TargetFlags, targetOptions, withTarget } from './target.ts';

/** `turnwire cancel RUN`: ends a run and the turns that it has open. */
export function cancelCommand(program: Command, io: Io): void {
  targetOptions(program.command('cancel').description('cancel a run').argument('<RUN>', 'its runId', urlId))
    .option('--reason <text>', 'kept with the run, and shown by status', someText)
    .action((runId: string, flags: TargetFlags & { reason?: string }) =>
      withTarget(flags, io, async (connection) => {
        const of = { runId, ...(flags.reason !== undefined && { reason: flags.reason }) };
        await cancelRun(connection, of, { signal: io.signal, windowMs: COMMAND_WINDOW_MS });
        if (flags.json) return printJson(io, { ok: true });
        print(io, `${runId} is cancelled`);
      }),
    );
}
