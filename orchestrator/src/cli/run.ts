import { type Connection, getWorkflow, listWorkflows, type RunView, startRun, TurnwireFault } from '@turnwire/sdk';
import type { Command } from 'commander';
import { COMMAND_WINDOW_MS } from '../limits.ts';
import { urlId } from './arguments.ts';
import { CliError, ExitCode, findingsText } from './exit.ts';
import { follow } from './follow.ts';
import { followUp } from './follow-up.ts';
import { runInput } from './input.ts';
import { type Io, print, printJson } from './io.ts';
import { followerOf } from './progress.ts';
import { endReason } from './run-text.ts';
import { type TargetFlags, targetOptions, withTarget } from './target.ts';

interface RunFlags extends TargetFlags {
  input?: string;
  set: string[];
  title?: string;
  detach?: boolean;
}

const NOTES = `
Input:
  --input '{"title":"…"}'        JSON
  --input @FILE                  a file with a JSON object is the whole input; any other file is text and fills the one
                                 text input of the workflow that nothing else gives (@- reads standard input)
  --set title="…"                one property: text where the workflow wants text, else JSON; --set diff=@FILE reads a file
  turnwire run review --input @change.diff --title "Retry the upload"

Exit codes: 0 the run is done, 1 it ended otherwise, 2 wrong usage or input, 3 the orchestrator cannot be reached.`;

/** `turnwire run WORKFLOW`: starts a run and follows it to its end, or with `--detach` prints its runId. */
export function runCommand(program: Command, io: Io): void {
  targetOptions(
    program.command('run').description('start a run and follow it').argument('<WORKFLOW>', 'its name', urlId),
  )
    .option('--input <JSON|@FILE>', 'the input of the run')
    .option('--set <KEY=VALUE>', 'one property of the input; may be repeated', collect, [])
    .option('--title <text>', 'the same as --set title=…')
    .option('--detach', 'print the runId and leave')
    .addHelpText('after', NOTES)
    .action((workflow: string, flags: RunFlags, command: Command) =>
      withTarget(flags, io, async (connection) => {
        const again = followUp(io, command);
        const runId = await start(connection, workflow, flags, io);
        if (flags.detach) return flags.json ? printJson(io, { runId }) : print(io, runId);
        if (!flags.json)
          print(io, `${runId} started; Ctrl-C leaves it running, and ${again('logs', runId, '-f')} follows it again`);
        finish(await follow(connection, runId, followerOf(io, flags.json === true, again)), flags, io);
      }),
    );
}

async function start(connection: Connection, workflow: string, flags: RunFlags, io: Io): Promise<string> {
  const call = { signal: io.signal, windowMs: COMMAND_WINDOW_MS };
  try {
    const input = await runInput(flags, io, async () => {
      const { status, inputSchema, findings } = await getWorkflow(connection, { name: workflow }, call);
      if (status === 'refused') throw new CliError(`the workflow ${workflow} is refused: ${findingsText(findings)}`);
      return inputSchema;
    });
    return (await startRun(connection, { workflow, input }, call)).runId;
  } catch (error) {
    if (!(error instanceof TurnwireFault) || error.code !== 'unknown_workflow') throw error;
    const { items } = await listWorkflows(connection, call);
    const names = items.map(({ name, status }) => (status === 'refused' ? `${name} (refused)` : name));
    const there = names.length > 0 ? `there are: ${names.join(', ')}` : 'there is none';
    throw new CliError(`there is no workflow ${workflow}; ${there}`);
  }
}

function finish(run: RunView, flags: RunFlags, io: Io): void {
  if (flags.json) printJson(io, run);
  else if (run.status === 'done') print(io, run.output === undefined ? 'done' : `done: ${JSON.stringify(run.output)}`);
  if (run.status !== 'done') throw new CliError(`${run.runId} is ${run.status}${endReason(run)}`, ExitCode.runFailed);
}

const collect = (value: string, all: string[]): string[] => [...all, value];
