import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { UsageError } from '../model/command.ts';
import { conforms, type Level } from '../report/check.ts';
import { writeReport } from '../report/files.ts';
import { failureLines, summaryLines } from '../report/lines.ts';
import { exits, number, readKnown } from '../run/flags.ts';
import { type HarnessRun, runHarness } from './run.ts';
import { SubjectError } from './subject.ts';

interface Flags {
  command?: string;
  url?: string;
  token?: string;
  orchestratorPort?: number;
  modelPort?: number;
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

/** `turnwire-contract harness`: a harness in any language. */
export function harnessCommand(): Command {
  return new Command('harness')
    .description('holds a harness in any language to the spec: the kit plays the orchestrator and the model')
    .option('--command <command>', 'starts the harness, in a shell, with the environment of the wire')
    .option('--url <url>', 'or where one is running, with the token and the ports below')
    .option('--token <token>', 'with --url: the harness token')
    .option('--orchestrator-port <n>', "where the kit's orchestrator listens: its TURNWIRE_CUSTODIAN_URL", number(1))
    .option('--model-port <n>', "where the kit's model listens: its OPENAI_BASE_URL, with /v1", number(1))
    .addOption(new Option('--level <level>', 'what is asked of it').choices(['must', 'should', 'may']).default('must'))
    .option('--only <glob>', 'run these checks alone; may be given again', several)
    .option('--skip <glob>', 'leave these checks out; may be given again', several)
    .option('--known-failing <file>', 'ids of checks that are known to fail, one a line')
    .option('--timeout <seconds>', 'until the harness listens', number(0.1), 30)
    .option('--jobs <n>', 'harnesses that run side by side', number(1), Math.min(4, availableParallelism()))
    .option('--trace', 'the wire transcript of each failure')
    .option('--seed <n>', 'of everything that is drawn', number(0), 1)
    .option('--report <folder>', 'write junit.xml and report.json there')
    .action(async (flags: Flags) => {
      // An end that runs what is to be done at the end: no subject is left behind.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(exits.not));
      process.exitCode = await run(flags);
    });
}

async function run(flags: Flags): Promise<number> {
  const say = (lines: readonly string[]) => process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  try {
    const report = await runHarness({
      ...asked(flags),
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

/** @throws UsageError */
function asked({ command, url, timeout, jobs, knownFailing, trace: _, report: __, ...rest }: Flags): HarnessRun {
  if ((command === undefined) === (url === undefined)) throw new UsageError('give either --command or --url');
  if (url !== undefined && rest.token === undefined) throw new UsageError('--url needs --token, the harness token');
  return {
    ...rest,
    ...(command === undefined ? {} : { command }),
    ...(url === undefined ? {} : { url }),
    timeoutMs: timeout * 1000,
    jobs: Math.floor(jobs),
    knownFailing: knownFailing === undefined ? [] : readKnown(knownFailing),
  };
}
