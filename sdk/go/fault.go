package turnwire

import (
	"errors"
	"fmt"
	"time"

	"turnwire.dev/go/gen"
)

// Fault is the one error of this SDK (TW-RET-021): a call gave up. Its text is
// "admission: dial tcp 127.0.0.1:8080: connect: connection refused (ECONNREFUSED) after 20 attempts in 90012 ms"; it unwraps to the
// native error, and for an aborted call to the context's cause.
type Fault struct {
	Seat string
	// Certainty is what is proved about the request as a whole, every copy of it counted.
	Certainty gen.Certainty
	// Code is a problem code of an answer (unknown_agent, turn_over, queue_full, …), or one of the SDK's own: unreachable (no answer
	// within the window, or none that a re-send can change), unknown (no answer, and a second copy is not allowed),
	// admission_unknown, answer_lost (taken, and what it said is lost), surface_unreachable, surface_refused, conversation_lost,
	// stream_gone, bad_response, aborted.
	Code string
	// Status of the answer that decided; 0 if there was none.
	Status int
	// Problem is its problem document, Store its Turnwire-Store.
	Problem Problem
	Store   string
	// Address is origin and path; never a query or a credential.
	Address  string
	Attempts int
	Elapsed  time.Duration
	// Permanent: a re-send cannot change it, a certificate that is not trusted (TW-RET-029).
	Permanent bool

	reason string
	cause  error
}

func (f *Fault) Error() string {
	tries := "1 attempt"
	if f.Attempts != 1 {
		tries = fmt.Sprintf("%d attempts", f.Attempts)
	}
	return fmt.Sprintf("%s: %s after %s in %d ms", f.Seat, f.reason, tries, f.Elapsed.Round(time.Millisecond).Milliseconds())
}

// Unwrap is the native error, or the cause of an aborted call's context.
func (f *Fault) Unwrap() error { return f.cause }

// FaultFrom is the one converter: a fault as it is, anything else judged by the evidence table.
func FaultFrom(err error, seat, address string) *Fault {
	if fault := faultIn(err); fault != nil {
		return fault
	}
	row := gen.Evidence[GoEvidence(err)]
	code := "unreachable"
	if row.Certainty == gen.Unknown {
		code = "unknown"
	}
	return &Fault{
		Seat: seat, Address: address, Certainty: row.Certainty, Code: code, Permanent: row.Permanent, Attempts: 1,
		reason: errorReason(err), cause: err,
	}
}

// faultIn is the fault that an error is or wraps. An error's own methods may do anything.
func faultIn(err error) (fault *Fault) {
	defer func() { _ = recover() }()
	errors.As(err, &fault)
	return fault
}
