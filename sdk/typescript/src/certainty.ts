/**
 * What is proved about a request (TW-CER-001 … TW-CER-017): evidence, the answer as far as it came, and whether the caller
 * aborted → certainty, by the generated tables. Pure and without a Node import.
 */
import { nodeEvidence } from './evidence.ts';
import { type EvidenceName, protocol } from './gen/protocol.ts';
import type { AnswerRule, Certainty, EvidenceRow } from './table.ts';

/** An answer as far as it came. */
export interface Answer {
  readonly status: number;
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body: a JSON value, or its text. Absent: it was not read, or was lost. */
  readonly body?: unknown;
  /** The status line came and the body did not, or not whole. */
  readonly bodyLost?: boolean;
}

/** What is known of one attempt. */
export interface Attempted {
  /** The evidence, where it is known by name already. */
  readonly kind?: string;
  /** The native error, where there was one. */
  readonly error?: unknown;
  /** The caller had aborted the call. */
  readonly aborted?: boolean;
  readonly response?: Answer;
}

/** The judgement of one attempt. */
export interface Verdict {
  readonly certainty: Certainty;
  /** Whether the request had its effect; absent: it is not known. */
  readonly taken?: boolean;
  /** A re-send cannot change it (TW-CER-006). */
  readonly permanent?: boolean;
  /** The problem code of an answer of ours. */
  readonly code?: string;
  /** The evidence that decided, where no answer did. */
  readonly evidence?: EvidenceName;
}

const evidenceRows: Readonly<Record<string, EvidenceRow>> = protocol.evidence;

/** Judges one attempt. Never throws; doubt is `unknown`. A member that is `null` is not there, as JSON has no other word. */
export function classify(attempted: Attempted): Verdict {
  if (attempted?.response) return ofAnswer(attempted.response);
  // TW-CER-012: nobody looked how far it had come.
  if (attempted?.aborted === true) return ofEvidence(protocol.afterAbort);
  return ofEvidence(attempted?.kind ?? nodeEvidence(attempted?.error));
}

function ofEvidence(name: string): Verdict {
  const row = Object.hasOwn(evidenceRows, name) ? evidenceRows[name] : undefined;
  if (row === undefined) return { certainty: 'unknown', evidence: protocol.unexplained };
  const evidence = name as EvidenceName;
  if (row.certainty === 'unknown') return { certainty: 'unknown', evidence };
  const proved = { certainty: row.certainty, taken: false, evidence };
  return row.permanent === true ? { ...proved, permanent: true } : proved;
}

function ofAnswer(answer: Answer): Verdict {
  const ours = isOurs(answer);
  const code = ours ? codeOf(answer) : undefined;
  const rule = protocol.answers.find((row) => answerMatches(row, answer, ours, code));
  const certainty = rule?.certainty ?? 'unknown';
  const taken = rule?.taken ?? (certainty === 'never_delivered' ? false : undefined);
  return { certainty, ...(taken === undefined ? {} : { taken }), ...(code === undefined ? {} : { code }) };
}

function answerMatches(rule: AnswerRule, answer: Answer, ours: boolean, code: string | undefined): boolean {
  if (rule.ours !== ours) return false;
  if (rule.status !== undefined && !inRange(answer.status, rule.status)) return false;
  if (rule.codes !== undefined && (code === undefined || !rule.codes.includes(code))) return false;
  if (rule.mark !== undefined && headerOf(answer, protocol.headers.custodian) !== rule.mark) return false;
  return rule.onlyFlags === undefined || flagsAreOnly(answer, rule.onlyFlags);
}

/** The custodian's flags, compared exactly; none, or unreadable ones, prove nothing (TW-CER-015). */
function flagsAreOnly(answer: Answer, proving: readonly string[]): boolean {
  const flags = member(bodyOf(answer), 'flags');
  return Array.isArray(flags) && flags.length > 0 && flags.every((flag) => proving.includes(flag));
}

/**
 * Whose answer it is (TW-CER-001): ours carries the version and, when it is an error, a code of the spec, in the header and
 * in the body where that can be read. Ingresses, meshes and proxies answer too, and theirs prove nothing (TW-CER-002).
 */
export function isOurs(answer: Answer): boolean {
  if (!headerOf(answer, protocol.headers.version)) return false;
  if (answer.status < protocol.constants.errorFromStatus) return true;
  if (!isCode(headerOf(answer, protocol.headers.code))) return false;
  return isCode(codeOf(answer));
}

/** What an error answer says: its body, or the header where that is lost or was cut so that it cannot be read (TW-CER-011). */
function codeOf(answer: Answer): string | undefined {
  const header = headerOf(answer, protocol.headers.code) || undefined;
  const body = answer.status < protocol.constants.errorFromStatus ? undefined : bodyOf(answer);
  if (body === undefined) return header;
  const code = member(body, 'code');
  return typeof code === 'string' ? code : undefined;
}

function isCode(code: string | undefined): boolean {
  return code !== undefined && Object.hasOwn(protocol.problemCodes, code);
}

/** A header by its lower-case name; a repeated one is joined, so that it equals no single value. */
export function headerOf({ headers = {} }: Partial<Answer>, name: string): string | undefined {
  const exact = headers[name];
  const value = exact ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : undefined;
}

/** The body as a JSON value; `undefined` when it is lost or not JSON. */
function bodyOf(answer: Answer): unknown {
  if (answer.bodyLost === true || typeof answer.body !== 'string') return answer.bodyLost ? undefined : answer.body;
  try {
    return JSON.parse(answer.body);
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function inRange(status: number, [from, to]: readonly [number, number]): boolean {
  return status >= from && status <= to;
}
