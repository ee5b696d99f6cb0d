import { fileURLToPath } from 'node:url';
import { defineConfig } from 'tsdown';

const at = (folder: string) => fileURLToPath(new URL(`../${folder}`, import.meta.url));

/** Each package becomes `dist/` of plain ESM: what the bins run, what the tarballs carry, what the demo and the end-to-end tests start. */
const packages: Record<string, string[]> = {
  'sdk/typescript': ['index'],
  'sdk/typescript-server': ['index'],
  harness: ['index', 'main'],
  orchestrator: ['index', 'main', 'cli', 'testing'],
  custodian: ['main'],
  'contract-tests': ['main'],
};

export default defineConfig(
  Object.entries(packages).map(([folder, entries]) => ({
    cwd: at(folder),
    entry: entries.map((entry) => `src/${entry}.ts`),
    outDir: 'dist',
    format: 'esm' as const,
    platform: 'node' as const,
    target: 'node20',
    fixedExtension: false,
    sourcemap: true,
    clean: true,
    dts: process.env.TURNWIRE_BUILD_TYPES === '1',
  })),
);
