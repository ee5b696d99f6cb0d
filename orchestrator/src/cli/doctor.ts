import { resolve } from 'node:path';
import { httpUrl, path, setting } from '@turnwire/server';
import type { Command } from 'commander';
import { databaseUrlOption, harnessUrlOption, placementOption, restartGraceOption } from '../settings.ts';
import { readAddress } from './dev/claim.ts';
import { checkBudgets } from './doctor/budgets.ts';
import type { Place } from './doctor/expected.ts';
import type { Finding } from './doctor/finding.ts';
import { checkHops, type Hops, signingKeyIn } from './doctor/hops.ts';
import { checkMachine } from './doctor/machine.ts';
import { checkDatabase, checkPlacementToken, checkPorts } from './doctor/places.ts';
import { checkUsers } from './doctor/users.ts';
import { CliError, ExitCode } from './exit.ts';
import { type Io, print, printJson } from './io.ts';
import { type TargetFlags, targetOptions, urlOf } from './target.ts';

interface DoctorFlags extends TargetFlags {
  harnessUrl: string;
  custodianUrl: string;
  placement: string;
  databaseUrl: string;
  placementTokenFile?: string;
  restartGrace: number;
}

/** `turnwire doctor`: looks at files, ports, versions, limits and every hop, and says what to do about what is wrong. */
export function doctorCommand(program: Command, io: Io): void {
  targetOptions(program.command('doctor').description('look for what is wrong with an installation'))
    .addOption(harnessUrlOption())
    .addOption(setting('CUSTODIAN_URL', 'the Custodian', { default: 'http://127.0.0.1:8081', parse: httpUrl }))
    .addOption(placementOption())
    .addOption(databaseUrlOption())
    .addOption(restartGraceOption())
    .addOption(
      setting('PLACEMENT_TOKEN_FILE', "the Custodian's token file, when it is on this machine", { parse: path }),
    )
    .action(async (flags: DoctorFlags, command: Command) => {
      const stateDir = resolve(io.cwd, flags.stateDir);
      const hops: Hops = {
        ...flags,
        ...placesOf(flags, command, stateDir),
        orchestratorUrl: urlOf(flags, stateDir),
        stateDir,
        signal: io.signal,
      };
      const { findings: hopped, harness, custodian } = await checkHops(hops);
      const findings = [
        ...checkMachine(stateDir),
        checkPorts({
          orchestrator: hops.orchestratorUrl,
          ...(harness !== undefined && { harness }),
          ...(custodian !== undefined && { custodian }),
        }),
        ...checkFiles(flags, stateDir, io.cwd),
        ...hopped,
        ...(harness !== undefined && custodian !== undefined ? checkUsers({ custodian, harness }) : []),
        ...checkBudgets(flags.restartGrace),
      ];
      if (flags.json) printJson(io, { checks: findings });
      else for (const line of findings.flatMap(report)) print(io, line);
      verdict(findings);
    });
}

/** As the command line or the environment says, else where `turnwire dev` has them, else at their usual ports. */
function placesOf(
  { harnessUrl, custodianUrl, url }: DoctorFlags,
  command: Command,
  stateDir: string,
): Record<'harness' | 'custodian', Place> {
  const dev = url === undefined ? readAddress(stateDir) : undefined;
  const place = (option: string, value: string, ofDev: string | undefined): Place => {
    const assumed = command.getOptionValueSource(option) === 'default';
    return assumed && ofDev !== undefined ? { url: ofDev, assumed: false } : { url: value, assumed };
  };
  return {
    harness: place('harnessUrl', harnessUrl, dev?.harness),
    custodian: place('custodianUrl', custodianUrl, dev?.custodian),
  };
}

function checkFiles(
  { databaseUrl, placementTokenFile, placement }: DoctorFlags,
  stateDir: string,
  cwd: string,
): Finding[] {
  const token =
    placementTokenFile === undefined
      ? []
      : [checkPlacementToken(resolve(cwd, placementTokenFile), signingKeyIn(stateDir), placement)];
  return [checkDatabase(databaseUrl, cwd), ...token];
}

function report(finding: Finding): string[] {
  const { check, ok, warning = false, detail, remedy } = finding;
  const line = `${wordOf(finding)}  ${check.padEnd(22)} ${detail}`;
  return (ok && !warning) || !remedy ? [line] : [line, `      ${' '.repeat(22)} → ${remedy}`];
}

function wordOf({ ok, warning, skipped }: Finding): string {
  if (skipped) return 'skip';
  if (warning) return 'warn';
  return ok ? 'ok  ' : 'bad ';
}

function verdict(findings: readonly Finding[]): void {
  const bad = findings.filter(({ ok }) => !ok);
  if (bad.length === 0) return;
  const unreachable = bad.some(({ certainty }) => certainty !== undefined);
  throw new CliError(
    `${bad.length} of ${findings.length} checks failed`,
    unreachable ? ExitCode.unreachable : ExitCode.usage,
  );
}
