import { Command } from 'commander';
import { clientCommand } from './client/command.ts';
import { coverageCommand } from './coverage/command.ts';
import { custodianCommand } from './custodian/command.ts';
import { faultsCommand } from './faults/command.ts';
import { harnessCommand } from './harness/command.ts';
import { listCommand } from './list/command.ts';
import { modelCommand, UsageError } from './model/command.ts';
import { orchestratorCommand } from './orchestrator/command.ts';
import { exits } from './run/flags.ts';

// A reader that closes the pipe early (`turnwire-contract list | head`) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`turnwire-contract: the output cannot be written (${error.code})\n`);
  process.exit(exits.usage);
});

const program = new Command('turnwire-contract')
  .description('Holds a harness, an orchestrator, a custodian or an SDK, in any language, to the Turnwire spec.')
  .configureOutput({
    outputError: (text, write) =>
      write(
        `turnwire-contract: ${text
          .replace(/^error: /, '')
          .trim()
          .replaceAll('\n', ' ')}\n`,
      ),
  })
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : exits.usage));

const model = modelCommand();
program.addCommand(model.copyInheritedSettings(program));
program.addCommand(harnessCommand().copyInheritedSettings(program));
program.addCommand(orchestratorCommand().copyInheritedSettings(program));
program.addCommand(custodianCommand().copyInheritedSettings(program));
program.addCommand(clientCommand().copyInheritedSettings(program));
program.addCommand(faultsCommand().copyInheritedSettings(program));
program.addCommand(listCommand().copyInheritedSettings(program));
program.addCommand(coverageCommand().copyInheritedSettings(program));

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof UsageError) && !isTaken(error)) throw error;
  process.stderr.write(`turnwire-contract: ${(error as Error).message}\n`);
  process.exitCode = exits.usage;
}

/** A port of the command line at which the kit cannot listen. */
function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall === 'listen';
}
