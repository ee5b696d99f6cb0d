import type { Certainty } from './table.ts';
import type { ProblemBody } from './wire.ts';

/** What a fault is about; also what the converter needs to know. */
export interface FaultContext {
  readonly seat: string;
  readonly certainty: Certainty;
  /** A problem code of the spec, or one of the SDK's own (see {@link TurnwireFault.code}). */
  readonly code: string;
  readonly status?: number;
  readonly problem?: ProblemBody;
  readonly address: string;
  readonly attempts: number;
  /** Milliseconds. */
  readonly elapsedMs: number;
  readonly permanent?: boolean;
  readonly cause?: unknown;
  /** What went wrong last, in one clause: `connect ECONNREFUSED 127.0.0.1:8080`. */
  readonly reason: string;
}

/** The one error of this SDK. A programmer's error is a `TypeError` instead, thrown before anything is sent (TW-CER-018). */
export class TurnwireFault extends Error {
  override readonly name = 'TurnwireFault';
  readonly seat: string;
  readonly certainty: Certainty;
  /**
   * A problem code (`unknown_agent`, `turn_over`, …) or: `unreachable`, `surface_unreachable`, `surface_refused`,
   * `admission_unknown`, `answer_lost`, `conversation_lost`, `stream_gone`, `bad_response`, `aborted`.
   */
  readonly code: string;
  /** The HTTP status of the answer that decided, if there was one. */
  readonly status: number | undefined;
  readonly problem: ProblemBody | undefined;
  /** Origin and path; never a query or a credential. */
  readonly address: string;
  readonly attempts: number;
  readonly elapsedMs: number;
  /** A re-send cannot change it: a certificate that is not trusted (TW-RET-029). */
  readonly permanent: boolean;

  constructor(context: FaultContext) {
    super(context.reason, context.cause === undefined ? {} : { cause: context.cause });
    this.seat = context.seat;
    this.certainty = context.certainty;
    this.code = context.code;
    this.status = context.status;
    this.problem = context.problem;
    this.address = context.address;
    this.attempts = context.attempts;
    this.elapsedMs = context.elapsedMs;
    this.permanent = context.permanent ?? false;
  }
}
