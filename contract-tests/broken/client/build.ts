/** The adapter of the TypeScript SDK as one file, with one difference or none. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { bundle, type Difference as Differing } from '../bundle.ts';

export interface Difference extends Omit<Differing, 'edits'> {
  /** A file of the SDK, a piece of a line of it, and what stands there instead. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const differences: readonly Difference[] = readdirSync(new URL('.', import.meta.url))
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name): Difference[] => parse(readFileSync(new URL(name, import.meta.url), 'utf8')));

const sdk = 'sdk/typescript';

export function buildAdapter(difference?: Difference): Promise<string> {
  const edits = difference ? [{ ...difference, file: `${sdk}/src/${difference.file}` }] : [];
  return bundle({ folder: sdk, entry: 'src/adapter.ts', name: difference?.name ?? 'reference', edits });
}
