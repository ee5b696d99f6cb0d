import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { envoyProgram, noEnvoy } from '../engines/envoy.ts';
import type { Engine } from './cast.ts';

/** What is wrong with how the demo was called; its message is one line that says what to do. */
export class UsageError extends Error {}

export interface DemoOptions {
  readonly title: string;
  readonly diff: string;
  readonly interactive: boolean;
  readonly keep: boolean;
  readonly custodian: Engine;
}

const SHIPPED = fileURLToPath(new URL('../../orchestrator/examples/diffs/backoff-jitter.diff', import.meta.url));

/** Reads the command line. @throws UsageError */
export function readOptions(args: readonly string[]): DemoOptions {
  const command = new Command('npm run demo --')
    .description('One workflow through a late start, a SIGKILL and a rolling restart, with real processes.')
    .option('--input <@file>', 'the unified diff to review', `@${SHIPPED}`)
    .option('--title <text>', 'what the change is called')
    .option('--interactive', 'wait for you at the gate', false)
    .option('--keep', 'keep the folder with the databases and logs', false)
    .addOption(
      new Option('--custodian <engine>', 'what the Custodian runs on').choices(['node', 'envoy']).default('node'),
    )
    .configureOutput({ outputError: () => undefined })
    .exitOverride((error) => {
      if (error.exitCode === 0) process.exit(0);
      throw new UsageError(error.message.replace(/^error: /, '').replaceAll('\n', ' '));
    });
  command.parse(args, { from: 'user' });
  const { input, title, interactive, keep, custodian } = command.opts<{
    input: string;
    title?: string;
    interactive: boolean;
    keep: boolean;
    custodian: Engine;
  }>();
  if (custodian === 'envoy' && envoyProgram() === undefined) throw new UsageError(noEnvoy);
  if (!input.startsWith('@')) throw new UsageError('--input takes @FILE, a file that holds a unified diff');
  // npm runs a script in the package's folder, and says where its caller stands.
  const file = resolve(process.env.INIT_CWD ?? '.', input.slice(1));
  return { title: title ?? `Review of ${file.split('/').pop()}`, diff: readDiff(file), interactive, keep, custodian };
}

function readDiff(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code}); give --input @FILE with a unified diff`,
    );
  }
  if (!/^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m.test(text)) {
    throw new UsageError(`${file} is not a unified diff (it has no @@ hunk); make one with: git diff > change.diff`);
  }
  return text;
}
