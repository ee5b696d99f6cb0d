/** The command line that the modes share, and what becomes of a run. */
import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { SubjectError } from '../harness/subject.ts';
import { UsageError } from '../model/command.ts';
import { type CheckResult, conforms, type Level, type Report } from '../report/check.ts';
import { writeReport } from '../report/files.ts';
import { failureLines, summaryLines } from '../report/lines.ts';
import { exits, number, readKnown } from './flags.ts';
import type { SuiteOptions } from './suite.ts';

export interface SuiteFlags {
  command?: string;
  url?: string;
  level: Level;
  only?: string[];
  skip?: string[];
  knownFailing?: string;
  timeout: number;
  jobs: number;
  trace?: boolean;
  seed: number;
  report?: string;
}

const several = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** A mode that starts its subject by a command; options of its own are added to it. */
export function suiteCommand(role: string, description: string): Command {
  return new Command(role)
    .description(description)
    .option('--command <command>', `starts the ${role}, in a shell, with the environment of the wire`)
    .addOption(new Option('--level <level>', 'what is asked of it').choices(['must', 'should', 'may']).default('must'))
    .option('--only <glob>', 'run these checks alone; may be given again', several)
    .option('--skip <glob>', 'leave these checks out; may be given again', several)
    .option('--known-failing <file>', 'ids of checks that are known to fail, one a line')
    .option('--timeout <seconds>', `until the ${role} listens`, number(0.1), 30)
    .option('--jobs <n>', `${role}s that run side by side`, number(1), Math.min(4, availableParallelism()))
    .option('--trace', 'the wire transcript of each failure')
    .option('--seed <n>', 'of everything that is drawn', number(0), 1)
    .option('--report <folder>', 'write junit.xml and report.json there');
}

/** @throws UsageError */
export function suiteOptions({ command, url, level, only, skip, jobs, knownFailing, seed }: SuiteFlags): SuiteOptions {
  if ((command === undefined) === (url === undefined)) throw new UsageError('give either --command or --url');
  return {
    ...{ level, seed, jobs: Math.floor(jobs) },
    ...(only && { only }),
    ...(skip && { skip }),
    knownFailing: knownFailing === undefined ? [] : readKnown(knownFailing),
  };
}

/** Says what a person reads, writes the report, and resolves with the exit code. @throws UsageError */
export async function concluded(
  flags: SuiteFlags,
  run: (onResult: (result: CheckResult) => void) => Promise<Report>,
): Promise<number> {
  const say = (lines: readonly string[]) => process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  try {
    const report = await run((result) => {
      if (result.verdict !== 'passed') say(failureLines(result, flags.trace === true));
    });
    if (report.checks.length === 0) throw new UsageError('no check is left to run: look at --only and --skip');
    say(summaryLines(report));
    if (flags.report !== undefined) writeReport(flags.report, report);
    return conforms(report) ? exits.conformant : exits.not;
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error;
    process.stderr.write(`turnwire-contract: the subject ${error.message}\n`);
    return exits.notStarted;
  }
}
