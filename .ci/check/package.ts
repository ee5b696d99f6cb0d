import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'tsdown';
import type { Check, Findings } from './check.ts';
import { command } from './command.ts';

/** The packages whose types others compile against, with what they export. */
const published: Readonly<Record<string, readonly string[]>> = { 'sdk/typescript': ['index'] };

/**
 * Builds each package with its types as it is published, in a folder of its own: the `dist` that others run from stays as
 * it is. `publint` and `attw` must have nothing to say of it.
 */
export const packages: Check = {
  name: 'packages',
  async run(root) {
    const problems: string[] = [];
    for (const [folder, entries] of Object.entries(published)) problems.push(...(await check(root, folder, entries)));
    return { problems };
  },
};

async function check(root: string, folder: string, entries: readonly string[]): Promise<readonly string[]> {
  const packed = mkdtempSync(join(tmpdir(), 'turnwire-package-'));
  try {
    for (const file of ['package.json', 'README.md']) cpSync(join(root, folder, file), join(packed, file));
    await build({
      cwd: join(root, folder),
      config: false,
      entry: entries.map((entry) => `src/${entry}.ts`),
      outDir: join(packed, 'dist'),
      format: 'esm',
      platform: 'node',
      target: 'node20',
      fixedExtension: false,
      dts: true,
      tsconfig: join(root, 'tsconfig.base.json'),
      logLevel: 'error',
    });
    const found = [
      await command('publint', 'publint', ['run', packed, '--strict']).run(root),
      await command('attw', 'attw', ['--pack', packed, '--profile', 'esm-only', '--no-emoji']).run(root),
    ];
    return found.flatMap((findings: Findings) => findings.problems.map((problem) => `${folder}: ${problem}`));
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}
