import type { Answer } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import type { FaultContext } from './fault.ts';
import { internals } from './internals.ts';
import { documented } from './meaning.ts';
import { type OperationCall, policyOf, requestOf } from './request.ts';
import type { Fences } from './retry.ts';
import { type Attempt, SeatCall } from './seat.ts';
import type { SeatPolicy } from './table.ts';

/** A question with one answer: what most seats are. */
export interface Question<Value> {
  readonly seat: string;
  readonly call: OperationCall;
  readonly fences?: Fences;
  /** Milliseconds that the peer may park it. */
  readonly pollMs?: number;
  /** Reads an answer of ours below 400; `undefined`: its body makes no sense, which is as good as lost. */
  readonly decode: (answer: Answer) => Value | undefined;
  /** What a final answer means here, where its own code is not what the caller is told. */
  readonly means?: (attempt: Attempt, because: string) => Partial<FaultContext> | undefined;
}

/** An answer, and what it cost. */
export interface Answered<Value> {
  readonly value: Value;
  readonly answer: Answer;
  readonly attempts: number;
  readonly elapsedMs: number;
}

/** Asks until there is an answer or the seat's policy ends it with a fault. */
export async function ask<Value>(
  connection: Connection,
  question: Question<Value>,
  options: CallOptions | undefined,
): Promise<Answered<Value>> {
  const policy: SeatPolicy = policyOf(question.call.operation, question.seat);
  const request = requestOf(connection[internals], question.call, options);
  const call = new SeatCall(connection, question.seat, policy, options);
  let ok = false;
  try {
    if (call.signal.aborted) throw call.fault(undefined, 'aborted');
    for (;;) {
      const attempt = await call.attempt(request, { pollMs: question.pollMs ?? 0 });
      const value = decoded(attempt, question);
      if (value !== undefined && attempt.answer !== undefined) {
        ok = true;
        return { value, answer: attempt.answer, attempts: call.attempts, elapsedMs: call.elapsedMs };
      }
      const decision = await call.next(attempt, question.fences);
      if (decision.action !== 'stop') continue;
      const because = decision.because;
      throw call.fault(attempt, because, because === 'aborted' ? {} : question.means?.(attempt, because));
    }
  } finally {
    call.finish(ok);
  }
}

function decoded<Value>(attempt: Attempt, question: Question<Value>): Value | undefined {
  if (attempt.answer === undefined || attempt.answerLost || !isGood(attempt, question)) return undefined;
  const value = question.decode(attempt.answer);
  if (value === undefined && attempt.verdict.certainty === 'delivered') attempt.answerLost = true;
  return value;
}

/** A 2xx, or another answer that the documents call taken: that nothing has changed, say. */
function isGood<Value>({ answer, verdict }: Attempt, { call }: Question<Value>): boolean {
  if (verdict.certainty === 'delivered') return true;
  return answer !== undefined && documented(call.operation, answer.status)?.taken === true;
}

/** A body that is a JSON object. */
export function objectOf(answer: Answer): Record<string, unknown> | undefined {
  const body = answer.body;
  return typeof body === 'object' && body !== null && !Array.isArray(body)
    ? (body as Record<string, unknown>)
    : undefined;
}

/** A body that is a JSON object with these members, each a string. */
export function objectWith<Value>(...members: string[]): (answer: Answer) => Value | undefined {
  return (answer) => {
    const body = objectOf(answer);
    return body !== undefined && members.every((name) => typeof body[name] === 'string') ? (body as Value) : undefined;
  };
}
