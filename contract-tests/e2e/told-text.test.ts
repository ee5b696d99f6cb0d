import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toldTexts, untold } from './told-text.ts';

const reached = 'The workflow took the pick `go`.\nAllowed picks now: go';
const lost =
  'The pick `go` did not reach the workflow (connect ECONNREFUSED 127.0.0.1:1). It changed nothing. You can call it again.';
const doubt =
  'It is not known whether the pick `go` arrived at the workflow (reset). If it did, a second call can run the pick twice.';

/** What a model of these texts was told, read from its record. */
function told(...texts: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'turnwire-told-'));
  const record = join(folder, 'model.jsonl');
  const messages = [
    { role: 'user', content: 'Review [change-1]' },
    ...texts.flatMap((text, index) => [
      { role: 'assistant', tool_calls: [{ id: `c${index}`, function: { name: 'go' } }] },
      { role: 'tool', tool_call_id: `c${index}`, content: text },
    ]),
  ];
  const lines = [{ body: { messages: messages.slice(0, 3) } }, { body: { messages } }, { body: { messages: [] } }];
  writeFileSync(record, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const found = toldTexts(record, '[change-1]');
  rmSync(folder, { recursive: true });
  return found;
}

it('reads each text once, with what it claims', () => {
  expect(told(reached, lost, doubt).map(({ event, outcome, claim }) => [event, outcome, claim])).toEqual([
    ['go', 'moved', 'taken'],
    ['go', 'never_reached', 'not taken'],
    ['go', 'unknown', 'unknown'],
  ]);
  expect(told('something else')).toMatchObject([{ outcome: 'no outcome of the spec' }]);
});

it.each([
  ['taken, and told so', [reached], 1, 0],
  ['not taken, and told that it was', [reached], 0, 1],
  ['taken, and told that it did not reach', [lost], 1, 1],
  ['not taken, and told so', [lost], 0, 0],
  ['lost, then taken', [lost, reached], 1, 0],
  ['taken twice, and told once that it was not', [lost, reached], 2, 1],
  ['in doubt, taken', [doubt], 1, 0],
  ['in doubt, not taken', [doubt], 0, 0],
  ['taken, and the turn over before anybody was told', [], 1, 0],
])('%s', (_, texts, taken, findings) => {
  expect(untold(told(...texts), new Map([['go', taken]]))).toHaveLength(findings);
});
