package turnwire

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"turnwire.dev/go/gen"
)

// RetryState is where a seat stands on its ladder.
type RetryState struct {
	// StartedAt is the time of its first attempt.
	StartedAt time.Time
	// Rung counts the rungs climbed since the start, or since the ladder was last reset.
	Rung int
}

// AttemptOutcome is what Decide looks at of one attempt.
type AttemptOutcome struct {
	Verdict Verdict
	// Status of an answer of ours; 0 when there was none, or it was somebody else's.
	Status int
	// AnswerLost: our 2xx came, and its body was lost or makes no sense.
	AnswerLost bool
	Aborted    bool
	// RetryAfter is how long the answer asks to wait.
	RetryAfter time.Duration
	// Took is how long the attempt took: what a parked poll waited already is not waited again.
	Took time.Duration
}

// Fences is what the request carries that makes a second copy harmless.
type Fences struct {
	SameKey bool
	// SameStore: the store that every copy in doubt was meant for is named in it, and the peer honours that.
	SameStore bool
	// Fenced: it carries a fence, and the peer honours it.
	Fenced bool
}

// Decision is what a seat does after one attempt.
type Decision struct {
	// Action is "resend", "resolve" (find out first, then perhaps send again; TW-RET-009) or "stop".
	Action string
	// Because says why it stops: "final", "permanent", "policy", "exhausted" or "aborted".
	Because string
	Delay   time.Duration
	State   RetryState
}

// Rung is the delay of a rung, counted from 0: equal jitter, half floor and half uniformly random (TW-RET-017).
func Rung(rung int, random func() float64) time.Duration {
	full := ms(gen.RungsMs[min(rung, len(gen.RungsMs)-1)])
	floor := time.Duration(float64(full) * gen.FloorShare)
	return floor + time.Duration(float64(full-floor)*random())
}

// RetryAfter is the header's value as a duration, from whole seconds or an HTTP date; ok is false when it is neither. date is the
// answer's own Date, which makes a date independent of how the two clocks differ; without one it is counted from now.
func RetryAfter(value, date string, now time.Time) (wait time.Duration, ok bool) {
	trimmed := strings.TrimSpace(value)
	if trimmed != "" && strings.Trim(trimmed, "0123456789") == "" {
		seconds, err := strconv.ParseFloat(trimmed, 64)
		return clampSeconds(seconds), err == nil
	}
	until, err := http.ParseTime(trimmed)
	if err != nil {
		return 0, false
	}
	if own, err := http.ParseTime(date); err == nil {
		now = own
	}
	return max(0, until.Sub(now)), true
}

// clampSeconds: a duration holds 292 years.
func clampSeconds(seconds float64) time.Duration {
	const longest = 1 << 32
	return time.Duration(min(seconds, longest)) * time.Second
}

// Decide is what a seat does after one attempt. Pure: the documents' own policies (TW-RET-001), with clock and random source given.
func Decide(policy gen.SeatPolicy, outcome AttemptOutcome, state RetryState, fences Fences, now time.Time, random func() float64) Decision {
	if outcome.Aborted {
		return Decision{Action: "stop", Because: "aborted"}
	}
	wanted := wantedAfter(policy, outcome, fences)
	if wanted != "resend" && wanted != "resolve" {
		return Decision{Action: "stop", Because: wanted}
	}
	left, bounded := WindowLeft(policy, state, now)
	if bounded && left <= 0 {
		return Decision{Action: "stop", Because: "exhausted"}
	}
	rung, longest := state.Rung, unboundedRetryAfter
	if resetsLadder(policy, outcome) {
		rung = 0
	}
	if bounded {
		longest = ms(policy.WindowMs)
	}
	delay := pauseBefore(outcome, Rung(rung, random), longest)
	if bounded {
		delay = min(delay, left)
	}
	return Decision{Action: wanted, Delay: delay, State: RetryState{state.StartedAt, rung + 1}}
}

// WindowLeft is what is left of the window; bounded is false without one. A seat of a single attempt has none left at once.
func WindowLeft(policy gen.SeatPolicy, state RetryState, now time.Time) (left time.Duration, bounded bool) {
	if policy.WindowMs == gen.NoWindow {
		return 0, false
	}
	return ms(policy.WindowMs) - now.Sub(state.StartedAt), true
}

func wantedAfter(policy gen.SeatPolicy, outcome AttemptOutcome, fences Fences) string {
	verdict := outcome.Verdict
	switch {
	// What a seat lists it asks again after, whatever the answer proves; every other answer is final (TW-RET-025).
	case outcome.Status != 0 && isListed(policy.Answers, said{outcome.Status, verdict.Code}):
		return "resend"
	case verdict.Permanent:
		return "permanent"
	case verdict.Certainty == gen.NeverDelivered:
		if policy.NeverDelivered == "resend" {
			return "resend"
		}
		return "policy"
	// Taken, and what it said is lost: asking for it again is a second copy.
	case verdict.Certainty == gen.Unknown, verdict.Certainty == gen.Delivered && outcome.AnswerLost:
		return afterUnknown(policy, fences)
	}
	return "final"
}

func afterUnknown(policy gen.SeatPolicy, fences Fences) string {
	allowed := false
	switch policy.Unknown {
	case "resolve":
		return "resolve"
	case "resend":
		allowed = true
	case "resend_same_key":
		allowed = fences.SameKey
	case "resend_same_store":
		allowed = fences.SameKey && fences.SameStore
	case "resend_if_fenced":
		allowed = fences.Fenced
	}
	if allowed {
		return "resend"
	}
	return "policy"
}

// resetsLadder: a peer that answers is up (TW-RET-019). One whose answers arrive broken is not helped by hurry.
func resetsLadder(policy gen.SeatPolicy, outcome AttemptOutcome) bool {
	answered := outcome.Verdict.Certainty == gen.Delivered || outcome.Verdict.Certainty == gen.Answered
	return policy.AnswerResets && answered && !outcome.AnswerLost
}

// pauseBefore: Retry-After raises a rung; a poll that was parked has waited its rung already (TW-RET-018).
func pauseBefore(outcome AttemptOutcome, rung, longest time.Duration) time.Duration {
	if outcome.Verdict.Certainty == gen.Delivered && !outcome.AnswerLost {
		rung -= outcome.Took
	}
	return max(rung, min(outcome.RetryAfter, longest), 0)
}
