import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CliError } from '../exit.ts';

const require = createRequire(import.meta.url);

/** A command of another package, found by its manifest: nothing of it is imported. */
export interface Bin {
  readonly package: string;
  readonly name: string;
}

export const BINS = {
  orchestrator: { package: '@turnwire/orchestrator', name: 'turnwire-orchestrator' },
  harness: { package: '@turnwire/harness', name: 'turnwire-harness' },
  custodian: { package: '@turnwire/custodian', name: 'turnwire-custodian' },
  contract: { package: '@turnwire/contract-tests', name: 'turnwire-contract' },
} as const satisfies Record<string, Bin>;

/** The folder of an installed package. @throws CliError naming what to install */
export function packageFolder(name: string): string {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    throw new CliError(`${name} is not installed; run: npm install ${name}`);
  }
}

/** The script behind a command. @throws CliError when it is not there */
export function scriptOf({ package: name, name: bin }: Bin): string {
  const folder = packageFolder(name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin?: Record<string, string> };
  const script = join(folder, manifest.bin?.[bin] ?? `bin/${bin}.js`);
  if (existsSync(script)) return script;
  throw new CliError(`${name} has no ${script}; install it again, or build it with: npm run build`);
}
