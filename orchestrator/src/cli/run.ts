import { type Connection, getWorkflow, type RunView, startRun } from '@turnwire/sdk';
import type { Command } from 'commander';
import { COMMAND_WINDOW_MS } from '../limits.ts';
import { urlId } from './arguments.ts';
import { CliError, ExitCode, findingsText } from './exit.ts';
import { follow } from './follow.ts';
import { runInput } from './input.ts';
import { type Io, print, printJson } from './io.ts';
import { followerOf } from './progress.ts';
import { faultText } from './status.ts';
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
    .action((workflow: string, flags: RunFlags) =>
      withTarget(flags, io, async (connection) => {
        const runId = await start(connection, workflow, flags, io);
        if (flags.detach) return flags.json ? printJson(io, { runId }) : print(io, runId);
        if (!flags.json) print(io, `run ${runId} started; Ctrl-C leaves it running`);
        finish(await follow(connection, runId, followerOf(io, flags.json === true)), flags, io);
      }),
    );
}

async function start(connection: Connection, workflow: string, flags: RunFlags, io: Io): Promise<string> {
  const call = { signal: io.signal, windowMs: COMMAND_WINDOW_MS };
  const input = await runInput(flags, io, async () => {
    const { status, inputSchema, findings } = await getWorkflow(connection, { name: workflow }, call);
    if (status === 'refused') throw new CliError(`the workflow ${workflow} is refused: ${findingsText(findings)}`);
    return inputSchema;
  });
  const { runId } = await startRun(connection, { workflow, input }, call);
  return runId;
}

function finish(run: RunView, flags: RunFlags, io: Io): void {
  if (flags.json) printJson(io, run);
  else if (run.status === 'done') print(io, run.output === undefined ? 'done' : `done: ${JSON.stringify(run.output)}`);
  if (run.status !== 'done') throw new CliError(`the run ${run.runId} is ${endText(run)}`, ExitCode.runFailed);
}

const endText = ({ status, fault }: RunView): string => (fault ? `${status}: ${faultText(fault)}` : status);

const collect = (value: string, all: string[]): string[] => [...all, value];
