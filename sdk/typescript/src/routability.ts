import type { Clock } from './clock.ts';

/**
 * What a seat that needed more than one attempt says when it is over (TW-RET-022). `msg` is the whole line, literally
 * for the log record's `msg`; the other members are the same facts for a metric. Never a token, never a query.
 */
export interface RoutabilityLine {
  /** `turnwire.routability seat=admission attempts=3 ms=502 last=ECONNREFUSED url=http://…` */
  readonly msg: string;
  readonly seat: string;
  /** The first attempt and every one that followed a failure. */
  readonly attempts: number;
  /** Milliseconds that the re-sending took. */
  readonly ms: number;
  /** The last failure: an errno, an evidence name, or the code or status of an answer. */
  readonly last: string;
  /** Origin and path of the last request. */
  readonly url: string;
  /** Whether the seat got its answer in the end. */
  readonly ok: boolean;
  /** Whether both meters of the budget were held (TW-RET-023). */
  readonly withinBudget: boolean;
}

export type { Clock };
