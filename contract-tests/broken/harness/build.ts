/** The reference harness as one file, with one difference or none. */
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

export const differences: readonly Difference[] = ['differences.yaml', 'reading.yaml'].flatMap((file): Difference[] =>
  parse(readFileSync(new URL(file, import.meta.url), 'utf8')),
);

export const buildHarness = (difference?: Difference): Promise<string> =>
  bundle({
    folder: 'harness',
    entry: 'src/main.ts',
    name: difference?.name ?? 'reference',
    edits: difference?.edits ?? [],
  });
