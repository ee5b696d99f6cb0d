/** The command line that the modes share, and what becomes of a run. */
import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { catalogs } from '../catalog.ts';
import { SubjectError } from '../harness/subject.ts';
import { UsageError } from '../model/command.ts';
import { conforms, type Level, type Report } from '../report/check.ts';
import { writeReport } from '../report/files.ts';
import { summaryLines } from '../report/lines.ts';
import { Progress } from '../report/progress.ts';
import { exits, number, readKnown } from './flags.ts';
import type { SuiteOptions } from './suite.ts';

export interface SuiteFlags {
  command?: string;
  url?: string;
  level: Level;
  only?: string[];
  skip?: string[];
  capability?: string[];
  knownFailing?: string;
  timeout: number;
  jobs: number;
  trace?: boolean;
  seed: number;
  report?: string;
}

/** What a mode says of the options in words of its own. */
interface Wording {
  readonly starts?: string;
  readonly timeout?: string;
  readonly jobs?: string;
  readonly usualJobs?: number;
}

const several = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** Most of a check is waiting, and some of it is about milliseconds: more side by side only make each other late. */
const mostJobs = 4;

/** A mode that starts its subject by a command; options of its own are added to it. */
export function suiteCommand(role: string, description: string, wording: Wording = {}): Command {
  const { starts = `starts the ${role}, in a shell, with the environment of the wire` } = wording;
  const { timeout = `until the ${role} listens`, jobs = `${role}s that run side by side` } = wording;
  const { usualJobs = Math.min(mostJobs, availableParallelism()) } = wording;
  return new Command(role)
    .description(description)
    .option('--command <command>', starts)
    .addOption(new Option('--level <level>', 'what is asked of it').choices(['must', 'should', 'may']).default('must'))
    .option('--only <glob>', 'run these checks alone; may be given again', several)
    .option('--skip <glob>', 'leave these checks out; may be given again', several)
    .option('--capability <name...>', 'what it has beyond what it announces itself; may be given again')
    .option('--known-failing <file>', 'ids of checks that are known to fail, one a line')
    .option('--timeout <seconds>', timeout, number(0.1), 30)
    .option('--jobs <n>', jobs, number(1), usualJobs)
    .option('--trace', 'the wire transcript of each failure')
    .option('--seed <n>', 'of everything that is drawn', number(0), 1)
    .option('--report <folder>', 'write junit.xml, report.json, report.html, summary.md and badge.json there');
}

/** @throws UsageError */
export function suiteOptions(flags: SuiteFlags): SuiteOptions {
  const { command, url, level, only, skip, capability, jobs, knownFailing, seed } = flags;
  if ((command === undefined) === (url === undefined)) throw new UsageError('give either --command or --url');
  if (url !== undefined && !URL.canParse(url)) throw new UsageError(`--url ${url} is no URL`);
  return {
    ...{ level, seed, jobs: Math.floor(jobs) },
    ...(only && { only }),
    ...(skip && { skip }),
    ...(capability && { capabilities: capability }),
    ...(knownFailing === undefined ? {} : { knownFailing: known(knownFailing), knownFailingFile: knownFailing }),
  };
}

/** @throws UsageError when an id is none: a check that is never run would never be missed */
function known(file: string): string[] {
  const ids = readKnown(file);
  const all = new Set(catalogs.flatMap(({ checks }) => checks().map(({ id }) => id)));
  const stranger = ids.find((id) => !all.has(id) && !id.startsWith('vectors/'));
  if (stranger !== undefined) throw new UsageError(`${file}: there is no check ${stranger}`);
  return ids;
}

type Observed = Pick<SuiteOptions, 'onPlan' | 'onResult'>;

/** Says what a person reads, writes the report, and resolves with the exit code. @throws UsageError */
export async function concluded(
  flags: SuiteFlags,
  run: (observed: Required<Observed>) => Promise<Report>,
): Promise<number> {
  // An end that runs what is to be done at the end: no subject is left behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(exits.not));
  const progress = new Progress(process.stdout, flags.trace === true);
  try {
    const report = await run({
      onPlan: (checks) => progress.planned(checks),
      onResult: (result) => progress.result(result),
    });
    if (report.checks.length === 0) throw new UsageError('no check is left to run: look at --only and --skip');
    progress.end();
    process.stdout.write(
      summaryLines(report)
        .map((line) => `${line}\n`)
        .join(''),
    );
    if (flags.report !== undefined) writeReport(flags.report, report);
    return conforms(report) ? exits.conformant : exits.not;
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error;
    process.stderr.write(`turnwire-contract: the subject ${error.message}\n`);
    return exits.notStarted;
  }
}
