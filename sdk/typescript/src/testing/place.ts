/** Places where a dial fails as it does on other people's networks: a process of its own, in a namespace where it takes one. For tests only. */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Verdict } from '../certainty.ts';

export interface Place {
  /** An origin; or the URL of a module that exports `fullQueue`: it is started there, and dialled. */
  readonly to: string;
  /** Shell commands that make the place, run as the namespace's root. */
  readonly setUp?: readonly string[];
  /** Whether every file descriptor is in use before the dial. */
  readonly exhausted?: boolean;
}

/** What one client made of it there, with the errno that it was told. */
export interface Verdicts {
  readonly [client: string]: Verdict & { readonly last: string };
}

/** Why the machine does not allow it, if it does not. */
export function forbids({ setUp }: Place): string | undefined {
  if (setUp === undefined) return undefined;
  const { error, status, stderr } = spawnSync('unshare', ['-rn', 'sh', '-ec', setUp.join('\n')], { encoding: 'utf8' });
  return error === undefined && status === 0 ? undefined : `no network namespace here: ${error?.message ?? stderr}`;
}

/** Dials from there with every client. */
export async function dialFrom({ to, setUp, exhausted }: Place): Promise<Verdicts> {
  const script = fileURLToPath(new URL('dialler.ts', import.meta.url));
  const node = [process.execPath, '--conditions=turnwire-source', '--import', 'tsx', script, to];
  const limited = ['sh', '-ec', 'ulimit -n 256; exec "$@"', 'sh', ...node, 'exhausted'];
  const inNamespace = ['unshare', '-rn', 'sh', '-ec', `${setUp?.join('\n')}\nexec "$@"`, 'sh', ...node];
  const [program = '', ...args] = exhausted === true ? limited : setUp === undefined ? node : inNamespace;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const piece of child.stdout) output += piece;
  return JSON.parse(output) as Verdicts;
}
