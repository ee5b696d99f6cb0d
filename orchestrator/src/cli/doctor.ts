import { resolve } from 'node:path';
import { httpUrl, setting } from '@turnwire/server';
import type { Command } from 'commander';
import { databaseUrlOption, harnessUrlOption, placementOption, restartGraceOption } from '../settings.ts';
import { checkBudgets } from './doctor/budgets.ts';
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
    .addOption(setting('PLACEMENT_TOKEN_FILE', "the Custodian's token file, when it is on this machine"))
    .action(async (flags: DoctorFlags) => {
      const stateDir = resolve(io.cwd, flags.stateDir);
      const hops: Hops = { ...flags, orchestratorUrl: urlOf(flags, stateDir), stateDir, signal: io.signal };
      const findings = [
        ...checkMachine(stateDir),
        ...checkPlaces(flags, hops, io.cwd),
        ...(await checkHops(hops)),
        ...checkUsers({ custodian: hops.custodianUrl, harness: hops.harnessUrl }),
        ...checkBudgets(flags.restartGrace),
      ];
      if (flags.json) printJson(io, { checks: findings });
      else for (const line of findings.flatMap(report)) print(io, line);
      verdict(findings);
    });
}

function checkPlaces({ databaseUrl, placementTokenFile, placement }: DoctorFlags, hops: Hops, cwd: string): Finding[] {
  const { orchestratorUrl: orchestrator, harnessUrl: harness, custodianUrl: custodian, stateDir } = hops;
  const token =
    placementTokenFile === undefined
      ? []
      : [checkPlacementToken(resolve(cwd, placementTokenFile), signingKeyIn(stateDir), placement)];
  return [checkPorts({ orchestrator, harness, custodian }), checkDatabase(databaseUrl, cwd), ...token];
}

function report({ check, ok, warning = false, detail, remedy }: Finding): string[] {
  const line = `${warning ? 'warn' : ok ? 'ok  ' : 'bad '}  ${check.padEnd(22)} ${detail}`;
  return (ok && !warning) || !remedy ? [line] : [line, `      ${' '.repeat(22)} → ${remedy}`];
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
