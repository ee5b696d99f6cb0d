/** The reference custodian as one file, with one difference or none. */
import { readFileSync } from 'node:fs';
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

export const buildCustodian = (difference?: Difference): Promise<string> =>
  bundle({
    folder: 'custodian',
    entry: 'src/main.ts',
    name: difference?.name ?? 'reference',
    edits: difference?.edits ?? [],
  });
