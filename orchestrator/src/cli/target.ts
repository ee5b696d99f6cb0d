/** Which orchestrator a command speaks to, and with which token. */
import { join, resolve } from 'node:path';
import { type Connection, connect } from '@turnwire/sdk';
import { httpUrl, path, setting } from '@turnwire/server';
import type { Command } from 'commander';
import { readSecret } from '../secret-file.ts';
import { INSTANCE_TOKEN_FILE } from '../tokens.ts';
import { readAddress } from './dev/claim.ts';
import { CliError } from './exit.ts';
import type { Io } from './io.ts';

export const DEFAULT_URL = 'http://127.0.0.1:4000';

export interface TargetFlags {
  url?: string;
  instanceToken?: string;
  stateDir: string;
  json?: boolean;
}

/** The options of every command that speaks to an orchestrator. */
export function targetOptions(command: Command): Command {
  return command
    .addOption(
      setting('URL', `the orchestrator (default: that of turnwire dev in the state dir, else ${DEFAULT_URL})`, {
        parse: httpUrl,
      }),
    )
    .addOption(setting('INSTANCE_TOKEN', 'its instance token (default: read from the state dir)'))
    .addOption(setting('STATE_DIR', 'folder of instance.token', { default: '.turnwire', parse: path }))
    .option('--json', 'print JSON');
}

/** @throws CliError when there is no token to speak with */
export function openTarget(flags: TargetFlags, io: Io): Connection {
  const stateDir = resolve(io.cwd, flags.stateDir);
  return connect({
    baseUrl: urlOf(flags, stateDir),
    token: given(flags.instanceToken) ?? tokenIn(stateDir, io.program),
  });
}

/** Opens the target for one command and closes its sockets whatever becomes of it. */
export async function withTarget<T>(
  flags: TargetFlags,
  io: Io,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = openTarget(flags, io);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

export function urlOf(flags: TargetFlags, stateDir: string): string {
  return flags.url ?? readAddress(stateDir)?.url ?? DEFAULT_URL;
}

/** An empty variable is as good as none. */
function given(token: string | undefined): string | undefined {
  if (!token) return undefined;
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new CliError(
    'the instance token holds a space or a character that no token has; check TURNWIRE_INSTANCE_TOKEN',
  );
}

function tokenIn(stateDir: string, program: string): string {
  const file = join(stateDir, INSTANCE_TOKEN_FILE);
  const token = readSecret(file)?.toString('latin1');
  if (token && /^[\x21-\x7e]+$/.test(token)) return token;
  const what = token === undefined ? 'is missing' : 'holds no token';
  throw new CliError(
    `no instance token: ${file} ${what}; start everything in this folder with \`${program} dev\`, or for an orchestrator elsewhere set TURNWIRE_INSTANCE_TOKEN, or --state-dir to its state folder`,
  );
}
