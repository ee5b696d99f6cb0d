import { checkIid, checkKey, checkSegment, checkText, given, jsonText, need } from './arguments.ts';
import type { CallOptions, Connection } from './client.ts';
import { followDelivery } from './follow.ts';
import { internals } from './internals.ts';
import { type Delivered, Outcomes } from './outcome.ts';
import { pollCall } from './poll.ts';
import { readDelivery } from './receipt.ts';
import { type OperationCall, policyOf, requestOf } from './request.ts';
import { lookUp, lookUpAfterAbort } from './resolve.ts';
import { rungMs } from './retry.ts';
import { type Attempt, SeatCall, type Stop } from './seat.ts';
import type { HttpRequest } from './transport.ts';
import type { JsonValue, Outstanding, Receipt } from './wire.ts';

/** A pick, and what is known of the Orchestrator. */
export interface DeliverInput {
  iid: string;
  turnId: string;
  /** The name of the pick. */
  event: string;
  input: JsonValue;
  /** 1–128 characters that can stand in a path (TW-DLV-013); minted when absent and the Orchestrator honours it. */
  deliveryId?: string;
  /** The capability that the surface told. Without it nothing is sent twice (TW-RET-008). */
  clientDeliveryIds?: boolean;
  /** Called once when the pick is known to be outstanding, and awaited before the next poll. What it throws is thrown. */
  onOutstanding?: (deliveryId: string) => void | Promise<void>;
  /** `poll`: it is known taken, and is never sent again; `lookup`: a copy may have arrived, so it is looked up first. */
  resume?: 'poll' | 'lookup';
}

/**
 * Delivers a pick and stays with it until it is answered (seats `pick` or `pick_base`, then `delivery_poll`): re-sent on
 * proof, looked up and re-sent under its own id after doubt (TW-RET-009), polled while it is outstanding (TW-RET-013).
 *
 * @returns One of the outcomes of the spec, with the text that the model reads. Failures on the wire are outcomes too, and
 *   are never thrown.
 * @throws TypeError naming the argument that is wrong; what `onOutstanding` throws.
 */
export async function deliver(connection: Connection, input: DeliverInput, options?: CallOptions): Promise<Delivered> {
  check(input);
  const seat = input.clientDeliveryIds === true ? 'pick' : 'pick_base';
  // Where ids are not honoured a pick carries none.
  const deliveryId = seat === 'pick' ? (input.deliveryId ?? crypto.randomUUID()) : undefined;
  const request = requestOf(connection[internals], pickCall(input, deliveryId), options);
  const call = new SeatCall(connection, seat, policyOf('pick', seat), options);
  const delivery = new Delivery(connection, call, input, deliveryId, request);
  let delivered: Delivered | undefined;
  try {
    delivered = await delivery.run();
  } finally {
    call.finish(delivered?.taken === true || delivered?.certainty === 'answered');
  }
  await delivery.holdOff(delivered);
  return delivered;
}

class Delivery {
  readonly #call: SeatCall;
  readonly #connection: Connection;
  readonly #input: DeliverInput;
  readonly #request: HttpRequest;
  readonly #outcomes: Outcomes;
  readonly #capable: boolean;

  constructor(
    connection: Connection,
    call: SeatCall,
    input: DeliverInput,
    deliveryId: string | undefined,
    request: HttpRequest,
  ) {
    this.#connection = connection;
    this.#call = call;
    this.#input = input;
    this.#capable = input.clientDeliveryIds === true;
    // Where ids are not honoured there is none until the Orchestrator names it, as it did for one that is resumed.
    this.#outcomes = new Outcomes(call, input.event, input.resume === 'poll' ? input.deliveryId : deliveryId);
    this.#request = request;
  }

