/** What went wrong in an attempt, for people: one clause, with address and errno, never a bare "fetch failed" (TW-RET-021). */
import { type Answer, isOurs, type Verdict } from './certainty.ts';
import { protocol } from './gen/protocol.ts';
import { reasonLength } from './limits.ts';
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

/** The message of the error that says most: of a wrapper its cause, of an aggregate each member. */
export function errorReason(error: unknown): string {
  const levels = [...causes(error)];
  const coded = levels.find((level) => codeOf(level) !== undefined) ?? levels.at(-1);
  if (coded === undefined) return clip(String(error));
  const members = coded instanceof AggregateError ? coded.errors.map(errorReason).filter(Boolean) : [];
  const said = members.length > 0 ? [...new Set(members)].join(', ') : messageOf(coded);
  const code = codeOf(coded);
  return clip(code === undefined || said.includes(code) ? said : `${said} (${code})`);
}

function firstCode(error: unknown): string | undefined {
  for (const level of causes(error)) {
    const code = codeOf(level);
    if (code !== undefined) return code;
  }
  return undefined;
}

function* causes(error: unknown): Generator<object> {
  let current = error;
  for (let level = 1; level <= protocol.causeDepth; level++) {
    if (typeof current !== 'object' || current === null) return;
    yield current;
    current = read(current, 'cause');
  }
}

const codeOf = (error: object): string | undefined => {
  const code = read(error, 'code');
  return typeof code === 'string' && code !== '' ? code : undefined;
};

function messageOf(error: object): string {
  const message = read(error, 'message');
  if (typeof message === 'string' && message !== '') return message;
  const name = read(error, 'name');
  return typeof name === 'string' ? name : 'an error without a message';
}

function read(error: object, member: string): unknown {
  try {
    return (error as Record<string, unknown>)[member];
  } catch {
    return undefined;
  }
}

function clip(text: string): string {
  return text.length > reasonLength ? `${text.slice(0, reasonLength)}…` : text;
}
