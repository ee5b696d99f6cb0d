import { resolve } from 'node:path';
import { port } from '@turnwire/server';
import type { Command } from 'commander';
import { SAME_PRESS_MS } from '../limits.ts';
import { placementOption, stateDirOption } from '../settings.ts';
import { type Bin, scriptOf } from './dev/bins.ts';
import { exitText } from './dev/child.ts';
import { type Claim, claim } from './dev/claim.ts';
import { logText } from './dev/log-line.ts';
import { type Stack, startStack } from './dev/stack.ts';
import { CliError, ExitCode } from './exit.ts';
import { readText } from './input.ts';
import { type Io, print, printJson } from './io.ts';
import { quoted } from './words.ts';
import { chosenWorkflows, workflowsOrExamples } from './workflows.ts';

export interface DevFlags {
  workflows?: string;
  stateDir: string;
  placement: string;
  port: number;
  custodianPort: number;
  harnessPort: number;
  script?: string;
  json?: boolean;
}

const NOTES = `
A port that is taken is replaced by a free one. Without OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY the kit's
scripted model answers. Ctrl-C, a closed terminal and a closed pipe drain: the Harness first, then the Custodian, the
Orchestrator and the model; Ctrl-C again: at once. One runs per state dir.`;

/** `turnwire dev`: the three roles as child processes, and a scripted model where no key is set. */
export function devCommand(program: Command, io: Io): void {
  program
    .command('dev')
    .description('start everything on this machine')
    .addOption(workflowsOrExamples())
    .addOption(stateDirOption())
    .addOption(placementOption())
    .option('--port <port>', "the Orchestrator's port", port, 4000)
    .option('--custodian-port <port>', "the Custodian's port", port, 8081)
    .option('--harness-port <port>', "the Harness's port", port, 8080)
    .option('--script <file>', 'what the scripted model says')
    .option('--json', 'print JSON lines')
    .addHelpText('after', NOTES)
    .action((flags: DevFlags) => dev(flags, io));
}

/** @param find where a command's script lies; tests give their own */
export async function dev(flags: DevFlags, io: Io, find: (bin: Bin) => string = scriptOf): Promise<void> {
  const stateDir = resolve(io.cwd, flags.stateDir);
  const { folder: workflows } = chosenWorkflows(flags.workflows, io.cwd);
  if (flags.script !== undefined) await readText(flags.script, io);
  const mine = await claim(stateDir);
  try {
    const stack = await startStack({
      workflows,
      stateDir,
      placement: flags.placement,
      ports: { orchestrator: flags.port, custodian: flags.custodianPort, harness: flags.harnessPort },
      ...(flags.script !== undefined && { script: resolve(io.cwd, flags.script) }),
      env: process.env,
      signal: io.signal,
      find,
      onLine: (name, line) =>
        flags.json ? printJson(io, { from: name, line }) : print(io, `${name.padEnd(12)} ${logText(line)}`),
    });
    await supervise(stack, mine, () => greet(stack, workflows, flags, io), io);
  } finally {
    mine.release();
  }
}

/** Stays until Ctrl-C, or until one of them ends by itself; then the others are drained. */
async function supervise(stack: Stack, mine: Claim, ready: () => void, io: Io): Promise<void> {
  let drainingSince = 0;
  const again = () => {
    if (Date.now() - drainingSince >= SAME_PRESS_MS) stack.kill();
  };
  const asked = new Promise<undefined>((done) => {
    if (io.signal.aborted) done(undefined);
    io.signal.addEventListener('abort', () => done(undefined), { once: true });
  });
  try {
    mine.publish(stack);
    ready();
    const dead = await Promise.race([stack.died, asked]);
    drainingSince = Date.now();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, again);
    if (!dead) return io.err('\nturnwire: draining; Ctrl-C again stops at once\n');
    throw new CliError(
      `the ${dead.name} ended by itself (${exitText(dead.exit)}); its last lines are above. The others were stopped`,
      ExitCode.runFailed,
    );
  } finally {
    mine.withdraw();
    await stack.stop();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, again);
  }
}

function greet(stack: Stack, workflows: string, flags: DevFlags, io: Io): void {
  const { orchestrator, custodian, harness, model } = stack;
  if (flags.json) {
    printJson(io, { event: 'ready', orchestrator, custodian, harness, ...(model && { model }), workflows });
    return;
  }
  print(io, '');
  print(io, `Orchestrator  ${orchestrator}   workflows from ${workflows}`);
  print(io, `Custodian     ${custodian}`);
  print(io, `Harness       ${harness}`);
  print(
    io,
    `model         ${model ? `${model}   scripted; set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY for a real one` : 'as your environment says'}`,
  );
  const elsewhere = flags.stateDir === '.turnwire' ? '' : ` --state-dir ${quoted(flags.stateDir)}`;
  print(
    io,
    `In another terminal, from this folder: ${io.program} run WORKFLOW --input @FILE${elsewhere}. Ctrl-C stops.`,
  );
  print(io, '');
}
