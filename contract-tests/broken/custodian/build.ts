/** The reference custodian as one file, with one difference or none. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { bundle, type Edit } from '../bundle.ts';

export interface Difference {
  readonly name: string;
  readonly says: string;
  /** Ids of the checks that are meant to catch it. */
  readonly caughtBy: readonly string[];
  readonly edits: readonly Edit[];
}

export const differences: readonly Difference[] = parse(
  readFileSync(new URL('differences.yaml', import.meta.url), 'utf8'),
);

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
