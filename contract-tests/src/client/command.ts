import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { UsageError } from '../model/command.ts';
import { conforms, type Level } from '../report/check.ts';
import { writeReport } from '../report/files.ts';
import { failureLines, summaryLines } from '../report/lines.ts';
import { exits, number, readKnown } from '../run/flags.ts';
import { SubjectError } from './adapter.ts';
import { runClient } from './run.ts';

const several = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** Most of a check is waiting; more processes than this only make each other late. */
const mostJobs = 8;

interface Flags {
  command: string;
  only?: string[];
  skip?: string[];
  level: Level;
  knownFailing?: string;
  timeout: number;
  jobs: number;
  trace?: boolean;
  seed: number;
  report?: string;
}

/** `turnwire-contract client`: an SDK in any language, by way of its adapter. */
export function clientCommand(): Command {
  return new Command('client')
    .description('holds an SDK in any language to the spec, by way of an adapter: see docs/adapters.md')
    .requiredOption('--command <command>', 'starts the adapter, in a shell')
    .addOption(new Option('--level <level>', 'what is asked of it').choices(['must', 'should', 'may']).default('must'))
    .option('--only <glob>', 'run these checks alone; may be given again', several)
    .option('--skip <glob>', 'leave these checks out; may be given again', several)
    .option('--known-failing <file>', 'ids of checks that are known to fail, one a line')
    .option('--timeout <seconds>', 'for one command of the adapter', number(0.1), 30)
    .option('--jobs <n>', 'adapters that run side by side', number(1), Math.min(mostJobs, availableParallelism() * 4))
    .option('--trace', 'the wire transcript of each failure')
    .option('--seed <n>', 'of everything that is drawn', number(0), 1)
    .option('--report <folder>', 'write junit.xml and report.json there')
    .action(async (flags: Flags) => {
      process.exitCode = await run(flags);
    });
}

async function run(flags: Flags): Promise<number> {
  const { command, level, only, skip, seed } = flags;
  const say = (lines: readonly string[]) => process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  const knownFailing = flags.knownFailing === undefined ? [] : readKnown(flags.knownFailing);
  try {
    const report = await runClient({
      ...{ command, level, seed, knownFailing, timeoutMs: flags.timeout * 1000, jobs: Math.floor(flags.jobs) },
      ...(only !== undefined && { only }),
      ...(skip !== undefined && { skip }),
      onResult: (result) => {
        if (result.verdict !== 'passed') say(failureLines(result, flags.trace === true));
      },
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
