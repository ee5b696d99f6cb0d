/** What went wrong in an attempt, for people: one clause, with address and errno, never a bare "fetch failed" (TW-RET-021). */
import { type Answer, isOurs, type Verdict } from './certainty.ts';
import { isObject, membersOf, readMember, textMember } from './error-shape.ts';
import { protocol } from './gen/protocol.ts';
import { reasonLength, toldMembers } from './limits.ts';
import type { EvidenceRow } from './table.ts';
import type { Exchange } from './transport.ts';
import type { ProblemBody } from './wire.ts';

const evidenceRows: Readonly<Record<string, EvidenceRow>> = protocol.evidence;

/** The clause of a fault's message. */
export function reasonOf(exchange: Exchange, verdict: Verdict): string {
  const { response, error } = exchange;
  if (response !== undefined) return answerReason(response, verdict, error);
  if (exchange.aborted) return 'the call was aborted';
  const said = error === undefined ? undefined : errorReason(error);
  return clip(said ?? evidenceRows[verdict.evidence ?? protocol.unexplained]?.meaning ?? 'no answer');
}

/** One word for a log line: an errno, an evidence name, the code or the status of an answer. */
export function lastOf(exchange: Exchange, verdict: Verdict): string {
  const { response } = exchange;
  if (response !== undefined) return verdict.code ?? `http_${response.status}${response.bodyLost ? '_body_lost' : ''}`;
  const code = exchange.aborted ? undefined : firstCode(exchange.error);
  return code ?? verdict.evidence ?? protocol.unexplained;
}

/** The problem document of an answer of ours, if its body was read. */
export function problemOf(answer: Answer | undefined): ProblemBody | undefined {
  if (answer === undefined || answer.bodyLost || !isOurs(answer)) return undefined;
  const body = answer.body;
  if (typeof body !== 'object' || body === null || !('code' in body) || typeof body.code !== 'string') return undefined;
  return body as ProblemBody;
}

function answerReason(answer: Answer, verdict: Verdict, error: unknown): string {
  if (!isOurs(answer)) return `${answer.status} from something that is not Turnwire (no version, or no code of ours)`;
  const said = [`${answer.status}`, verdict.code].filter(Boolean).join(' ');
  if (answer.status < protocol.constants.errorFromStatus) {
    const why = error === undefined ? 'cut, too slow, or not what was asked for' : errorReason(error);
    return clip(`${said}, but its body was not usable: ${why}`);
  }
  const detail = problemOf(answer)?.detail;
  return clip(typeof detail === 'string' && detail !== '' ? `${said}: ${detail}` : said);
}

/** The message of the error that says most: of a wrapper its cause, of an aggregate each member. Never throws. */
export function errorReason(error: unknown): string {
  const telling = tellingLevel(error);
  if (telling === undefined) return clip(messageOf(error));
  const members = (membersOf(telling) ?? []).slice(0, toldMembers).map(memberReason);
  const said = members.length > 0 ? [...new Set(members)].join(', ') : messageOf(telling);
  const code = textMember(telling, 'code');
  return clip(code === undefined || said.includes(code) ? said : `${said} (${code})`);
}

/** Without the members of its own: an aggregate can hold itself. */
function memberReason(member: unknown): string {
  return messageOf(tellingLevel(member) ?? member);
}

/** The first level of an error that has a code, or the deepest one. */
function tellingLevel(error: unknown): object | undefined {
  const levels = [...causes(error)];
  return levels.find((level) => textMember(level, 'code') !== undefined) ?? levels.at(-1);
}

function firstCode(error: unknown): string | undefined {
  const telling = tellingLevel(error);
  return telling && textMember(telling, 'code');
}

function* causes(error: unknown): Generator<object> {
  let current = error;
  for (let level = 1; level <= protocol.causeDepth; level++) {
    if (!isObject(current)) return;
    yield current;
    current = readMember(current, 'cause');
  }
}

function messageOf(error: unknown): string {
  const said = isObject(error) ? (textMember(error, 'message') ?? textMember(error, 'name') ?? '') : String(error);
  // OpenSSL ends its messages in a line break, and a clause in the middle of a text has none.
  return said.replaceAll(/\s+/g, ' ').trim() || 'an error without a message';
}

function clip(text: string): string {
  return text.length > reasonLength ? `${text.slice(0, reasonLength)}…` : text;
}
