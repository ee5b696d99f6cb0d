/** Whether files are still where they were opened: a removed one keeps taking what is written to it, and nobody reads it (TW-DUR-023). */
import { statSync } from 'node:fs';

/** While they are open, no other file gets their numbers. @returns the first that is gone, or another one by now */
export function watchPlaces(files: readonly string[]): () => string | undefined {
  const opened = files.map(numberOf);
  return () => files.find((file, index) => numberOf(file) !== opened[index]);
}

function numberOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.dev} ${stats.ino}` : 'gone';
}
