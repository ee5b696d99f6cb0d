import {
  type CallOptions,
  type Connection,
  cancelExecution,
  type ExecutionRecord,
  listExecutions,
  readExecution,
  replayExecution,
} from '@turnwire/sdk';
import { type Command, Option } from 'commander';
import { COMMAND_WINDOW_MS } from '../limits.ts';
import { pageLimit, someText, urlId } from './arguments.ts';
import { endText, isOver, statusText, subjectText } from './execution-text.ts';
import { CliError } from './exit.ts';
import { followUp } from './follow-up.ts';
import { type Io, print, printJson } from './io.ts';
import { tableLines } from './table.ts';
import { type TargetFlags, targetOptions, withTarget } from './target.ts';
import { valueLines } from './values.ts';

interface ExecutionsFlags extends TargetFlags {
  status?: string;
  node?: string;
  limit: number;
  cursor?: string;
  cancel?: boolean;
  replay?: boolean;
  reason?: string;
}

const STATUSES = [
  'queued',
  'dispatching',
  'awaiting_restart',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
];

/** `turnwire executions [EXECUTION]`: each dispatched turn, of runs and of calls; one of them, and what to do with it. */
export function executionsCommand(program: Command, io: Io): void {
  targetOptions(
    program
      .command('executions')
      .description('list what agents were asked, newest first, or show one')
      .argument('[EXECUTION]', 'its id', urlId),
  )
    .addOption(new Option('--status <status>', 'only those that stand so').choices(STATUSES))
    .option('--node <name>', 'only those at one node', urlId)
    .option('--limit <n>', 'at most so many, 1 to 200', pageLimit, 50)
    .option('--cursor <cursor>', 'go on where the last list ended', someText)
    .option('--cancel', 'cancel that one')
    .option('--reason <text>', 'why it is cancelled', someText)
    .option('--replay', 'ask the same again, and print the new id')
    .action((executionId: string | undefined, flags: ExecutionsFlags, command: Command) =>
      withTarget(flags, io, (connection) => {
        const call = { signal: io.signal, windowMs: COMMAND_WINDOW_MS };
        if (executionId !== undefined) return one(connection, executionId, flags, io, call);
        if (flags.cancel || flags.replay) throw new CliError('--cancel and --replay need the id of an execution');
        return list(connection, flags, command, io, call);
      }),
    );
}

async function one(connection: Connection, executionId: string, flags: ExecutionsFlags, io: Io, call: CallOptions) {
  const { cancel, replay, reason, json } = flags;
  if (cancel) {
    await cancelExecution(connection, { executionId, ...(reason !== undefined && { reason }) }, call);
    return json ? printJson(io, { ok: true }) : print(io, `cancelled ${executionId}`);
  }
  if (replay) {
    const started = await replayExecution(connection, { executionId }, call);
    return json ? printJson(io, started) : print(io, started.executionId);
  }
  const record = await readExecution(connection, { executionId }, call);
  if (json) return printJson(io, record);
  for (const line of recordLines(record)) print(io, line);
}

async function list(connection: Connection, flags: ExecutionsFlags, command: Command, io: Io, call: CallOptions) {
  const { limit, status, node, cursor, json } = flags;
  const filter = { limit, ...(status && { status }), ...(node && { node }), ...(cursor && { cursor }) };
  const page = await listExecutions(connection, filter, call);
  if (json) return printJson(io, page);
  if (page.items.length === 0) return print(io, 'no executions');
  for (const line of tableLines(page.items.map(row))) print(io, line);
  const more = followUp(io, command, ['status', 'node', 'limit']);
  if (page.nextCursor) print(io, `more: ${more('executions', '--cursor', page.nextCursor)}`);
}

const row = (record: ExecutionRecord): string[] => [
  record.executionId,
  subjectText(record),
  record.status,
  record.startedAt ?? '',
  record.category ?? '',
];

function recordLines(record: ExecutionRecord): string[] {
  const { executionId, runId, attempts, instanceId, replayOf, usageContext, result, timeline = [] } = record;
  const facts: [string, string | undefined][] = [
    ['execution', `${executionId}, of ${subjectText(record)}`],
    ['status', isOver(record) ? endText(record) : statusText(record.status)],
    ['run', runId],
    ['replay of', replayOf],
    ['for', usageContext],
    ['sent', attempts === undefined ? undefined : `${attempts} time${attempts === 1 ? '' : 's'}`],
    ['process', instanceId],
    ...timeline.map(({ status, at }, index): [string, string] => [index === 0 ? 'timeline' : '', `${at}  ${status}`]),
  ];
  const lines = facts.flatMap(([title, text]) => (text === undefined ? [] : [`${title.padEnd(9)}  ${text}`]));
  return result === undefined ? lines : [...lines, 'result', ...valueLines(result).map((line) => `  ${line}`)];
}
