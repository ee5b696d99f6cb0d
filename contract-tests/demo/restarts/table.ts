/** What a person reads at the end. */
import type { Books } from './books.ts';
import type { Findings } from './sequence.ts';

export interface Row {
  readonly name: string;
  readonly must: string;
  readonly was: Findings;
}

const WIDTH = 110;

export function table(rows: readonly Row[], towns: readonly Books[]): { text: string; ok: boolean } {
  const missed = rows.filter(({ was }) => was.missed.length > 0);
  const wrong = towns.flatMap(({ was }) => was.missed);
  const lines = [
    ...rows.flatMap(({ name, must, was }) => [
      `${was.missed.length === 0 ? 'held  ' : 'MISSED'}  ${name}`,
      ...wrap(`must be: ${must}`),
      ...wrap(`was:     ${was.said.join('; ')}`),
      '',
    ]),
    ...towns.flatMap(({ books, was }, nth) => [
      `executions of ${nth === 0 ? 'the Orchestrator' : 'the one that was killed'}`,
      '              started  succeeded  failed  cancelled  timed out',
      ...books.map(
        ({ from, started, ended: [succeeded, failed, cancelled, timedOut] }) =>
          `  ${from.padEnd(10)} ${pad(started, 8)} ${pad(succeeded, 10)} ${pad(failed, 7)} ${pad(cancelled, 10)} ${pad(timedOut, 10)}`,
      ),
      ...wrap(was.said.join('; ')),
      '',
    ]),
    `${rows.length - missed.length} of ${rows.length} sequences held`,
    ...missed.map(({ name, was }) => `NOT HELD: ${name}: ${was.missed.join('; ')}`),
    ...wrong.map((what) => `NOT HELD: ${what}`),
  ];
  return { text: lines.join('\n'), ok: missed.length + wrong.length === 0 };
}

const pad = (value: number | undefined, width: number): string => String(value ?? 0).padStart(width);

/** Lines of a readable length, set in under their row. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.length + word.length >= WIDTH) {
      lines.push(line);
      line = `       ${word}`;
    } else line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line].map((each) => `        ${each}`);
}
