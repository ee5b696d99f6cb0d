import { checkIid, checkSegment, checkWait } from './arguments.ts';
import { ask } from './ask.ts';
import type { CallOptions, Connection } from './client.ts';
import type { FaultContext } from './fault.ts';
import { protocol } from './gen/protocol.ts';
import { says } from './meaning.ts';
import { readDelivery } from './receipt.ts';
import type { Attempt } from './seat.ts';
import type { Outstanding, Receipt } from './wire.ts';

/** What a delivery came to so far. */
export type Polled = { status: 'delivered'; receipt: Receipt } | Outstanding;

/**
 * Asks once what became of a delivery, parked for at most `waitSeconds` (0–25, 25 by default). Failures are asked again for as
 * long as it takes (seat `delivery_poll`, TW-RET-013); give a `signal` or a `windowMs` to bound it.
 *
 * @throws TurnwireFault `unknown_delivery`, `turn_over`, `bad_response` (another 404), the code of another final answer, `aborted`.
 * @throws TypeError naming the argument that is wrong.
 */
export async function poll(
  connection: Connection,
  of: { iid: string; deliveryId: string; waitSeconds?: number },
  options?: CallOptions,
): Promise<Polled> {
  const { pollWaitSeconds } = protocol.constants;
  const seconds = of.waitSeconds ?? pollWaitSeconds;
  checkIid(of.iid);
  checkSegment(of.deliveryId, 'deliveryId');
  checkWait(seconds, pollWaitSeconds, 'waitSeconds');
  const question = {
    seat: 'delivery_poll',
    call: pollCall(of.iid, of.deliveryId, seconds),
    pollMs: seconds * 1000,
    decode: readDelivery,
    means,
  };
  const { value } = await ask(connection, question, options);
  return value.status === 'delivered' ? { status: 'delivered', receipt: value } : value;
}

/** The request of a poll; a lookup is one that is not parked. */
export function pollCall(iid: string, deliveryId: string, waitSeconds: number) {
  return { operation: 'readDelivery', path: { iid, deliveryId }, query: { wait: waitSeconds } };
}

/** What is not there is a delivery or a turn, or nothing that a poll asked for. */
function means({ said }: Attempt, because: string): Partial<FaultContext> | undefined {
  const isGone = said?.status === protocol.problemCodes.turn_over.status;
  if (because !== 'final' || !isGone) return undefined;
  return says(said, 'unknown_delivery', 'turn_over') ? undefined : { code: 'bad_response' };
}
