/** What every mode that holds a subject to the spec takes on its command line. */
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { UsageError } from '../model/command.ts';

/** Exit codes of a run: conformant, not, and (2 is usage) a subject that could not be started. */
export const exits = { conformant: 0, not: 1, notStarted: 3 } as const;

export const number =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= least)) throw new InvalidArgumentError(`must be a number, at least ${least}`);
    return value;
  };

/** One id a line; what follows a `#` is for people. @throws UsageError */
export function readKnown(file: string): string[] {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as Error).message}`);
  }
  return source.split('\n').flatMap((line) => line.replace(/#.*/, '').trim() || []);
}
