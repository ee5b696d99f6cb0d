import { checkHeaderText, checkIid, checkKey, checkSegment, checkText, jsonText, need } from './arguments.ts';
import { objectWith } from './ask.ts';
import { headerOf } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import type { TurnwireFault } from './fault.ts';
import { protocol } from './gen/protocol.ts';
import { internals } from './internals.ts';
import { policyOf, requestOf } from './request.ts';
import type { Fences } from './retry.ts';
import { type Attempt, SeatCall, type Stop } from './seat.ts';
import type { Admission, AdmitBody } from './wire.ts';

const { headers } = protocol;

/** What is admitted, and what is known of the Harness. */
export interface AdmitInput {
  /** The Agent's name. */
  name: string;
  iid: string;
  /** A value, or the exact JSON text that is to be sent byte for byte. */
  body: AdmitBody | string;
  /** `Idempotency-Key`: 1–128 visible ASCII characters. It is always sent (TW-ADM-003). */
  key: string;
  /** The store that the first copy was meant for, if one is known (TW-RET-005). */
  expectStore?: string;
  /** An earlier copy under this key may have arrived: before a restart, say (TW-DUR-014). */
  inDoubt?: boolean;
  /** The Harness's capability. False when it is not known: then doubt stays doubt. */
  idempotentAdmissions?: boolean;
  /**
   * What to do when the store is another one and no copy is in doubt (TW-RET-004): send again to the new store, or fault
   * `store_changed` because the next copy has to be another one. `resend` by default.
   */
  onStoreChanged?: 'resend' | 'fault';
  /**
   * Awaited for each copy when its connection is made, before its first byte is written: for who writes down first that a copy
   * may be on its way, and to which store. A dial that comes to nothing never calls it. When it rejects, that copy is not
   * sent, and `admit` throws what it rejected with.
   */
  beforeSend?: (copy: { attempt: number; expectStore: string | undefined }) => Promise<void>;
}

/** An Admission, and what it cost. */
export interface Admitted {
  admission: Admission;
  /** `Turnwire-Store` of the answer (TW-ADM-001); the next admission's `expectStore`. */
  store: string | undefined;
  /** The key was known: the Submission is an earlier copy's (TW-GEN-018). */
  replayed: boolean;
  attempts: number;
  elapsedMs: number;
}

/**
 * Admits a prompt (seat `admission`). Sent again after proof that no copy was taken, within 90 s; after doubt only under the
 * same key to the same store (TW-RET-002, TW-RET-006).
 *
 * @throws TurnwireFault `admission_unknown` when a copy may have been taken and a second one could run the turn twice
 *   (TW-RET-003); `unreachable`; the code of the answer that refused it (`invalid`, `unknown_agent`, `queue_full`,
 *   `draining`, `unauthorized`, …); `store_changed` if that was asked for; `aborted`.
 * @throws TypeError naming the argument that is wrong.
 */
export async function admit(connection: Connection, input: AdmitInput, options?: CallOptions): Promise<Admitted> {
  checkSegment(input.name, 'name');
  checkIid(input.iid);
  checkKey(input.key, 'key');
  if (input.expectStore !== undefined) checkStore(input.expectStore);
  const body = typeof input.body === 'string' ? exactText(input.body) : jsonText(input.body, 'body');
  const call = new SeatCall(connection, 'admission', policyOf('admit', 'admission'), options);
  let admitted: Admitted | undefined;
  try {
    admitted = await new AdmissionSeat(connection, call, input, body).run();
    return admitted;
  } finally {
    call.finish(admitted !== undefined);
  }
}

class AdmissionSeat {
  readonly #connection: Connection;
  readonly #call: SeatCall;
  readonly #input: AdmitInput;
  readonly #body: string;
  /** The store that every copy so far that is in doubt was meant for. */
  #store: string | undefined;

  constructor(connection: Connection, call: SeatCall, input: AdmitInput, body: string) {
    this.#connection = connection;
    this.#call = call;
    this.#input = input;
    this.#body = body;
    this.#store = input.expectStore;
    call.inDoubt = input.inDoubt === true;
  }

