/** `turnwire-orchestrator token …`: derives a token from the signing key of the state folder and prints it alone. */
import { resolve } from 'node:path';
import { command, dnsLabel } from '@turnwire/server';
import { Argument, type Command } from 'commander';
import { stateDirOption } from './settings.ts';
import { harnessToken, harnessTokenDigest, placementToken, signingKey } from './tokens.ts';

const PROGRAM = 'turnwire-orchestrator';

/** What is wrong with its usage is said in the program's name. */
const part = (name: string, description: string): Command => command(PROGRAM, description).name(name);

const nameArgument = (): Argument => new Argument('<NAME>', 'the placement, a DNS label').argParser(dnsLabel);

export function tokenCommand(print: (text: string) => void, note: (text: string) => void): Command {
  const keyIn = (flags: { stateDir: string }) =>
    signingKey(resolve(flags.stateDir), (file) => note(`${PROGRAM}: made a new signing key, ${file}\n`));
  const placement = part('placement', 'print the placement token, which its Custodian holds')
    .addArgument(nameArgument())
    .addOption(stateDirOption())
    .action((name: string, flags: { stateDir: string }) => print(`${placementToken(keyIn(flags), name)}\n`));
  const harness = part('harness', 'print the harness token, or with --sha256 the digest that its Harness holds')
    .addArgument(nameArgument())
    .addOption(stateDirOption())
    .option('--sha256', 'the base64url SHA-256 of the token: TURNWIRE_HARNESS_TOKEN_SHA256')
    .action((name: string, flags: { stateDir: string; sha256?: boolean }) => {
      const derive = flags.sha256 ? harnessTokenDigest : harnessToken;
      print(`${derive(keyIn(flags), name)}\n`);
    });
  return part('token', 'derive a token from the signing key').addCommand(placement).addCommand(harness);
}
