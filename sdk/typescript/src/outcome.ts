import { type OutcomeCode, outcomes } from './gen/protocol.ts';
import { isOfEveryCopy, refusalOutcome } from './meaning.ts';
import { outcomeText, type TemplateValues } from './outcomes.ts';
import { problemOf } from './reason.ts';
import { isNames, receiptOutcome } from './receipt.ts';
import { isReasked } from './retry.ts';
import type { Attempt, SeatCall } from './seat.ts';
import type { Certainty, SeatPolicy } from './table.ts';
import type { ProblemBody, Receipt } from './wire.ts';

/** What became of a pick, and what the model is told about it (TW-TRN-010). */
export interface Delivered {
  code: OutcomeCode;
  /** An `error` is given to the model as a failed tool call, an `answer` as its result. */
  kind: 'answer' | 'error';
  text: string;
  /** What is proved about the pick, every copy of it counted. */
  certainty: Certainty;
  taken: boolean | 'unknown';
  /** The id that it was delivered under, as far as it is known. */
  deliveryId?: string;
  receipt?: Receipt;
  /** What may be picked now; absent when the peer did not say. */
  allowed?: string[];
  /** The receipt says that the turn is over. */
  turnComplete: boolean;
  /** Copies of the pick that were sent. */
  attempts: number;
  /** Milliseconds. */
  elapsedMs: number;
}

/** Makes the outcome of one delivery. It knows when doubt forbids to say that the pick was not taken (TW-OUT-018). */
export class Outcomes {
  readonly #call: SeatCall;
  readonly #event: string;
  /** Ours where it is honoured, else what the Orchestrator named. */
  deliveryId: string | undefined;
  #lostReason: string | undefined;

  constructor(call: SeatCall, event: string, deliveryId: string | undefined) {
    this.#call = call;
    this.#event = event;
    this.deliveryId = deliveryId;
  }

  /** Whether a text invites a call. */
  static invites(code: OutcomeCode): boolean {
    return outcomes[code].invites;
  }

  of(code: OutcomeCode, certainty: Certainty, values: TemplateValues = {}, more: Partial<Delivered> = {}): Delivered {
    return {
      code,
      kind: outcomes[code].kind,
      text: outcomeText(code, { event: this.#event, ...values }),
      certainty,
      taken: certainty === 'unknown' ? 'unknown' : certainty === 'delivered',
      ...(this.deliveryId === undefined ? {} : { deliveryId: this.deliveryId }),
      turnComplete: false,
      attempts: this.#call.attempts,
      elapsedMs: this.#call.elapsedMs,
      ...more,
    };
  }

  receipt(receipt: Receipt): Delivered {
    const { allowed, answer, answerError, endedBy, turnComplete } = receipt;
    if (receipt.deliveryId !== undefined) this.deliveryId = receipt.deliveryId;
    const more = { receipt, turnComplete: turnComplete === true, ...(allowed === undefined ? {} : { allowed }) };
    return this.of(receiptOutcome(receipt), 'delivered', { allowed, answer, answerError, endedBy }, more);
  }

  unknown(reason: string): Delivered {
    return this.of('unknown', 'unknown', { detail: phrase(reason) });
  }

  /** The pick was taken, and this is why its answer is not here yet. */
  lost(reason: string): void {
    this.#lostReason = reason;
  }

  takenAnswerLost(reason = this.#lostReason ?? 'it was never sent'): Delivered {
    return this.of('taken_answer_lost', 'delivered', { detail: phrase(reason) });
  }

  takenTurnEnded(receipt?: Receipt): Delivered {
    return this.of('taken_turn_ended', 'delivered', {}, receipt === undefined ? {} : { receipt });
  }

  /**
   * An answer after which nothing is sent again, whatever became of the call. `own`: it names this very delivery as the one
   * that is worked on. `undefined`: it is no such answer, or one that proves nothing about a copy in doubt.
   */
  finallyAnswered(attempt: Attempt, policy: SeatPolicy): Delivered | 'own' | undefined {
    const { certainty, code } = attempt.verdict;
    if (certainty !== 'answered' || attempt.answer === undefined) return undefined;
    if (isReasked(policy, attempt.answer.status, code)) return undefined;
    const problem = problemOf(attempt.answer);
    if (code === 'pick_outstanding' && problem?.deliveryId !== undefined && problem.deliveryId === this.deliveryId)
      return 'own';
    return this.#answered(attempt, problem);
  }

  /** A seat that stopped without a final answer: base mode, or the window has ended. */
  exhausted(attempt: Attempt): Delivered {
    const { certainty } = attempt.verdict;
    if (this.#call.inDoubt) return this.unknown(attempt.reason);
    if (certainty === 'never_delivered') return this.of('never_reached', certainty, { detail: phrase(attempt.reason) });
    return certainty === 'answered' ? this.#answered(attempt, problemOf(attempt.answer)) : this.unknown(attempt.reason);
  }

  #answered(attempt: Attempt, problem: ProblemBody | undefined): Delivered {
    if (attempt.said === undefined) return this.unknown(attempt.reason);
    const code = refusalOutcome(attempt.said);
    if (this.#call.inDoubt && !isOfEveryCopy(code)) return this.unknown(attempt.reason);
    const allowed = isNames(problem?.allowed) ? problem.allowed : undefined;
    return this.of(
      code,
      'answered',
      problemValues(attempt, problem, allowed),
      allowed === undefined ? {} : { allowed },
    );
  }
}

function problemValues(
  attempt: Attempt,
  problem: ProblemBody | undefined,
  allowed: string[] | undefined,
): TemplateValues {
  const detail = typeof problem?.detail === 'string' ? phrase(problem.detail) : undefined;
  return {
    allowed,
    problems: Array.isArray(problem?.problems) && problem.problems.length > 0 ? problem.problems : undefined,
    otherEvent: problem?.event,
    otherDeliveryId: problem?.deliveryId,
    problemCode: attempt.verdict.code,
    problemDetail: detail,
    detail: `HTTP ${attempt.answer?.status}`,
  };
}

/** Without a final stop: it stands in the middle of a sentence. */
function phrase(text: string): string {
  return text.trim().replace(/\.$/, '');
}
