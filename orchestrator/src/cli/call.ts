import { type Connection, type ExecutionRecord, execute, readExecution, TurnwireFault } from '@turnwire/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CALL_POLL_SECONDS, COMMAND_WINDOW_MS, RECONNECT_MS } from '../limits.ts';
import { endText, isOver, statusText } from './execution-text.ts';
import { CliError, ExitCode } from './exit.ts';
import { followUp } from './follow-up.ts';
import { callInput } from './input.ts';
import { type Io, print, printJson, visible } from './io.ts';
import { type TargetFlags, targetOptions, withTarget } from './target.ts';

interface CallFlags extends TargetFlags {
  input?: string;
  async?: boolean;
  timeout?: number;
  usageContext?: 'dev' | 'ci' | 'production';
}

const NOTES = `
Input:
  --input 'Write a haiku.'       text, as it is; JSON where it is JSON
  --input @FILE                  a .json file, or one with a JSON object, is JSON; any other file is text (@- reads standard input)
  Without it the agent is asked {}: enough for one that needs no more than its instructions.
What happens is told on standard error; standard output has the result alone.

Exit codes: 0 succeeded, 1 it ended otherwise, 2 wrong usage or no such agent, 3 the node is down or nothing answers.`;

/** `turnwire call NODE.AGENT`: asks an agent of a node once, and waits for its answer. */
export function callCommand(program: Command, io: Io): void {
  targetOptions(
    program.command('call').description('ask an agent of a node').argument('<NODE.AGENT>', 'whom to ask', target),
  )
    .option('--input <TEXT|JSON|@FILE>', 'what to ask')
    .option('--async', 'print its id and leave')
    .option('--timeout <seconds>', 'its own deadline, also when nobody waits', seconds)
    .addOption(new Option('--usage-context <what>', 'what it is for').choices(['dev', 'ci', 'production']))
    .addHelpText('after', NOTES)
    .action((name: string, flags: CallFlags, command: Command) =>
      withTarget(flags, io, async (connection) => {
        const { executionId, status } = await begin(connection, name, flags, io);
        if (flags.async) return flags.json ? printJson(io, { executionId, status }) : print(io, executionId);
        const again = followUp(io, command)('executions', executionId);
        tell(io, `${executionId} started; Ctrl-C leaves it running, and ${again} shows it`);
        finish(await follow(connection, executionId, flags, io), flags, io);
      }),
    );
}

async function begin(connection: Connection, name: string, flags: CallFlags, io: Io) {
  const { timeout: timeoutSeconds, usageContext } = flags;
  const request = {
    target: name,
    input: await callInput(flags.input, io),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(usageContext !== undefined && { usageContext }),
  };
  try {
    return await execute(
      connection,
      { ...request, waitSeconds: 0 },
      { signal: io.signal, windowMs: COMMAND_WINDOW_MS },
    );
  } catch (error) {
    return endedAtOnce(error);
  }
}

/** What a refusal says: nothing was started, or it is over already and its record tells why. */
function endedAtOnce(error: unknown): { executionId: string; status: string } {
  if (!(error instanceof TurnwireFault)) throw error;
  const { executionId } = (error.problem ?? {}) as { executionId?: string };
  if (executionId !== undefined) return { executionId, status: error.code };
  if (error.code !== 'node_unavailable') throw error;
  throw new CliError(`${error.problem?.detail ?? error.message} (node_unavailable)`, ExitCode.unreachable);
}

/** Tells each status that it gets, until it has ended; an orchestrator that restarts meanwhile is waited for. */
async function follow(connection: Connection, executionId: string, flags: CallFlags, io: Io): Promise<ExecutionRecord> {
  let told = 0;
  for (;;) {
    const of = { executionId, waitSeconds: CALL_POLL_SECONDS };
    const record = await readExecution(connection, of, { signal: io.signal, windowMs: RECONNECT_MS });
    const { timeline = [] } = record;
    for (const { status, at } of timeline.slice(told))
      if (!flags.json && !isOver({ status })) tell(io, `${clockText(at)}  ${statusText(status)}`);
    told = timeline.length;
    if (isOver(record)) return record;
  }
}

function finish(record: ExecutionRecord, flags: CallFlags, io: Io): void {
  const { status, result = null, executionId } = record;
  if (flags.json) printJson(io, record);
  else if (status === 'succeeded')
    io.out(`${typeof result === 'string' ? printable(result) : JSON.stringify(result, undefined, 2)}\n`);
  if (status !== 'succeeded') throw new CliError(`${executionId} ${endText(record)}`, ExitCode.runFailed);
}

/** An agent wrote it: lines stay lines, and nothing else of it steers a terminal. */
const printable = (text: string): string => text.split('\n').map(visible).join('\n');

const tell = (io: Io, line: string): void => io.err(`${visible(line)}\n`);

const clockText = (at: string): string => at.slice(11, 19);

function target(text: string): string {
  if (/^[^.\s]+\.[^.\s]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a node and an agent with one dot between them, as in laptop.reviewer.');
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a number of seconds above 0.');
}
