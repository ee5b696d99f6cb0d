/** The reference custodian as one file, with one difference or none. */
import { readdirSync } from 'node:fs';
import { bundle, type Difference, differencesBeside } from '../bundle.ts';

export const differences = differencesBeside(import.meta.url);

/** What it puts into an Envoy's bootstrap. */
const scripts = readdirSync(new URL('../../../custodian/envoy/', import.meta.url)).map((name) => `envoy/${name}`);

export const buildCustodian = (difference?: Difference): Promise<string> =>
  bundle({
    folder: 'custodian',
    entry: 'src/main.ts',
    name: difference?.name ?? 'reference',
    edits: difference?.edits ?? [],
    files: scripts,
  });
