/** How this command was called, so that the commands that it prints work when they are pasted. */
import { basename, delimiter, dirname, relative, resolve, sep } from 'node:path';
import { quoted } from './words.ts';

/** As much of `process` as tells. */
export interface Called {
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  cwd(): string;
}

/** `turnwire` where a shell finds it, else `npx turnwire`, a path, or Node with the script. */
export function invocation(called: Called): string {
  const { argv, execArgv, env } = called;
  const script = argv[1] ?? 'turnwire';
  if (env.npm_command !== undefined) return runnerOf(env);
  const folder = dirname(resolve(called.cwd(), script));
  const onPath = (env.PATH ?? '').split(delimiter).some((each) => each !== '' && resolve(each) === folder);
  if (basename(script) === 'turnwire' && onPath) return 'turnwire';
  const path = quoted(shortest(script, called.cwd()));
  return /\.[cm]?[jt]s$/.test(script) ? ['node', ...execArgv.map(quoted), path].join(' ') : path;
}

/** Under a package manager the command is in a folder that only its children have on their PATH. */
function runnerOf({ npm_config_user_agent: agent = '' }: NodeJS.ProcessEnv): string {
  if (agent.startsWith('pnpm/')) return 'pnpm exec turnwire';
  if (agent.startsWith('yarn/')) return 'yarn turnwire';
  return 'npx turnwire';
}

function shortest(script: string, cwd: string): string {
  const from = relative(cwd, resolve(cwd, script));
  if (from.startsWith('..')) return resolve(cwd, script);
  return from.includes(sep) ? from : `.${sep}${from}`;
}
