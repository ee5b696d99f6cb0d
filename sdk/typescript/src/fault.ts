import { nodeEvidence } from './evidence.ts';
import { protocol } from './gen/protocol.ts';
import { errorReason } from './reason.ts';
import type { Certainty, EvidenceRow } from './table.ts';
import type { ProblemBody } from './wire.ts';

/** What a fault is about. */
export interface FaultContext {
  /** The seat that gave up: `admission`, `surface`, `stream`, … */
  readonly seat: string;
  readonly certainty: Certainty;
  /** A problem code of the spec, or one of the SDK's own (see {@link TurnwireFault.code}). */
  readonly code: string;
  readonly status?: number | undefined;
  readonly problem?: ProblemBody | undefined;
  /** `Turnwire-Store` of the answer that decided. */
  readonly store?: string | undefined;
  readonly address: string;
  readonly attempts: number;
  /** Milliseconds. */
  readonly elapsedMs: number;
  readonly permanent?: boolean | undefined;
  readonly cause?: unknown;
  /** What went wrong last, in one clause: the call, the errno and the address. */
  readonly reason: string;
}

/**
 * The one error of this SDK (TW-RET-021). A programmer's error is a `TypeError` instead, thrown before anything is sent
 * (TW-CER-018).
 */
export class TurnwireFault extends Error {
  override readonly name = 'TurnwireFault';
  readonly seat: string;
  /** What is proved about the request as a whole, every copy of it counted. */
  readonly certainty: Certainty;
  /**
   * A problem code of an answer (`unknown_agent`, `turn_over`, `queue_full`, …), or one of the SDK's own:
   * `unreachable` (no answer within the window, or none that a re-send can change), `unknown` (no answer, and a second copy
   * is not allowed), `admission_unknown`, `answer_lost` (taken, and what it said is lost), `surface_unreachable`,
   * `surface_refused`, `conversation_lost`, `stream_gone`, `bad_response`, `aborted`.
   */
  readonly code: string;
  /** The HTTP status of the answer that decided, if there was one. */
  readonly status: number | undefined;
  readonly problem: ProblemBody | undefined;
  /** `Turnwire-Store` of the answer that decided, if it had one. */
  readonly store: string | undefined;
  /** Origin and path; never a query or a credential. */
  readonly address: string;
  readonly attempts: number;
  /** Milliseconds. */
  readonly elapsedMs: number;
  /** A re-send cannot change it: a certificate that is not trusted (TW-RET-029). */
  readonly permanent: boolean;

  constructor(context: FaultContext) {
    const tries = context.attempts === 1 ? '1 attempt' : `${context.attempts} attempts`;
    const cost = `after ${tries} in ${Math.round(context.elapsedMs)} ms`;
    super(`${context.seat}: ${context.reason} ${cost}`, context.cause === undefined ? {} : { cause: context.cause });
    this.seat = context.seat;
    this.certainty = context.certainty;
    this.code = context.code;
    this.status = context.status;
    this.problem = context.problem;
    this.store = context.store;
    this.address = context.address;
    this.attempts = context.attempts;
    this.elapsedMs = context.elapsedMs;
    this.permanent = context.permanent ?? false;
  }

  /** The one converter: a fault as it is, anything else judged by the evidence table. */
  static from(thrown: unknown, about: Pick<FaultContext, 'seat' | 'address'> & Partial<FaultContext>): TurnwireFault {
    if (isFault(thrown)) return thrown;
    const evidence: EvidenceRow = protocol.evidence[nodeEvidence(thrown)];
    return new TurnwireFault({
      certainty: evidence.certainty,
      code: evidence.certainty === 'unknown' ? 'unknown' : 'unreachable',
      permanent: evidence.permanent ?? false,
      attempts: 1,
      elapsedMs: 0,
      reason: errorReason(thrown),
      cause: thrown,
      ...about,
    });
  }
}

/** A proxy may throw when it is asked what it is. */
function isFault(thrown: unknown): thrown is TurnwireFault {
  try {
    return thrown instanceof TurnwireFault;
  } catch {
    return false;
  }
}
