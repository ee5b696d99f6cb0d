/** What the model was really told about its picks, text by text, beside what the Orchestrator really took. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { parse } from 'yaml';

interface OutcomeText {
  readonly kind: 'answer' | 'error';
  readonly text: string;
}

const file = fileURLToPath(new URL('../../spec/outcomes.yaml', import.meta.url));
const { outcomes } = parse(readFileSync(file, 'utf8')) as { outcomes: Record<string, OutcomeText> };

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Each outcome by how its text begins, up to its first section; what says more is tried first. */
const beginnings = Object.entries(outcomes)
  .map(([outcome, { kind, text }]) => ({ outcome, kind, begins: text.split(/\{[?!#]/, 1)[0] ?? '' }))
  .sort((a, b) => b.begins.length - a.begins.length)
  .map(({ begins, ...rest }) => ({
    ...rest,
    pattern: new RegExp(
      `^${begins
        .split(/\{\w+,?\}/)
        .map(escaped)
        .join('(.*)')}`,
      's',
    ),
  }));

export interface Told {
  /** Of the pick: `run_checks`. */
  readonly event: string;
  readonly outcome: string;
  readonly claim: 'taken' | 'not taken' | 'unknown';
  readonly text: string;
}

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
}

/** Every result of a tool call that the scripted model was given in the conversations whose prompt holds this word. */
export function toldTexts(record: string, word: string): Told[] {
  const requests = readFileSync(record, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const texts = new Map<string, Told>();
  for (const { body } of requests as { body: { messages: readonly Message[] } }[]) {
    if (!JSON.stringify(body.messages).includes(word)) continue;
    const names = new Map(
      body.messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call.function.name])),
    );
    for (const { role, content, tool_call_id: id = '' } of body.messages)
      if (role === 'tool') texts.set(id, told(names.get(id) ?? '', String(content)));
  }
  return [...texts.values()];
}

function told(event: string, text: string): Told {
  const found = beginnings.find(({ pattern }) => pattern.test(text));
  const outcome = found?.outcome ?? 'no outcome of the spec';
  const claim = found?.kind === 'error' ? 'not taken' : outcome.startsWith('unknown') ? 'unknown' : 'taken';
  return { event, outcome, claim, text };
}

/** How often each pick of a run was taken. */
export function takenOf(database: string, runId: string): ReadonlyMap<string, number> {
  const db = new Database(database, { readonly: true });
  const rows = db.prepare('SELECT event, count(*) AS times FROM deliveries WHERE run_id = ? GROUP BY event').all(runId);
  db.close();
  return new Map((rows as { event: string; times: number }[]).map(({ event, times }) => [event, times]));
}

/** Each way in which a run's texts say something that is not so. */
export function untold(texts: readonly Told[], taken: ReadonlyMap<string, number>): string[] {
  const events = new Set([...texts.map(({ event }) => event), ...taken.keys()]);
  return [...events].flatMap((event) => {
    const mine = texts.filter((one) => one.event === event);
    const count = (claim: Told['claim']) => mine.filter((one) => one.claim === claim).length;
    const really = taken.get(event) ?? 0;
    const said = mine.map(({ text }) => text).join(' | ');
    return [
      ...(count('taken') > really ? [`${event} was taken ${really} times, and the model was told: ${said}`] : []),
      // A pick that ends its turn may have no reader any more: one text may be missing, a wrong one may not be there.
      ...(really > count('taken') + count('unknown') && count('not taken') > 0
        ? [`${event} was taken ${really} times, and the model was told: ${said}`]
        : []),
    ];
  });
}
