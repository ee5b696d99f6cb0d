package turnwire

import (
	"turnwire.dev/go/gen"
)

// found is what a lookup found: a delivery, or one of the kinds body_lost, stays_unknown (both with a reason), not_taken_so_far,
// turn_over and aborted.
type found struct {
	receipt      *Receipt
	outstanding  *Outstanding
	kind, reason string
}

// lookUp looks a delivery up until there is a word of the Orchestrator or the pick's window ends (TW-RET-009, TW-RET-010).
func (s *seatCall) lookUp(request httpRequest) found {
	polling := gen.Operations["readDelivery"].Seats["delivery_poll"]
	// A lookup is a read: asked again like a poll, within what is left of the pick's own window.
	policy := polling
	policy.WindowMs, policy.AnswerResets = s.policy.WindowMs, false
	timeout := ms(polling.AttemptMs)
	if s.options.hasAttempt {
		timeout = s.options.attempt
	}
	for {
		made := s.attempt(request, how{uncounted: true, timeout: timeout})
		if word, settled := wordOf(made); settled {
			return word
		}
		if s.aborted() {
			return found{kind: "aborted"}
		}
		if decision := s.next(made, Fences{}, policy); decision.Action == "stop" {
			if decision.Because == "aborted" {
				return found{kind: "aborted"}
			}
			return found{kind: "stays_unknown", reason: made.reason}
		}
	}
}

// lookUpAfterAbort looks only, and for at most 2 s (TW-RET-011). taken is false when it stays unknown.
func (s *seatCall) lookUpAfterAbort(request httpRequest) (receipt *Receipt, taken bool) {
	clock, random := s.client.options.Clock, s.client.options.Random
	until := clock.Now().Add(ms(gen.AbortLookupMs))
	policy := gen.Operations["readDelivery"].Seats["delivery_poll"]
	// The call's own context is spent; what bounds this is its time, and the client's end.
	ctx := s.client.closing
	for rung := 0; ctx.Err() == nil; rung++ {
		left := until.Sub(clock.Now())
		if left <= 0 {
			return nil, false
		}
		made := s.attempt(request, how{uncounted: true, timeout: left, ctx: ctx})
		word, settled := wordOf(made)
		switch {
		case word.receipt != nil:
			return word.receipt, true
		case word.outstanding != nil, word.kind == "body_lost":
			return nil, true
		case settled && word.kind != "not_taken_so_far", !settled && !mayChange(made, policy):
			return nil, false
		}
		clock.Sleep(ctx, min(Rung(rung, random), max(0, until.Sub(clock.Now()))))
	}
	return nil, false
}

// wordOf is what an answer to a lookup settles; not settled: ask again, if that may be asked again.
func wordOf(made *attempt) (word found, settled bool) {
	if made.verdict.Certainty == gen.Delivered {
		receipt, outstanding := ReadDelivery(*made.answer)
		if receipt == nil && outstanding == nil {
			return found{kind: "body_lost", reason: made.reason}, true
		}
		return found{receipt: receipt, outstanding: outstanding}, true
	}
	if made.said.says("unknown_delivery") {
		return found{kind: "not_taken_so_far"}, true
	}
	return found{kind: "turn_over"}, made.said.says("turn_over")
}

func mayChange(made *attempt, policy gen.SeatPolicy) bool {
	if made.said != nil && isListed(policy.Answers, *made.said) {
		return true
	}
	return made.verdict.Certainty == gen.Unknown || made.verdict.Certainty == gen.NeverDelivered
}
