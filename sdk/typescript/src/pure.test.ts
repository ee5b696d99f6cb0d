import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { protocol } from './gen/protocol.ts';

const source = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

/** What a module imports at run time, and what that imports. */
function reached(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, from = ''] of source(file).matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)';$/gms)) {
    if (from.startsWith('.')) reached(new URL(from, new URL(file, 'file:///')).pathname.replace(/^\//, './'), seen);
    else seen.add(from);
  }
  return seen;
}

describe('the pure modules', () => {
  it.each(['./certainty.ts', './evidence.ts', './retry.ts', './meaning.ts', './outcomes.ts'])(
    '%s reaches nothing outside',
    (file) => {
      expect([...reached(file)].filter((each) => !each.startsWith('./'))).toEqual([]);
    },
  );

  it('TW-RET-001: no window, no attempt timer and no rung of the table stands in the sources', () => {
    // 1000 is how seconds become milliseconds, and what is below 600 can be a status.
    const numbers = new Set<number>(protocol.ladder.rungsMs.filter((rung) => rung !== 1000 && rung >= 600));
    for (const { seats } of Object.values(protocol.operations)) {
      for (const { windowMs } of Object.values(seats)) if (windowMs) numbers.add(windowMs);
    }
    const sources = readdirSync(new URL('.', import.meta.url)).filter((name) =>
      /^(?!limits|adapter|.*\.test).*\.ts$/.test(name),
    );
    expect(sources.length).toBeGreaterThan(30);
    for (const file of sources) {
      const written = source(file).match(/(?<![\w.])\d[\d_]*(?![\w.])/g) ?? [];
      expect(written.map((digits) => Number(digits.replaceAll('_', ''))).filter((each) => numbers.has(each))).toEqual(
        [],
      );
    }
  });
});
