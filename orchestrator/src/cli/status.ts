import { getRun, type RunView } from '@turnwire/sdk';
import type { Command } from 'commander';
import { COMMAND_WINDOW_MS } from '../limits.ts';
import { urlId } from './arguments.ts';
import { type FollowUp, followUp } from './follow-up.ts';
import { type Io, print, printJson } from './io.ts';
import { executionText, faultText, gateLines, stateText } from './run-text.ts';
import { type TargetFlags, targetOptions, withTarget } from './target.ts';
import { valueLines } from './values.ts';

/** `turnwire status RUN`: where one run stands. */
export function statusCommand(program: Command, io: Io): void {
  targetOptions(
    program.command('status').description('show where a run stands').argument('<RUN>', 'its runId', urlId),
  ).action((runId: string, flags: TargetFlags, command: Command) =>
    withTarget(flags, io, async (connection) => {
      const run = await getRun(connection, { runId }, { signal: io.signal, windowMs: COMMAND_WINDOW_MS });
      if (flags.json) return printJson(io, run);
      for (const line of describeRun(run, followUp(io, command))) print(io, line);
    }),
  );
}

function describeRun(run: RunView, again: FollowUp): string[] {
  const lines = [
    `run       ${run.runId}`,
    `workflow  ${run.workflow}`,
    `status    ${run.status}${run.reason ? `: ${run.reason}` : ''}`,
    `state     ${stateText(run.value)}`,
    `started   ${run.startedAt}`,
  ];
  if (run.endedAt) lines.push(`ended     ${run.endedAt}`);
  if (run.fault) lines.push(`fault     ${faultText(run.fault)}`);
  lines.push(...block('context', valueLines(run.context)));
  if (run.output !== undefined) lines.push(...block('output', valueLines(run.output)));
  for (const execution of run.executions)
    lines.push(`${executionText(execution).replace(/^agent /, 'agent     ')} [${execution.executionId}]`);
  for (const gate of run.gates)
    lines.push(`gate      ${gate.gate} waits since ${gate.since}`, ...indented(gateLines(again, run.runId, gate)));
  return lines;
}

const INDENT = ' '.repeat('context   '.length);

const block = (title: string, lines: readonly string[]): string[] =>
  indented(lines).map((line, index) => (index === 0 ? title.padEnd(INDENT.length) + line.slice(INDENT.length) : line));

const indented = (lines: readonly string[]): string[] => lines.map((line) => INDENT + line);
