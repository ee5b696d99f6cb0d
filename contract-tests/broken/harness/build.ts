/** The reference harness as one file, with one difference or none. */
import { bundle, type Difference, differencesBeside } from '../bundle.ts';

export const differences = differencesBeside(import.meta.url);

export const buildHarness = (difference?: Difference): Promise<string> =>
  bundle({
    folder: 'harness',
    entry: 'src/main.ts',
    name: difference?.name ?? 'reference',
    edits: difference?.edits ?? [],
  });