  async run(): Promise<Admitted> {
    const call = this.#call;
    const reason = 'an earlier copy may have been taken, and there is no store that a second one is safe with';
    if (call.inDoubt && !this.#fences().sameStore) throw this.#unknown(undefined, 'policy', reason);
    if (call.signal.aborted) throw call.fault(undefined, 'aborted');
    for (;;) {
      const attempt = await this.#send();
      const admission = attempt.answerLost ? undefined : admissionOf(attempt);
      if (admission !== undefined) return this.#admitted(attempt, admission);
      if (attempt.verdict.certainty === 'delivered') attempt.answerLost = true;
      // The copy that was just sent is safe with the store that it named, and with no other.
      const fences = this.#fences();
      if (await this.#followsStore(attempt)) continue;
      const decision = await call.next(attempt, fences);
      if (decision.action === 'stop') throw this.#stopped(attempt, decision.because);
      this.#learnStore(attempt);
    }
  }

  async #send(): Promise<Attempt> {
    const call = this.#call;
    const { beforeSend } = this.#input;
    if (beforeSend === undefined) return call.attempt(this.#request());
    let refused: { error: unknown } | undefined;
    const copy = { attempt: call.attempts + 1, expectStore: this.#store };
    const hold = () =>
      beforeSend(copy).catch((error: unknown) => {
        refused = { error };
        throw error;
      });
    const attempt = await call.attempt(this.#request(), { hold });
    if (refused !== undefined) throw (refused as { error: unknown }).error;
    return attempt;
  }

  /** 412: another store, and nothing queued. With no copy in doubt the new store is as good as the old one (TW-RET-004). */
  async #followsStore(attempt: Attempt): Promise<boolean> {
    const call = this.#call;
    const store = attempt.answer === undefined ? undefined : headerOf(attempt.answer, headers.store);
    if (attempt.verdict.code !== 'store_changed' || call.inDoubt || attempt.aborted) return false;
    if (this.#input.onStoreChanged === 'fault' || store === undefined || store === this.#store) return false;
    const again = { status: [attempt.answer?.status ?? 0, attempt.answer?.status ?? 0] as const };
    const decision = await call.next(attempt, {}, { ...call.policy, answers: [again] });
    if (decision.action === 'stop') throw call.fault(attempt, decision.because);
    this.#store = store;
    return true;
  }

  /** Any answer of a Harness names its store: what is sent next is meant for that one, unless a copy in doubt says another. */
  #learnStore(attempt: Attempt): void {
    if (this.#call.inDoubt || attempt.answer === undefined) return;
    this.#store ??= headerOf(attempt.answer, headers.store);
  }

  #request() {
    const call = {
      operation: 'admit',
      path: { name: this.#input.name, iid: this.#input.iid },
      headers: { [headers.idempotencyKey]: this.#input.key, [headers.expectStore]: this.#store },
      body: this.#body,
    };
    return requestOf(this.#connection[internals], call, this.#call.options);
  }

  #fences(): Fences {
    return { sameKey: true, sameStore: this.#store !== undefined && this.#input.idempotentAdmissions === true };
  }

  #admitted(attempt: Attempt, admission: Admission): Admitted {
    const answer = attempt.answer;
    return {
      admission,
      store: answer && headerOf(answer, headers.store),
      replayed: answer !== undefined && headerOf(answer, headers.replayed) === 'true',
      attempts: this.#call.attempts,
      elapsedMs: this.#call.elapsedMs,
    };
  }

  #stopped(attempt: Attempt, because: Stop['because']): TurnwireFault {
    const call = this.#call;
    // A copy that may have been taken outlives whatever the last one was told, an abort of the call included.
    if (call.inDoubt && because !== 'aborted') return this.#unknown(attempt, because, attempt.reason);
    if (call.inDoubt) return call.fault(attempt, because, { certainty: 'unknown' });
    return call.fault(attempt, because);
  }

  #unknown(attempt: Attempt | undefined, because: Stop['because'], reason: string): TurnwireFault {
    const certainty = attempt?.answerLost === true ? 'delivered' : 'unknown';
    return this.#call.fault(attempt, because, { code: 'admission_unknown', certainty, reason });
  }
}

const readAdmission = objectWith<Admission>('streamUrl', 'offset', 'submissionId');

function admissionOf(attempt: Attempt): Admission | undefined {
  if (attempt.verdict.certainty !== 'delivered' || attempt.answer === undefined) return undefined;
  return readAdmission(attempt.answer);
}

function checkStore(store: unknown): void {
  checkText(store, 'expectStore');
  checkHeaderText(store, 'expectStore');
}

function exactText(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    need(false, 'body', 'JSON, when it is a text');
  }
  return text;
}
