package turnwire

import (
	"context"
	"strings"
	"time"

	"turnwire.dev/go/gen"
)

// attempt is one attempt, judged.
type attempt struct {
	verdict Verdict
	// answer of ours, as far as it came, and what it says; nil where there is none.
	answer *Answer
	said   *said
	// answerLost: our 2xx came, and its body is lost; a seat sets it too for one that makes no sense.
	answerLost bool
	aborted    bool
	startedAt  time.Time
	took       time.Duration
	last       string
	reason     string
	retryAfter time.Duration
	err        error
	// tooLong: the body was longer than we take; it will be the next time.
	tooLong bool
}

// seatCall is a call of one seat: it may need several attempts. It counts, judges, asks Decide, sleeps the ladder, and knows what is
// proved about all copies together. What an answer means to the caller is for the seat's own file.
type seatCall struct {
	client  *Client
	seat    string
	policy  gen.SeatPolicy
	options callOptions
	// ctx is done when the caller's is, or when the client is closed.
	ctx context.Context
	// inDoubt: a copy may have had its effect, and no answer told.
	inDoubt   bool
	attempts  int
	url       string
	startedAt time.Time
	state     RetryState
	meter     meter
	counted   bool
	stop      func()
}

func (c *Client) call(ctx context.Context, seat string, policy gen.SeatPolicy, options callOptions) *seatCall {
	if options.hasWindow {
		policy.WindowMs = int(options.window.Milliseconds())
	}
	call := &seatCall{client: c, seat: seat, policy: policy, options: options, url: c.origin + c.prefix}
	call.counted = c.begin()
	inner, cancel := context.WithCancel(ctx)
	unlisten := context.AfterFunc(c.closing, cancel)
	call.ctx, call.stop = inner, func() { unlisten(); cancel() }
	if !call.counted {
		cancel()
	}
	call.startedAt = c.options.Clock.Now()
	call.state = RetryState{StartedAt: call.startedAt}
	call.meter = meter{seat: seat, clock: c.options.Clock}
	return call
}

func (s *seatCall) aborted() bool { return s.ctx.Err() != nil }

func (s *seatCall) elapsed() time.Duration { return s.client.options.Clock.Now().Sub(s.startedAt) }

// how is how one attempt differs from the seat's usual one.
type how struct {
	// poll is what the peer may park it for.
	poll time.Duration
	// timeout replaces the seat's own.
	timeout time.Duration
	// uncounted: it is no copy of the seat's own request.
	uncounted bool
	hold      hold
	// ctx replaces the call's own.
	ctx context.Context
}

// attempt sends one copy.
func (s *seatCall) attempt(request httpRequest, how how) *attempt {
	pool, startedAt := s.client.pool, s.begin(request, how)
	transport := pool.borrow()
	result := exchange(s.contextOf(how), transport, request, s.timeoutOf(how), how.hold)
	made := s.judged(result, startedAt)
	pool.giveBack(transport, mustDialAnew(result, made.verdict))
	return made
}

func (s *seatCall) begin(request httpRequest, how how) time.Time {
	if !how.uncounted {
		s.attempts++
	}
	path, _, _ := strings.Cut(request.target, "?")
	s.url = request.origin + path
	return s.client.options.Clock.Now()
}

func (s *seatCall) contextOf(how how) context.Context {
	if how.ctx != nil {
		return how.ctx
	}
	return s.ctx
}

func (s *seatCall) timeoutOf(how how) time.Duration {
	if how.timeout != 0 {
		return how.timeout
	}
	own := ms(s.policy.AttemptMs)
	if s.options.hasAttempt {
		own = s.options.attempt
	}
	if s.policy.PlusPoll {
		own += how.poll
	}
	return own
}

func (s *seatCall) judged(result exchanged, startedAt time.Time) *attempt {
	verdict := Classify(Attempted{Kind: result.kind, Err: result.err, Aborted: result.aborted, Response: result.response})
	made := &attempt{
		verdict: verdict, aborted: s.aborted() || result.aborted,
		startedAt: startedAt, took: s.client.options.Clock.Now().Sub(startedAt),
		last: lastOf(result, verdict), reason: reasonOf(result, verdict), err: result.err, tooLong: result.kind == "body_truncated",
	}
	if result.response != nil {
		made.retryAfter, _ = RetryAfter(headerOf(*result.response, gen.HeaderRetryAfter), headerOf(*result.response, "date"), time.Now())
		if IsOurs(*result.response) {
			made.answer, made.said = result.response, &said{result.response.Status, verdict.Code}
			made.answerLost = verdict.Certainty == gen.Delivered && result.response.BodyLost
		}
	}
	return made
}

