import type { Clock } from './clock.ts';
import { protocol } from './gen/protocol.ts';

/**
 * What a seat that needed more than one attempt says when it is over (TW-RET-022). `msg` is the whole line, literally
 * for the log record's `msg`; the other members are the same facts for a metric. Never a token, never a query.
 */
export interface RoutabilityLine {
  /** `turnwire.routability seat=admission attempts=3 ms=502 last=<errno> url=http://…` */
  readonly msg: string;
  readonly seat: string;
  /** The first attempt and every one that followed a failure; answers that were waited for are not counted. */
  readonly attempts: number;
  /** Milliseconds from the first failed attempt's start to the answer after it, all of them together. */
  readonly ms: number;
  /** The last failure: an errno, an evidence name, or the code or status of an answer. */
  readonly last: string;
  /** Origin and path of the last request. */
  readonly url: string;
  /** Whether the seat got its answer in the end. */
  readonly ok: boolean;
  /** Whether both meters of the budget were held: neither alone sees every kind of trouble (TW-RET-023). */
  readonly withinBudget: boolean;
}

/** Counts what re-sending cost one seat. */
export class Meter {
  readonly #clock: Clock;
  readonly #seat: string;
  #failures = 0;
  #lostMs = 0;
  #troubleSince: number | undefined;
  #last = '';

  constructor(seat: string, clock: Clock) {
    this.#seat = seat;
    this.#clock = clock;
  }

  /** An attempt that began at `startedAt` failed, and the seat goes on. */
  failed(startedAt: number, last: string): void {
    this.#failures++;
    this.#last = last;
    this.#troubleSince ??= startedAt;
  }

  /** The peer answered. */
  answered(): void {
    if (this.#troubleSince === undefined) return;
    this.#lostMs += this.#clock.now() - this.#troubleSince;
    this.#troubleSince = undefined;
  }

  /** The line of a seat that is over; `undefined` when one attempt was enough. */
  line(url: string, ok: boolean): RoutabilityLine | undefined {
    if (this.#failures === 0) return undefined;
    this.answered();
    const { budgetMs, budgetAttempts } = protocol.constants;
    const attempts = this.#failures + 1;
    const ms = Math.round(this.#lostMs);
    const msg = `turnwire.routability seat=${this.#seat} attempts=${attempts} ms=${ms} last=${this.#last} url=${url}`;
    const withinBudget = ms <= budgetMs && attempts <= budgetAttempts;
    return { msg, seat: this.#seat, attempts, ms, last: this.#last, url, ok, withinBudget };
  }
}
