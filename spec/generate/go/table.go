// Package gen holds the tables and types that are made of Turnwire's OpenAPI documents. What is in the tables is described
// in spec/retry.schema.json; no SDK writes a status, a code, a window or a text by hand.
package gen

// Certainty is what is proved about a request without an answer. Answered: a status of ours says that it was not taken.
type Certainty string

// What can be proved.
const (
	NeverDelivered Certainty = "never_delivered"
	Unknown        Certainty = "unknown"
	Delivered      Certainty = "delivered"
	Answered       Certainty = "answered"
)

// NoWindow as a WindowMs: the seat goes on for as long as it takes.
const NoWindow = -1

// EvidenceRow is one name of the evidence table: what a language's own error is mapped onto before it is judged.
type EvidenceRow struct {
	Certainty Certainty
	// Permanent: a refusal that a re-send cannot change (a certificate that is not trusted); it fails at once.
	Permanent bool
	// Meaning is one sentence for a person.
	Meaning string
}

// NativeRule is one row of a language's native-error table; rows are tried in order, the first that matches decides.
type NativeRule struct {
	Evidence string
	// Code: error codes, "*" standing for any run of characters; the whole code is matched. Nil: any, or no code.
	Code []string
	// Syscall: system calls. Nil: any; empty and not nil: the error names none.
	Syscall []string
	// Name: names of the error. Nil: any.
	Name []string
	// Within: names of an error further out, of which this one is the cause. Nil: any, or no such error.
	Within []string
}

// AnswerMatch is answers of ours by status (an inclusive range) and code; nil: any code.
type AnswerMatch struct {
	Status [2]int
	Codes  []string
}

// AnswerRule is one row of the answer table; rows are tried in order, the first that matches decides.
type AnswerRule struct {
	Ours bool
	// Status is an inclusive range; zero: any.
	Status [2]int
	Codes  []string
	// Mark is the value of the custodian's header; empty: any or none.
	Mark string
	// OnlyFlags: the body's "flags" is readable, a list, not empty, and every item is exactly one of these.
	OnlyFlags []string
	Certainty Certainty
	// Taken says whether it was, where TakenKnown.
	Taken, TakenKnown bool
}

// SeatPolicy is what one seat may do; one row of the policy table.
type SeatPolicy struct {
	// Capability of the peer that this row needs; without it the operation's base row applies.
	Capability string
	// NeverDelivered: "resend", "tell" (render an outcome) or "keep" (go on with what is known).
	NeverDelivered string
	// Unknown: "resend", "resend_same_key", "resend_same_store", "resend_if_fenced", "resolve", "tell", "keep" or "fault".
	Unknown string
	// Answers that the seat asks again after.
	Answers []AnswerMatch
	// WindowMs: 0 is a single attempt, NoWindow none.
	WindowMs  int
	AttemptMs int
	// PlusPoll: the attempt timer is the poll's own wait plus AttemptMs.
	PlusPoll bool
	// AnswerResets: an answer resets the ladder (seats with no window).
	AnswerResets bool
}

// ResponseRow is what the documents say of one status of an operation. Taken is "yes", "no" or "unknown".
type ResponseRow struct {
	Means string
	Taken string
	Codes []string
}

// OperationRow is one operation of the documents.
type OperationRow struct {
	Method    string
	Path      string
	Seats     map[string]SeatPolicy
	Responses map[int]ResponseRow
}

// OutcomeRow is what the model is told about a pick. The language of the template is described in spec/outcomes.yaml.
type OutcomeRow struct {
	Kind    string
	Text    string
	Invites bool
	// Answers that refuse a pick and come to this; what stands in no row is "rejected".
	Answers []AnswerMatch
	// OfEveryCopy: they speak of every copy of the pick, so they settle one that was in doubt.
	OfEveryCopy bool
}

// ProblemRow is a problem code's status, and the title of its problem document.
type ProblemRow struct {
	Status int
	Title  string
}

// FaultRow is one code of agent.fault.<slot> (spec/faults.yaml).
type FaultRow struct {
	// Category of failure in the execution's record.
	Category    string
	Settlements []string
	Answers     []string
	Certainties []Certainty
	Rerunnable  bool
	Meaning     string
}