  async run(): Promise<Delivered> {
    const { resume } = this.#input;
    if (resume === 'poll') return this.#follow();
    if (this.#call.signal.aborted) return this.#outcomes.of('unknown_turn_ended', 'unknown');
    if (resume === 'lookup') {
      this.#call.inDoubt = true;
      const found = await this.#resolve();
      if (found !== undefined) return found;
    }
    for (;;) {
      const outcome = await this.#sendOnce();
      if (outcome !== undefined) return outcome;
    }
  }

  /** A model that is told to call again at once would spin against a restart (TW-OUT-017). */
  async holdOff(delivered: Delivered): Promise<void> {
    const { clock, random } = this.#call.internals;
    if (this.#capable || !Outcomes.invites(delivered.code)) return;
    await clock.sleep(rungMs(0, random), this.#call.signal);
  }

  /** One copy of the pick, and what follows from it; `undefined`: another copy. */
  async #sendOnce(): Promise<Delivered | undefined> {
    const call = this.#call;
    const attempt = await call.attempt(this.#request);
    if (attempt.verdict.certainty === 'delivered') return this.#taken(attempt);
    // Final answers count even when the call was aborted while they came.
    const answered = this.#outcomes.finallyAnswered(attempt, call.policy);
    if (answered === 'own') return this.#follow();
    if (answered !== undefined) return answered;
    const decision = await call.next(attempt);
    if (decision.action === 'stop') return this.#stopped(attempt, decision.because);
    return decision.action === 'resolve' ? this.#resolve() : undefined;
  }

  async #taken(attempt: Attempt): Promise<Delivered> {
    const read = attempt.answer === undefined ? undefined : readDelivery(attempt.answer);
    if (read !== undefined) return this.#found(read);
    // TW-RET-012: delivered, body lost.
    this.#outcomes.lost(attempt.reason);
    return this.#follow();
  }

  async #found(read: Receipt | Outstanding): Promise<Delivered> {
    if (read.status === 'delivered') return this.#outcomes.receipt(read);
    this.#outcomes.deliveryId = read.deliveryId;
    if (!this.#call.signal.aborted) await this.#input.onOutstanding?.(read.deliveryId);
    return this.#follow(true);
  }

  /** Taken: polled until the turn is over (TW-RET-013). */
  #follow(announced = this.#input.resume === 'poll'): Promise<Delivered> {
    const onOutstanding = announced ? undefined : this.#input.onOutstanding;
    return followDelivery(this.#connection, this.#call, this.#input.iid, this.#outcomes, onOutstanding);
  }

  /** Looks the delivery up; `undefined`: it is to be delivered again under the same id (TW-RET-010). */
  async #resolve(): Promise<Delivered | undefined> {
    const found = await lookUp(this.#call, this.#lookUpRequest());
    switch (found.kind) {
      case 'found':
        return this.#found(found.delivery);
      case 'body_lost':
        this.#outcomes.lost(found.reason);
        return this.#follow();
      case 'not_taken_so_far':
        return undefined;
      case 'turn_over':
        return this.#outcomes.of('unknown_turn_ended', 'unknown');
      case 'aborted':
        return this.#afterAbort();
      default:
        return this.#outcomes.unknown(found.reason);
    }
  }

  #stopped(attempt: Attempt, because: Stop['because']): Delivered | Promise<Delivered> {
    return because === 'aborted' ? this.#afterAbort() : this.#outcomes.exhausted(attempt);
  }

  /** TW-RET-011: looked up only, and never delivered again. */
  async #afterAbort(): Promise<Delivered> {
    const look = this.#capable && this.#call.inDoubt;
    const found = look ? await lookUpAfterAbort(this.#call, this.#lookUpRequest()) : undefined;
    if (found === undefined) return this.#outcomes.of('unknown_turn_ended', 'unknown');
    return this.#outcomes.takenTurnEnded(found === 'taken' ? undefined : found);
  }

  #lookUpRequest(): HttpRequest {
    const call = pollCall(this.#input.iid, this.#outcomes.deliveryId ?? '', 0);
    return requestOf(this.#connection[internals], call, this.#call.options);
  }
}

function pickCall({ iid, turnId, event, input }: DeliverInput, deliveryId: string | undefined): OperationCall {
  const body = jsonText({ turnId, deliveryId, event, input: given(input, 'input') }, 'input');
  return { operation: 'pick', path: { iid }, body };
}

function check(input: DeliverInput): void {
  checkIid(input.iid);
  checkText(input.turnId, 'turnId');
  checkText(input.event, 'event');
  if (input.deliveryId !== undefined) {
    checkKey(input.deliveryId, 'deliveryId');
    checkSegment(input.deliveryId, 'deliveryId');
  }
  if (input.resume === undefined) return;
  need(input.deliveryId !== undefined, 'deliveryId', 'given to resume a delivery');
  need(input.resume === 'poll' || input.clientDeliveryIds === true, 'resume', '`poll` where ids are not honoured');
}
