/** The `turnwire` command: parses, runs one command, and turns whatever happens into an exit code and at most one line. */
import { usageLine } from '@turnwire/server';
import { Command, CommanderError } from 'commander';
import { software } from '../software.ts';
import { callCommand } from './call.ts';
import { cancelCommand } from './cancel.ts';
import { checkCommand } from './check.ts';
import { devCommand } from './dev.ts';
import { doctorCommand } from './doctor.ts';
import { executionsCommand } from './executions.ts';
import { ExitCode, explain } from './exit.ts';
import { type Io, visible } from './io.ts';
import { logsCommand } from './logs.ts';
import { nodesCommand } from './nodes.ts';
import { runCommand } from './run.ts';
import { runsCommand } from './runs.ts';
import { sendCommand } from './send.ts';
import { statusCommand } from './status.ts';

/** @param argv the words after the program's name */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const program = new Command('turnwire')
    .description('Durable workflows with agents: run them, follow them, answer their gates.')
    .version(software().version)
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      outputError: (text, write) => write(usageLine('turnwire', text)),
    })
    .exitOverride();
  for (const add of COMMANDS) add(program, io);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return ExitCode.done;
  } catch (error) {
    return exitOf(error, io);
  }
}

const COMMANDS = [
  devCommand,
  runCommand,
  runsCommand,
  statusCommand,
  sendCommand,
  cancelCommand,
  logsCommand,
  nodesCommand,
  callCommand,
  executionsCommand,
  checkCommand,
  doctorCommand,
];

function exitOf(error: unknown, io: Io): number {
  // Commander has said its line already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
  if (io.signal.aborted) return ExitCode.interrupted;
  const explained = explain(error, io.program);
  if (!explained) throw error;
  io.err(`turnwire: ${visible(explained.message.replaceAll('\n', ' '))}\n`);
  return explained.exitCode;
}
