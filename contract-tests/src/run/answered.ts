/** What a case says of an answer that is not as it expects it. */
import { difference } from '../harness/expect.ts';
import type { Answer } from '../harness/wire.ts';

/** Characters of a path that a sentence shows. */
const mostPath = 120;

export const nameOf = ({ method, path }: Pick<Answer, 'method' | 'path'>): string =>
  `${method} ${path.length > mostPath ? `${path.slice(0, mostPath)}…` : path}`;

/** Headers that say nothing of what a check is about. */
const dull = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'turnwire-version']);

/** Characters of a body that the transcript shows. */
const mostBody = 300;

/** An answer as a line of the transcript. */
export function answerLine(answer: Answer): string {
  const said = Object.entries(answer.headers).filter(([name]) => !dull.has(name));
  const headers = said.map(([name, value]) => `${name}: ${value}`).join(', ');
  return `${answer.method} ${answer.path} → ${answer.status} in ${answer.ms.toFixed(0)} ms {${headers}} ${answer.text.slice(0, mostBody)}`;
}

/** Names of what is seen of an answer, where they are no words of a sentence. */
const plain = (text: string): string =>
  text
    .replace(/^(json|body)\b/, 'the body')
    .replace(/^text\b/, 'the text')
    .replace(/^headers\./, 'the header ')
    .replace(/^ms is/, 'the time in ms is');

/** The two halves of a sentence; undefined when it is as it should be. */
export function unexpected(
  answer: Answer,
  wanted: Readonly<Record<string, unknown>>,
  seen: unknown = answer,
): { did: string; should: string } | undefined {
  const status = difference(wanted.status ?? { $any: true }, answer.status);
  if (status) {
    const code = answer.headers['turnwire-code'];
    const said = code === undefined ? answer.status : `${answer.status} ${code}`;
    return { did: `answered ${nameOf(answer)} ${said}`, should: `answer ${status.not}` };
  }
  const found = difference(wanted, seen);
  return (
    found && {
      did: `answered ${nameOf(answer)} so that ${plain(found.was)}`,
      should: `answer so that ${plain(found.should)}`,
    }
  );
}
