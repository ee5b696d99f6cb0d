import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { SubjectError } from '../harness/subject.ts';
import { UsageError } from '../model/command.ts';
import { conforms, type Level } from '../report/check.ts';
import { writeReport } from '../report/files.ts';
import { failureLines, summaryLines } from '../report/lines.ts';
import { exits, number, readKnown } from '../run/flags.ts';
import { type OrchestratorRun, runOrchestrator } from './run.ts';

interface Flags {
  command?: string;
  url?: string;
  instanceToken?: string;
  signingKeyFile?: string;
  harnessPort?: number;
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

/** `turnwire-contract orchestrator`: an orchestrator in any language. */
export function orchestratorCommand(): Command {
  return new Command('orchestrator')
    .description('holds an orchestrator in any language to the spec: the kit plays harnesses, and people at gates')
    .option('--command <command>', 'starts the orchestrator, in a shell, with the environment of the wire')
    .option('--url <url>', 'or where one is running, with the statecharts of the kit and with what follows')
    .option('--instance-token <token>', 'with --url: the instance token')
    .option('--signing-key-file <file>', 'with --url: the file of the signing key')
    .option('--harness-port <n>', "with --url: where the kit's harness listens: its TURNWIRE_HARNESS_URL", number(1))
    .addOption(new Option('--level <level>', 'what is asked of it').choices(['must', 'should', 'may']).default('must'))
    .option('--only <glob>', 'run these checks alone; may be given again', several)
    .option('--skip <glob>', 'leave these checks out; may be given again', several)
    .option('--known-failing <file>', 'ids of checks that are known to fail, one a line')
    .option('--timeout <seconds>', 'until the orchestrator listens', number(0.1), 30)
    .option('--jobs <n>', 'orchestrators that run side by side', number(1), Math.min(4, availableParallelism()))
    .option('--trace', 'the wire transcript of each failure')
    .option('--seed <n>', 'of everything that is drawn', number(0), 1)
    .option('--report <folder>', 'write junit.xml and report.json there')
    .action(async (flags: Flags) => {
      process.exitCode = await run(flags);
    });
}

async function run(flags: Flags): Promise<number> {
  const say = (lines: readonly string[]) => process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  try {
    const report = await runOrchestrator({
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
function asked({ command, url, level, only, skip, timeout, jobs, knownFailing, seed, ...at }: Flags): OrchestratorRun {
  if ((command === undefined) === (url === undefined)) throw new UsageError('give either --command or --url');
  return {
    ...{ level, seed, timeoutMs: timeout * 1000, jobs: Math.floor(jobs) },
    ...(only && { only }),
    ...(skip && { skip }),
    ...(command === undefined ? {} : { command }),
    ...(url === undefined ? {} : { at: running(url, at) }),
    knownFailing: knownFailing === undefined ? [] : readKnown(knownFailing),
  };
}

function running(url: string, { instanceToken, signingKeyFile, harnessPort }: Partial<Flags>) {
  if (instanceToken === undefined || signingKeyFile === undefined || harnessPort === undefined)
    throw new UsageError('--url needs --instance-token, --signing-key-file and --harness-port');
  try {
    const signingKey = readFileSync(signingKeyFile, 'utf8').replace(/\n$/, '');
    return { url, instanceToken, signingKey, harnessPort };
  } catch (error) {
    throw new UsageError(`cannot read ${signingKeyFile}: ${(error as Error).message}`);
  }
}
