package turnwire

import (
	"context"
	"encoding/json"
	"time"

	"turnwire.dev/go/gen"
)

// Copy is a copy of an admission that is about to be sent.
type Copy struct {
	Attempt     int
	ExpectStore string
}

// AdmitInput is what is admitted, and what is known of the Harness.
type AdmitInput struct {
	// Name of the Agent, and IID of the conversation.
	Name, IID string
	// Key is the Idempotency-Key: 1–128 visible ASCII characters. It is always sent (TW-ADM-003).
	Key string
	// Body is what is asked. RawBody is sent byte for byte in its place.
	Body    AdmitBody
	RawBody json.RawMessage
	// ExpectStore is the store that the first copy was meant for, if one is known (TW-RET-005).
	ExpectStore string
	// InDoubt: an earlier copy under this key may have arrived, before a restart, say (TW-DUR-014).
	InDoubt bool
	// IdempotentAdmissions is the Harness's capability. False when it is not known: then doubt stays doubt.
	IdempotentAdmissions bool
	// FaultOnStoreChanged: when the store is another one and no copy is in doubt (TW-RET-004), fault store_changed because the next
	// copy has to be another one. Otherwise it is sent again, to the new store.
	FaultOnStoreChanged bool
	// BeforeSend is called for each copy when its connection is made, before its first byte is written: for who writes down first
	// that a copy may be on its way. A dial that comes to nothing never calls it. When it fails, that copy is not sent, and Admit
	// returns its error.
	BeforeSend func(ctx context.Context, copy Copy) error
}

// Admitted is an Admission, and what it cost.
type Admitted struct {
	Admission Admission
	// Store is the Turnwire-Store of the answer (TW-ADM-001); the next admission's ExpectStore.
	Store string
	// Replayed: the key was known, and the Submission is an earlier copy's (TW-GEN-018).
	Replayed bool
	Attempts int
	Elapsed  time.Duration
}

// Admit admits a prompt (seat admission). It is sent again after proof that no copy was taken, within 90 s; after doubt only under
// the same key to the same store (TW-RET-002, TW-RET-006).
//
// Faults: admission_unknown when a copy may have been taken and a second one could run the turn twice (TW-RET-003); unreachable; the
// code of the answer that refused it (invalid, unknown_agent, queue_full, draining, unauthorized, …); store_changed if that was asked
// for; aborted.
func (c *Client) Admit(ctx context.Context, input AdmitInput, given ...CallOption) (*Admitted, error) {
	var check checks
	check.segment(input.Name, "Name").iid(input.IID).key(input.Key, "Key").headerText(input.ExpectStore, "ExpectStore")
	check.need(input.RawBody == nil || json.Valid(input.RawBody), "RawBody", "JSON")
	body := []byte(input.RawBody)
	if body == nil {
		body = check.json(input.Body, "Body")
	}
	options := optionsOf(given)
	if err := check.options(options).err; err != nil {
		return nil, err
	}
	call := c.call(ctx, "admission", gen.Operations["admit"].Seats["admission"], options)
	call.inDoubt = input.InDoubt
	seat := admissionSeat{call: call, input: input, body: body, store: input.ExpectStore}
	admitted, err := seat.run()
	call.finish(err == nil)
	return admitted, err
}

type admissionSeat struct {
	call  *seatCall
	input AdmitInput
	body  []byte
	// store that every copy so far that is in doubt was meant for.
	store string
}

func (s *admissionSeat) run() (*Admitted, error) {
	call := s.call
	if call.inDoubt && !s.fences().SameStore {
		const reason = "an earlier copy may have been taken, and there is no store that a second one is safe with"
		return nil, s.unknown(nil, "policy", reason)
	}
	if call.aborted() {
		return nil, call.fault(nil, "aborted", meaning{})
	}
	for {
		made, err := s.send()
		if err != nil {
			return nil, err
		}
		if admission, ok := admissionOf(made); ok {
			return s.admitted(made, *admission), nil
		}
		if made.verdict.Certainty == gen.Delivered {
			made.answerLost = true
		}
		// The copy that was just sent is safe with the store that it named, and with no other.
		fences := s.fences()
		again, err := s.followsStore(made)
		if err != nil {
			return nil, err
		}
		if again {
			continue
		}
		if decision := call.next(made, fences, call.policy); decision.Action == "stop" {
			return nil, s.stopped(made, decision.Because)
		}
		s.learnStore(made)
	}
}

