/** The subject's lines, one for each decision. */
import { difference } from '../harness/expect.ts';
import { until } from '../run/until.ts';
import { isRecord } from '../shape.ts';
import type { Scene } from './scene.ts';

/** Milliseconds until a line that is owed must be there. */
const flushedMs = 5_000;

const decisions = ['forward', 'refuse', 'unreachable'];

function lines(written: string): Record<string, unknown>[] {
  return written.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isRecord(value) && decisions.includes(String(value.msg)) ? [value] : [];
    } catch {
      return [];
    }
  });
}

/** What is expected of all of them, in their order. */
export async function logged(in_: Scene, expected: unknown): Promise<void> {
  const odd = () => difference(expected, lines(in_.host.written));
  await until(() => odd() === undefined, flushedMs);
  const found = odd();
  if (found)
    in_.wrong(`logged its decisions so that ${found.was}`, `write one line for each: ${found.should}`, 'TW-CUS-022');
}
