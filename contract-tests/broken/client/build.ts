/** The adapter of the TypeScript SDK as one file, with one difference or none. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { bundle } from '../bundle.ts';

export interface Difference {
  readonly name: string;
  readonly says: string;
  /** Ids of the checks that are meant to catch it. */
  readonly caughtBy: readonly string[];
  /** A file of the SDK, a piece of a line of it, and what stands there instead. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const differences: readonly Difference[] = parse(
  readFileSync(new URL('differences.yaml', import.meta.url), 'utf8'),
);

const sdk = 'sdk/typescript';

export function buildAdapter(difference?: Difference): Promise<string> {
  const edits = difference ? [{ ...difference, file: `${sdk}/src/${difference.file}` }] : [];
  return bundle({ folder: sdk, entry: 'src/adapter.ts', name: difference?.name ?? 'reference', edits });
}
