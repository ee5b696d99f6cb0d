/** Numbers, and how they are said. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const ms = (value: number): string => `${value.toFixed(2)} ms`;
export const rate = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;

/** Median time of one write of 4 KiB and its fdatasync, in milliseconds: what this disk asks for each commit. */
export function fsyncMs(folder: string): number {
  const file = join(folder, 'fsync');
  const descriptor = openSync(file, 'w');
  const page = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: 200 }, (_, index) => {
    const startedAt = performance.now();
    writeSync(descriptor, page, 0, page.length, (index % 64) * page.length);
    fdatasyncSync(descriptor);
    return performance.now() - startedAt;
  });
  closeSync(descriptor);
  rmSync(file);
  return quantile(times, 0.5);
}

/** One line, and whether its bound holds. */
export class Sheet {
  broken = 0;

  say(what: string, figure: string, bound?: { holds: boolean; text: string }): void {
    const mark = bound === undefined ? '' : bound.holds ? ` (${bound.text}) ok` : ` (${bound.text}) MISSED`;
    if (bound?.holds === false) this.broken += 1;
    process.stdout.write(`${what.padEnd(34)} ${figure}${mark}\n`);
  }
}
