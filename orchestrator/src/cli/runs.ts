import { type Connection, listRuns, type RunView } from '@turnwire/sdk';
import { type Command, Option } from 'commander';
import { CALL_WORKFLOW } from '../executions/call-machine.ts';
import { COMMAND_WINDOW_MS, PAGES_SKIPPED } from '../limits.ts';
import { pageLimit, someText, urlId } from './arguments.ts';
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
  all?: boolean;
}

const STATUSES = ['active', 'done', 'error', 'cancelled', 'drifted'];

/** `turnwire runs`: the runs, newest first. */
export function runsCommand(program: Command, io: Io): void {
  targetOptions(program.command('runs').description('list runs, newest first'))
    .option('--workflow <name>', 'only those of one workflow', urlId)
    .addOption(new Option('--status <status>', 'only those that stand so').choices(STATUSES))
    .option('--limit <n>', 'at most so many, 1 to 200', pageLimit, 50)
    .option('--cursor <cursor>', 'go on where the last list ended', someText)
    .option('--all', 'those of calls too, which `executions` lists')
    .action((flags: RunsFlags, command: Command) =>
      withTarget(flags, io, async (connection) => {
        const listed = await list(connection, flags, io.signal);
        if (!flags.json) return show(listed, command, io);
        const { items, nextCursor } = listed;
        printJson(io, { items, ...(nextCursor !== undefined && { nextCursor }) });
      }),
    );
}

interface Listed {
  readonly items: readonly RunView[];
  readonly nextCursor: string | undefined;
  /** Runs that are only a call, and were passed over. */
  readonly leftOut: number;
}

/** Goes on until the list is as long as it was asked for, however many calls stand in between; and no longer. */
async function list(connection: Connection, flags: RunsFlags, signal: AbortSignal): Promise<Listed> {
  const { workflow, status, all, limit } = flags;
  const wanted = (run: RunView) => all || workflow !== undefined || run.workflow !== CALL_WORKFLOW;
  const filter = { ...(workflow && { workflow }), ...(status && { status }) };
  const items: RunView[] = [];
  let cursor = flags.cursor;
  let leftOut = 0;
  for (let pages = 0; pages < PAGES_SKIPPED; pages += 1) {
    const rest = { ...filter, limit: limit - items.length, ...(cursor && { cursor }) };
    const page = await listRuns(connection, rest, { signal, windowMs: COMMAND_WINDOW_MS });
    const runs = page.items.filter(wanted);
    items.push(...runs);
    leftOut += page.items.length - runs.length;
    cursor = page.nextCursor;
    if (cursor === undefined || items.length === limit) break;
  }
  return { items, nextCursor: cursor, leftOut };
}

function show({ items, nextCursor, leftOut }: Listed, command: Command, io: Io): void {
  if (items.length === 0 && nextCursor === undefined) print(io, 'no runs');
  for (const line of tableLines(items.map(row))) print(io, line);
  const calls = leftOut === 1 ? 'call' : 'calls';
  if (leftOut > 0) print(io, `${leftOut} ${calls} left out: ${followUp(io, command)('executions')}`);
  const more = followUp(io, command, ['workflow', 'status', 'limit', 'all']);
  if (nextCursor !== undefined) print(io, `more: ${more('runs', '--cursor', nextCursor)}`);
}

function row(run: RunView): string[] {
  const gates = run.gates.map(({ gate }) => gate).join(', ');
  const note = gates ? `waits for ${gates}` : (run.fault?.code ?? stateText(run.value));
  return [run.runId, run.workflow, run.status, run.startedAt, note];
}
