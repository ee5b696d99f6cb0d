package turnwire

import (
	"context"
	"time"

	"turnwire.dev/go/gen"
)

type onOutstanding func(ctx context.Context, deliveryID string) error

// followDelivery polls a pick that was taken until it is answered or the turn is over, without a window (seat delivery_poll,
// TW-RET-012, TW-RET-013).
func followDelivery(ctx context.Context, pick *seatCall, iid string, outcomes *outcomesOf, listener onOutstanding) (*Delivered, error) {
	// Without an id there is nothing to ask by: a base Orchestrator whose answer was lost.
	if outcomes.deliveryID == "" {
		if pick.aborted() {
			return outcomes.takenTurnEnded(nil), nil
		}
		return outcomes.takenAnswerLost(outcomes.lostReason), nil
	}
	options := pick.options
	options.hasWindow, options.hasAttempt = false, false
	polls := pick.client.call(ctx, "delivery_poll", gen.Operations["readDelivery"].Seats["delivery_poll"], options)
	delivered, err := pollUntilAnswered(polls, iid, outcomes, listener)
	polls.finish(delivered != nil && delivered.Receipt != nil)
	return delivered, err
}

func pollUntilAnswered(polls *seatCall, iid string, outcomes *outcomesOf, listener onOutstanding) (*Delivered, error) {
	const wait = gen.PollWaitSeconds * time.Second
	broken := 0
	for !polls.aborted() {
		request := polls.client.request(pollCall(iid, outcomes.deliveryID, wait), polls.options)
		made := polls.attempt(request, how{poll: wait})
		taken := made.verdict.Certainty == gen.Delivered
		var receipt *Receipt
		var outstanding *Outstanding
		if taken {
			receipt, outstanding = ReadDelivery(*made.answer)
		}
		if receipt != nil {
			return outcomes.receipt(receipt), nil
		}
		if outstanding != nil && listener != nil && !polls.aborted() {
			if err := listener(polls.ctx, outstanding.DeliveryID); err != nil {
				return nil, err
			}
			listener = nil
		}
		made.answerLost = taken && outstanding == nil
		if broken++; !made.answerLost {
			broken = 0
		}
		if broken >= brokenReceipts && !polls.aborted() {
			return outcomes.takenAnswerLost(made.reason), nil
		}
		decision := polls.next(made, Fences{}, polls.policy)
		if decision.Action == "stop" && decision.Because != "aborted" {
			return endedPoll(made, outcomes), nil
		}
	}
	return outcomes.takenTurnEnded(nil), nil
}

// endedPoll: a 404 to a taken pick says that its turn is over and its receipt gone; another refusal, that its answer cannot be had.
func endedPoll(made *attempt, outcomes *outcomesOf) *Delivered {
	if made.said.says("turn_over", "unknown_delivery") {
		return outcomes.takenTurnEnded(nil)
	}
	return outcomes.takenAnswerLost(made.reason)
}
