import { listRuns, type RunView } from '@turnwire/sdk';
import { type Command, Option } from 'commander';
import { COMMAND_WINDOW_MS } from '../limits.ts';
import { pageLimit } from './arguments.ts';
import { followUp } from './follow-up.ts';
import { type Io, print, printJson } from './io.ts';
import { stateText } from './run-text.ts';
import { tableLines } from './table.ts';
import { type TargetFlags, targetOptions, withTarget } from './target.ts';

interface RunsFlags extends TargetFlags {
  workflow?: string;
  status?: string;
  limit: number;
  cursor?: string;
}

const STATUSES = ['active', 'done', 'error', 'cancelled', 'drifted'];

/** `turnwire runs`: the runs, newest first. */
export function runsCommand(program: Command, io: Io): void {
  targetOptions(program.command('runs').description('list runs, newest first'))
    .option('--workflow <name>', 'only those of one workflow')
    .addOption(new Option('--status <status>', 'only those that stand so').choices(STATUSES))
    .option('--limit <n>', 'at most so many, 1 to 200', pageLimit, 50)
    .option('--cursor <cursor>', 'go on where the last list ended')
    .action((flags: RunsFlags, command: Command) =>
      withTarget(flags, io, async (connection) => {
        const { workflow, status, cursor } = flags;
        const filter = {
          limit: flags.limit,
          ...(workflow && { workflow }),
          ...(status && { status }),
          ...(cursor && { cursor }),
        };
        const page = await listRuns(connection, filter, { signal: io.signal, windowMs: COMMAND_WINDOW_MS });
        if (flags.json) return printJson(io, page);
        if (page.items.length === 0) return print(io, 'no runs');
        for (const line of tableLines(page.items.map(row))) print(io, line);
        const more = followUp(io, command, ['workflow', 'status', 'limit']);
        if (page.nextCursor) print(io, `more: ${more('runs', '--cursor', page.nextCursor)}`);
      }),
    );
}

function row(run: RunView): string[] {
  const gates = run.gates.map(({ gate }) => gate).join(', ');
  const note = gates ? `waits for ${gates}` : (run.fault?.code ?? stateText(run.value));
  return [run.runId, run.workflow, run.status, run.startedAt, note];
}
