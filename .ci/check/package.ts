import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    cpSync(join(root, folder, 'README.md'), join(packed, 'README.md'));
    // Its scripts build in the workspace that this copy is not in.
    const { scripts: _, ...manifest } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    writeFileSync(join(packed, 'package.json'), JSON.stringify(manifest));
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
