import { relative } from 'node:path';
import type { Command } from 'commander';
import { machines } from '../machine/index.ts';
import type { Finding } from '../machine/port.ts';
import { CliError } from './exit.ts';
import { type Io, print, printJson } from './io.ts';
import { chosenWorkflows, workflowsOrExamples } from './workflows.ts';

interface Checked {
  readonly name: string;
  readonly file: string;
  readonly findings: readonly Finding[];
}

/** `turnwire check`: loads every workflow of a folder and walks it, as a start would. Exit 2 with findings. */
export function checkCommand(program: Command, io: Io): void {
  program
    .command('check')
    .description('check the workflows of a folder')
    .addOption(workflowsOrExamples())
    .option('--json', 'print JSON')
    .action(async (flags: { workflows?: string; json?: boolean }) => {
      const { folder, examples } = chosenWorkflows(flags.workflows, io.cwd);
      if (examples) io.err(`turnwire: there is no ./workflows here; these are the shipped examples in ${folder}\n`);
      const { workflows, refused } = await machines.load(folder);
      const good = [...workflows.values()].map(({ name, file }): Checked => ({ name, file, findings: [] }));
      const all = [...good, ...refused.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
      if (flags.json) printJson(io, { workflows: all });
      else for (const line of all.flatMap((workflow) => report(workflow, io.cwd))) print(io, line);
      if (all.length === 0)
        throw new CliError(`${folder} holds no workflow; add a .ts, .js or .mjs module that exports a machine`);
      if (refused.size > 0) throw new CliError(`${refused.size} of ${all.length} workflows refused`);
    });
}

function report({ name, file, findings }: Checked, cwd: string): string[] {
  if (findings.length === 0) return [`ok       ${name}`];
  return [
    `refused  ${name} (${relative(cwd, file)})`,
    ...findings.map(({ code, message }) => `         ${message.replaceAll('\n', ' ')} [${code}]`),
  ];
}
