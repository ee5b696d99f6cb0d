import type { Connection } from './client.ts';
import { protocol } from './gen/protocol.ts';
import { brokenReceipts } from './limits.ts';
import { says } from './meaning.ts';
import type { Delivered, Outcomes } from './outcome.ts';
import { pollCall } from './poll.ts';
import { readDelivery } from './receipt.ts';
import { policyOf, requestOf } from './request.ts';
import { type Attempt, SeatCall } from './seat.ts';

/**
 * Polls a pick that was taken until it is answered or the turn is over, without a window (seat `delivery_poll`, TW-RET-012,
 * TW-RET-013).
 */
export async function followDelivery(
  connection: Connection,
  pick: SeatCall,
  iid: string,
  outcomes: Outcomes,
  onOutstanding: ((deliveryId: string) => void | Promise<void>) | undefined,
): Promise<Delivered> {
  // Without an id there is nothing to ask by: a base Orchestrator whose answer was lost.
  if (outcomes.deliveryId === undefined)
    return pick.signal.aborted ? outcomes.takenTurnEnded() : outcomes.takenAnswerLost();
  const { signal, onRetry, headers } = pick.options ?? {};
  const options = { ...(signal && { signal }), ...(onRetry && { onRetry }), ...(headers && { headers }) };
  const polls = new SeatCall(connection, 'delivery_poll', policyOf('readDelivery', 'delivery_poll'), options);
  let delivered: Delivered | undefined;
  try {
    delivered = await pollUntilAnswered(polls, iid, outcomes, onOutstanding);
    return delivered;
  } finally {
    polls.finish(delivered?.receipt !== undefined);
  }
}

async function pollUntilAnswered(
  polls: SeatCall,
  iid: string,
  outcomes: Outcomes,
  onOutstanding: ((deliveryId: string) => void | Promise<void>) | undefined,
): Promise<Delivered> {
  const { pollWaitSeconds } = protocol.constants;
  let announce = onOutstanding;
  let broken = 0;
  while (!polls.signal.aborted) {
    const call = pollCall(iid, outcomes.deliveryId ?? '', pollWaitSeconds);
    const attempt = await polls.attempt(requestOf(polls.internals, call, polls.options), {
      pollMs: pollWaitSeconds * 1000,
    });
    const read = attempt.answer && attempt.verdict.certainty === 'delivered' ? readDelivery(attempt.answer) : undefined;
    if (read?.status === 'delivered') return outcomes.receipt(read);
    if (read?.status === 'outstanding' && !polls.signal.aborted) {
      await announce?.(read.deliveryId);
      announce = undefined;
    }
    attempt.answerLost = attempt.verdict.certainty === 'delivered' && read === undefined;
    broken = attempt.answerLost ? broken + 1 : 0;
    if (broken >= brokenReceipts && !polls.signal.aborted) return outcomes.takenAnswerLost(attempt.reason);
    const decision = await polls.next(attempt);
    if (decision.action === 'stop' && decision.because !== 'aborted') return ended(attempt, outcomes);
  }
  return outcomes.takenTurnEnded();
}

/** A 404 to a taken pick says that its turn is over and its receipt gone; another refusal, that its answer cannot be had. */
function ended(attempt: Attempt, outcomes: Outcomes): Delivered {
  const gone = says(attempt.said, 'turn_over', 'unknown_delivery');
  return gone ? outcomes.takenTurnEnded() : outcomes.takenAnswerLost(attempt.reason);
}
