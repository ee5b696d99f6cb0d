/** An answer against what a case expects of it, and against the document. */
import { protocol } from '../client/spec.ts';
import type { Answer } from '../harness/wire.ts';
import { nameOf, unexpected } from '../run/answered.ts';
import type { AnswerExpected } from './case.ts';
import { document, type Scene } from './scene.ts';
import type { Exchange, Got } from './wire.ts';

/** With the copies that arrived of it. */
export interface Judged extends Exchange {
  readonly arrived: number;
}

export function judge(in_: Scene, { answers, closed, ms, arrived, request }: Judged, expect: AnswerExpected): void {
  const [answer] = answers;
  if (expect.none) return;
  if (!answer) {
    const did = closed
      ? `ended the connection without an answer to ${request}`
      : `gave no answer to ${request} in ${ms.toFixed(0)} ms`;
    in_.wrong(did, 'answer each request');
  } else judgeAnswer(in_, answer, arrived, expect);
}

function judgeAnswer(in_: Scene, answer: Got, arrived: number, expect: AnswerExpected): void {
  const { withinMs, afterMs, status, headers, body, text, bytes, whole = true, flags, detail, code } = expect;
  const problem = (answer.json ?? {}) as { flags?: unknown; detail?: unknown };
  const wanted = Object.fromEntries(
    Object.entries({ status, headers, body, text, bytes, whole, flags, detail, code }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const seen = {
    ...{ status: answer.status, headers: answer.headers, body: answer.json, text: answer.text, whole: answer.whole },
    ...{
      bytes: answer.body.length,
      flags: problem.flags,
      detail: problem.detail,
      code: answer.headers['turnwire-code'],
    },
  };
  if (!expect.foreign && whole) in_.mismatches.push(...document.violations(answer));
  const odd = unexpected(answer, wanted, seen);
  if (odd) in_.wrong(odd.did, odd.should);
  const took = `answered ${nameOf(answer)} after ${answer.ms.toFixed(0)} ms`;
  if (withinMs !== undefined && answer.ms > withinMs) in_.wrong(took, `within ${withinMs} ms`);
  if (afterMs !== undefined && answer.ms < afterMs) in_.wrong(took, `not before ${afterMs} ms`);
  if (answer.headers[protocol.headers.custodian ?? ''] !== undefined) honest(in_, answer, arrived, problem.flags);
}

/** Its mark and its flags prove that nothing of the request was sent. */
export function proves({ headers, json }: Answer): boolean {
  const flags = (json as { flags?: unknown } | undefined)?.flags;
  if (headers[protocol.headers.custodian ?? ''] !== protocol.custodian.mark || !Array.isArray(flags)) return false;
  return flags.length > 0 && flags.every((flag) => protocol.custodian.provingFlags.includes(String(flag)));
}

/** The mark's flags are words of the list, and prove nothing that is not so: what came whole was sent. */
function honest(in_: Scene, answer: Got, arrived: number, flags: unknown): void {
  const words = ['UF', 'UH', 'DF', 'URX', 'UC', 'UR', 'LR', 'UPE', 'UMSDR', 'DPE'];
  const list = Array.isArray(flags) ? (flags as unknown[]) : [];
  if (!Array.isArray(flags)) in_.wrong(`marked ${nameOf(answer)} without a list of flags`, 'give one', 'TW-CUS-012');
  const strange = list.filter((flag) => !words.includes(String(flag)));
  if (strange.length > 0)
    in_.wrong(`gave the flags ${JSON.stringify(strange)}`, 'use the words of the list', 'TW-CUS-013');
  if (proves(answer) && arrived > 0)
    in_.wrong(
      `answered ${nameOf(answer)} with ${JSON.stringify(list)}, which says that nothing was sent, when ${arrived} copies had arrived`,
      'give flags of proof only for what was not sent',
      'TW-CUS-014',
    );
}
