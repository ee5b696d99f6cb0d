import { getRun, type RunView } from '@turnwire/sdk';
import type { Command } from 'commander';
import { COMMAND_WINDOW_MS } from '../limits.ts';
import { urlId } from './arguments.ts';
import { type Io, print, printJson } from './io.ts';
import { answerLines } from './progress.ts';
import { stateText } from './runs.ts';
import { type TargetFlags, targetOptions, withTarget } from './target.ts';

/** `turnwire status RUN`: where one run stands. */
export function statusCommand(program: Command, io: Io): void {
  targetOptions(
    program.command('status').description('show where a run stands').argument('<RUN>', 'its runId', urlId),
  ).action((runId: string, flags: TargetFlags) =>
    withTarget(flags, io, async (connection) => {
      const run = await getRun(connection, { runId }, { signal: io.signal, windowMs: COMMAND_WINDOW_MS });
      if (flags.json) return printJson(io, run);
      printRun(io, run);
    }),
  );
}

export function printRun(io: Io, run: RunView): void {
  for (const line of describeRun(run)) print(io, line);
}

export function describeRun(run: RunView): string[] {
  const lines = [
    `run       ${run.runId}`,
    `workflow  ${run.workflow}`,
    `status    ${run.status}`,
    `state     ${stateText(run.value)}`,
    `started   ${run.startedAt}`,
  ];
  if (run.endedAt) lines.push(`ended     ${run.endedAt}`);
  if (run.fault) lines.push(`fault     ${faultText(run.fault)}`);
  lines.push(`context   ${JSON.stringify(run.context)}`);
  if (run.output !== undefined) lines.push(`output    ${JSON.stringify(run.output)}`);
  for (const { executionId, agent, status } of run.executions)
    lines.push(`agent     ${agent} ${status} (${executionId})`);
  for (const gate of run.gates) {
    lines.push(`gate      ${gate.gate} waits since ${gate.since}; answer it with`);
    lines.push(...answerLines(run.runId, gate).map((line) => `          ${line}`));
  }
  return lines;
}

export function faultText({ code, state, reason }: NonNullable<RunView['fault']>): string {
  return `${code}${state ? ` in ${state}` : ''}: ${reason}`;
}
