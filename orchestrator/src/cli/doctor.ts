import { resolve } from 'node:path';
import { httpUrl, setting } from '@turnwire/server';
import type { Command } from 'commander';
import { harnessUrlOption, placementOption } from '../settings.ts';
import type { Finding } from './doctor/finding.ts';
import { checkHops, type Hops } from './doctor/hops.ts';
import { checkMachine } from './doctor/machine.ts';
import { CliError, ExitCode } from './exit.ts';
import { type Io, print, printJson } from './io.ts';
import { type TargetFlags, targetOptions, urlOf } from './target.ts';

interface DoctorFlags extends TargetFlags {
  harnessUrl: string;
  custodianUrl: string;
  placement: string;
}

/** `turnwire doctor`: looks at files, versions and every hop, and says what to do about what is wrong. */
export function doctorCommand(program: Command, io: Io): void {
  targetOptions(program.command('doctor').description('look for what is wrong with an installation'))
    .addOption(harnessUrlOption())
    .addOption(setting('CUSTODIAN_URL', 'the Custodian', { default: 'http://127.0.0.1:8081', parse: httpUrl }))
    .addOption(placementOption())
    .action(async (flags: DoctorFlags) => {
      const stateDir = resolve(io.cwd, flags.stateDir);
      const hops: Hops = { ...flags, orchestratorUrl: urlOf(flags, stateDir), stateDir, signal: io.signal };
      const findings = [...checkMachine(stateDir), ...(await checkHops(hops))];
      if (flags.json) printJson(io, { checks: findings });
      else for (const line of findings.flatMap(report)) print(io, line);
      verdict(findings);
    });
}

function report({ check, ok, detail, remedy }: Finding): string[] {
  const line = `${ok ? 'ok  ' : 'bad '}  ${check.padEnd(22)} ${detail}`;
  return ok || !remedy ? [line] : [line, `      ${' '.repeat(22)} → ${remedy}`];
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
