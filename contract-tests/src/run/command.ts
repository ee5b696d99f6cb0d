/** The command line that the modes share, and what becomes of a run. */
import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { SubjectError } from '../harness/subject.ts';
import { UsageError } from '../model/command.ts';
import { conforms, type Report } from '../report/check.ts';
import { writeReport } from '../report/files.ts';
import { summaryLines } from '../report/lines.ts';
import { Progress } from '../report/progress.ts';
import { baseUrl, count, exits, madeFolder, seconds } from './flags.ts';
import { type SuiteFlags, suiteOptions } from './options.ts';
import type { SuiteOptions } from './suite.ts';

/** What every mode is run with: the subject's command, or where one is running that was started with `At`. */
export interface ModeRun<At> extends SuiteOptions {
  readonly timeoutMs: number;
  readonly command?: string;
  readonly at?: At;
}

/** A mode, as far as its command line is its own. */
export interface Mode<At> {
  readonly role: string;
  readonly description: string;
  /** How it says the options that all have. */
  readonly starts?: string;
  readonly timeout?: string;
  readonly jobs?: string;
  readonly usualJobs?: number;
  /** What has to be given with `--url`: with what the subject was started; absent: a subject is always started. */
  readonly elsewhere?: readonly Option[];
  /** @throws UsageError */
  at?(url: string, given: Readonly<Record<string, unknown>>): At;
  run(options: ModeRun<At>): Promise<Report>;
}

const several = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** Most of a check is waiting, and some of it is about milliseconds: more side by side only make each other late. */
const mostJobs = 4;

export function suiteCommand<At>(mode: Mode<At>): Command {
  const { role, elsewhere = [], usualJobs = Math.min(mostJobs, availableParallelism()) } = mode;
  const { starts = `starts the ${role}, in a shell, with the environment of the wire` } = mode;
  const { timeout = `until the ${role} listens`, jobs = `${role}s that run side by side` } = mode;
  const command = new Command(role)
    .description(mode.description)
    .option('--command <command>', starts)
    .addOption(new Option('--level <level>', 'what is asked of it').choices(['must', 'should', 'may']).default('must'))
    .option('--only <glob>', 'run these checks alone; may be given again', several)
    .option('--skip <glob>', 'leave these checks out; may be given again', several)
    .option('--capability <name...>', 'what it has beyond what it announces itself; may be given again')
    .option('--known-failing <file>', 'ids of checks that are known to fail, one a line')
    .option('--timeout <seconds>', timeout, seconds, 30)
    .option('--jobs <n>', jobs, count(1), usualJobs)
    .option('--trace', 'the wire transcript of each failure')
    .option('--seed <n>', 'of everything that is drawn', count(0), 1)
    .option('--report <folder>', 'write junit.xml, report.json, report.html, summary.md and badge.json there');
  if (mode.at) command.option('--url <url>', 'or where one is running, with what follows', baseUrl);
  for (const option of elsewhere) command.addOption(option);
  return command.action(async (flags: SuiteFlags) => {
    const options = asked(mode, flags);
    process.exitCode = await concluded(flags, (observed) => mode.run({ ...options, ...observed }));
  });
}

/** @throws UsageError */
function asked<At>(mode: Mode<At>, flags: SuiteFlags): ModeRun<At> {
  const { command, url, timeout } = flags;
  if (!mode.at && command === undefined) throw new UsageError('give --command, which starts the adapter');
  if ((command === undefined) === (url === undefined)) throw new UsageError('give either --command or --url');
  const at = whereOf(mode, flags);
  return {
    ...suiteOptions(mode.role, flags),
    timeoutMs: timeout * 1000,
    ...(command === undefined ? {} : { command }),
    ...(at === undefined ? {} : { at }),
  };
}

function whereOf<At>({ elsewhere = [], at }: Mode<At>, flags: SuiteFlags): At | undefined {
  const given = flags as unknown as Readonly<Record<string, unknown>>;
  const has = (option: Option) => given[option.attributeName()] !== undefined;
  const names = (options: readonly Option[]) => options.map(({ long }) => long).join(', ');
  if (flags.url === undefined) {
    const idle = elsewhere.filter(has);
    if (idle.length > 0) throw new UsageError(`${names(idle)}: with --url alone`);
    return undefined;
  }
  const missing = elsewhere.filter((option) => !has(option));
  if (missing.length > 0) throw new UsageError(`--url needs ${names(missing)}: with what the subject was started`);
  return at?.(flags.url, given);
}

type Observed = Pick<SuiteOptions, 'onPlan' | 'onResult'>;

/** Says what a person reads, writes the report, and resolves with the exit code. @throws UsageError */
async function concluded(flags: SuiteFlags, run: (observed: Required<Observed>) => Promise<Report>): Promise<number> {
  const folder = flags.report === undefined ? undefined : madeFolder(flags.report);
  // An end that runs what is to be done at the end: no subject is left behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(exits.not));
  const progress = new Progress(process.stdout, flags.trace === true);
  try {
    const report = await run({
      onPlan: (checks) => progress.planned(checks),
      onResult: (result) => progress.result(result),
    });
    progress.end();
    process.stdout.write(
      summaryLines(report)
        .map((line) => `${line}\n`)
        .join(''),
    );
    if (folder !== undefined) written(folder, report);
    return conforms(report) ? exits.conformant : exits.not;
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error;
    process.stderr.write(`turnwire-contract: the subject ${error.message}\n`);
    return exits.notStarted;
  }
}

/** @throws UsageError when a file of before is in the way */
function written(folder: string, report: Report): void {
  try {
    writeReport(folder, report);
  } catch (error) {
    throw new UsageError(`cannot write the report to ${folder}: ${(error as Error).message}`);
  }
}