func (s *admissionSeat) send() (*attempt, error) {
	if s.input.BeforeSend == nil {
		return s.call.attempt(s.request(), how{}), nil
	}
	var refused error
	copy := Copy{s.call.attempts + 1, s.store}
	made := s.call.attempt(s.request(), how{hold: func(ctx context.Context) error {
		refused = s.input.BeforeSend(ctx, copy)
		return refused
	}})
	return made, refused
}

// followsStore: 412 is another store, and nothing queued. With no copy in doubt the new store is as good as the old one (TW-RET-004).
func (s *admissionSeat) followsStore(made *attempt) (bool, error) {
	call := s.call
	if made.answer == nil || made.verdict.Code != "store_changed" || call.inDoubt || made.aborted {
		return false, nil
	}
	store := headerOf(*made.answer, gen.HeaderStore)
	if s.input.FaultOnStoreChanged || store == "" || store == s.store {
		return false, nil
	}
	policy := call.policy
	policy.Answers = []gen.AnswerMatch{{Status: [2]int{made.answer.Status, made.answer.Status}}}
	if decision := call.next(made, Fences{}, policy); decision.Action == "stop" {
		return false, call.fault(made, decision.Because, meaning{})
	}
	s.store = store
	return true, nil
}

// learnStore: any answer of a Harness names its store; what is sent next is meant for it, unless a copy in doubt says another.
func (s *admissionSeat) learnStore(made *attempt) {
	if !s.call.inDoubt && made.answer != nil && s.store == "" {
		s.store = headerOf(*made.answer, gen.HeaderStore)
	}
}

func (s *admissionSeat) request() httpRequest {
	return s.call.client.request(operationCall{
		operation: "admit",
		path:      map[string]string{"name": s.input.Name, "iid": s.input.IID},
		header:    map[string]string{gen.HeaderIdempotencyKey: s.input.Key, gen.HeaderExpectStore: s.store},
		body:      s.body,
	}, s.call.options)
}

func (s *admissionSeat) fences() Fences {
	return Fences{SameKey: true, SameStore: s.store != "" && s.input.IdempotentAdmissions}
}

func (s *admissionSeat) admitted(made *attempt, admission Admission) *Admitted {
	return &Admitted{
		Admission: admission,
		Store:     headerOf(*made.answer, gen.HeaderStore),
		Replayed:  isReplayed(*made.answer),
		Attempts:  s.call.attempts,
		Elapsed:   s.call.elapsed(),
	}
}

// stopped: a copy that may have been taken outlives whatever the last one was told, an abort of the call included.
func (s *admissionSeat) stopped(made *attempt, because string) *Fault {
	switch {
	case !s.call.inDoubt:
		return s.call.fault(made, because, meaning{})
	case because == "aborted":
		return s.call.fault(made, because, meaning{certainty: gen.Unknown})
	}
	return s.unknown(made, because, made.reason)
}

func (s *admissionSeat) unknown(made *attempt, because, reason string) *Fault {
	certainty := gen.Unknown
	if made != nil && made.answerLost {
		certainty = gen.Delivered
	}
	return s.call.fault(made, because, meaning{"admission_unknown", reason, certainty})
}

var readAdmission = decodeWith[Admission]("streamUrl", "offset", "submissionId")

func admissionOf(made *attempt) (*Admission, bool) {
	if made.answerLost || made.verdict.Certainty != gen.Delivered || made.answer == nil {
		return nil, false
	}
	return readAdmission(*made.answer)
}