// next decides, and sleeps the ladder where it goes on. An abort during the sleep stops it.
func (s *seatCall) next(of *attempt, fences Fences, policy gen.SeatPolicy) Decision {
	decision := s.decide(of, fences, policy)
	if decision.Action == "stop" {
		return decision
	}
	if !of.good() {
		retry := Retry{s.seat, s.attempts, decision.Delay, of.verdict.Certainty, of.last}
		tell(s.client.options.OnRetry, retry)
		tell(s.options.onRetry, retry)
	}
	if decision.Delay > 0 {
		s.client.options.Clock.Sleep(s.ctx, decision.Delay)
	}
	if s.aborted() {
		return Decision{Action: "stop", Because: "aborted"}
	}
	return decision
}

// decide decides without sleeping, and remembers what the attempt proved.
func (s *seatCall) decide(of *attempt, fences Fences, policy gen.SeatPolicy) Decision {
	outcome := AttemptOutcome{
		Verdict: of.verdict, AnswerLost: of.answerLost, Aborted: of.aborted, RetryAfter: of.retryAfter, Took: of.took,
	}
	if of.answer != nil {
		outcome.Status = of.answer.Status
	}
	decision := Decide(policy, outcome, s.state, fences, s.client.options.Clock.Now(), s.client.options.Random)
	if of.verdict.Certainty == gen.Unknown || of.answerLost {
		s.inDoubt = true
	}
	if decision.Action == "stop" {
		return decision
	}
	s.state = decision.State
	// What was answered as it should be and is asked again (a parked poll) costs nobody anything.
	if of.good() {
		s.meter.answered()
	} else {
		s.meter.failed(of.startedAt, of.last)
	}
	return decision
}

// good: it was taken, and its answer came.
func (of *attempt) good() bool { return of.verdict.Certainty == gen.Delivered && !of.answerLost }

// answered: the ladder and the window begin anew; the peer answered, and the seat goes on.
func (s *seatCall) answered() {
	s.meter.answered()
	s.state = RetryState{StartedAt: s.client.options.Clock.Now()}
}

// finish: the seat is over; its line, and nothing left behind.
func (s *seatCall) finish(ok bool) {
	s.stop()
	if s.counted {
		s.client.calls.Done()
	}
	if line := s.meter.line(s.url, ok); line != nil {
		tell(s.client.options.Log, *line)
		tell(s.client.options.Metric, *line)
	}
}

// meaning is what a final answer means to a seat's caller, where its own code is not what the caller is told.
type meaning struct {
	code, reason string
	certainty    gen.Certainty
}

// fault is that of a seat that stopped at an attempt, or (nil) before its first one.
func (s *seatCall) fault(of *attempt, because string, told meaning) *Fault {
	fault := &Fault{
		Seat: s.seat, Certainty: s.certainty(of, because), Code: faultCode(of, because), Address: s.url,
		Attempts: s.attempts, Elapsed: s.elapsed(), reason: "nothing was sent",
	}
	if of != nil {
		fault.Permanent, fault.reason, fault.cause = of.verdict.Permanent, of.reason, of.err
		if of.answer != nil {
			fault.Status, fault.Problem, fault.Store = of.answer.Status, problemOf(of.answer), headerOf(*of.answer, gen.HeaderStore)
		}
	}
	if because == "aborted" {
		fault.Code, fault.cause = "aborted", context.Cause(s.ctx)
		if of == nil || of.answer == nil {
			fault.reason = s.abortReason()
		}
	}
	if told.code != "" {
		fault.Code = told.code
	}
	if told.reason != "" {
		fault.reason = told.reason
	}
	if told.certainty != "" {
		fault.Certainty = told.certainty
	}
	return fault
}

// certainty is what is proved about all copies together: a final answer decides, else one copy in doubt is doubt.
func (s *seatCall) certainty(of *attempt, because string) gen.Certainty {
	switch {
	case of == nil:
		return gen.Unknown
	case because == "final" || of.answerLost:
		return of.verdict.Certainty
	case s.inDoubt:
		return gen.Unknown
	}
	return of.verdict.Certainty
}

func (s *seatCall) abortReason() string {
	if s.client.closing.Err() != nil {
		return "the client was closed"
	}
	return "the call was aborted"
}

// tell: who listens decides nothing; a logger that panics must not lose an Admission that is already made.
func tell[Value any](listener func(Value), value Value) {
	if listener == nil {
		return
	}
	defer func() { _ = recover() }()
	listener(value)
}

func faultCode(of *attempt, because string) string {
	switch {
	case of == nil:
		return "unknown"
	case of.verdict.Code != "":
		return of.verdict.Code
	case of.answerLost:
		return "answer_lost"
	case because == "final":
		return "bad_response"
	case of.verdict.Certainty == gen.Unknown && because == "policy":
		return "unknown"
	}
	return "unreachable"
}

// mustDialAnew: neither what failed nor the socket of a peer that says it is going is used again (TW-RET-020). An abort is no
// failure of the socket.
func mustDialAnew(result exchanged, verdict Verdict) bool {
	if result.aborted {
		return false
	}
	if verdict.Certainty == gen.Unknown || verdict.Certainty == gen.NeverDelivered {
		return true
	}
	return result.response != nil && result.response.Status >= gen.ServerErrorFromStatus
}
