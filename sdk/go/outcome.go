package turnwire

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"turnwire.dev/go/gen"
)

// Delivered is what became of a pick, and what the model is told about it (TW-TRN-010).
type Delivered struct {
	// Code is one of gen.Outcomes.
	Code string
	// Kind: an "error" is given to the model as a failed tool call, an "answer" as its result.
	Kind string
	// Text is what the model reads.
	Text string
	// Certainty is what is proved about the pick, every copy of it counted.
	Certainty gen.Certainty
	// DeliveryID is the id that it was delivered under, as far as it is known.
	DeliveryID string
	Receipt    *Receipt
	// Allowed is what may be picked now; nil when the peer did not say.
	Allowed *[]string
	// TurnComplete: the receipt says that the turn is over.
	TurnComplete bool
	// Attempts counts the copies of the pick that were sent.
	Attempts int
	Elapsed  time.Duration
}

// Taken says whether it was; known is false in doubt.
func (d Delivered) Taken() (taken, known bool) {
	return d.Certainty == gen.Delivered, d.Certainty != gen.Unknown
}

// outcomesOf makes the outcome of one delivery. It knows when doubt forbids to say that the pick was not taken (TW-OUT-018).
type outcomesOf struct {
	call  *seatCall
	event string
	// deliveryID: ours where it is honoured, else what the Orchestrator named.
	deliveryID string
	// lostReason is why the answer of a pick that was taken is not here yet.
	lostReason string
}

func (o *outcomesOf) of(code string, certainty gen.Certainty, values TemplateValues) *Delivered {
	all := TemplateValues{"event": o.event}
	for name, value := range values {
		all[name] = value
	}
	text, err := OutcomeText(code, all)
	if err != nil {
		// The values of every outcome are given below.
		panic(err)
	}
	return &Delivered{
		Code: code, Kind: gen.Outcomes[code].Kind, Text: text, Certainty: certainty, DeliveryID: o.deliveryID,
		Attempts: o.call.attempts, Elapsed: o.call.elapsed(),
	}
}

// receipt is what a receipt says.
func (o *outcomesOf) receipt(receipt *Receipt) *Delivered {
	if receipt.DeliveryID != "" {
		o.deliveryID = receipt.DeliveryID
	}
	made := o.of(ReceiptOutcome(*receipt), gen.Delivered, ReceiptValues(*receipt))
	made.Receipt, made.Allowed = receipt, receipt.Allowed
	made.TurnComplete = receipt.TurnComplete != nil && *receipt.TurnComplete
	return made
}

func (o *outcomesOf) unknown(reason string) *Delivered {
	return o.of("unknown", gen.Unknown, TemplateValues{"detail": phrase(reason)})
}

func (o *outcomesOf) takenAnswerLost(reason string) *Delivered {
	if reason == "" {
		reason = "it was never sent"
	}
	return o.of("taken_answer_lost", gen.Delivered, TemplateValues{"detail": phrase(reason)})
}

func (o *outcomesOf) takenTurnEnded(receipt *Receipt) *Delivered {
	made := o.of("taken_turn_ended", gen.Delivered, nil)
	made.Receipt = receipt
	return made
}

// finallyAnswered is an answer after which nothing is sent again, whatever became of the call. own: it names this very delivery as
// the one that is worked on. Neither: it is no such answer, or one that proves nothing about a copy in doubt.
func (o *outcomesOf) finallyAnswered(made *attempt, policy gen.SeatPolicy) (delivered *Delivered, own bool) {
	if made.verdict.Certainty != gen.Answered || made.said == nil || isListed(policy.Answers, *made.said) {
		return nil, false
	}
	problem := problemOf(made.answer)
	named := problem.Text("deliveryId")
	if made.verdict.Code == "pick_outstanding" && named != "" && named == o.deliveryID {
		return nil, true
	}
	return o.answered(made, problem), false
}

// exhausted is a seat that stopped without a final answer: base mode, or the window has ended.
func (o *outcomesOf) exhausted(made *attempt) *Delivered {
	switch {
	case o.call.inDoubt:
		return o.unknown(made.reason)
	case made.verdict.Certainty == gen.NeverDelivered:
		return o.of("never_reached", gen.NeverDelivered, TemplateValues{"detail": phrase(made.reason)})
	case made.verdict.Certainty == gen.Answered:
		return o.answered(made, problemOf(made.answer))
	}
	return o.unknown(made.reason)
}

func (o *outcomesOf) answered(made *attempt, problem Problem) *Delivered {
	if made.said == nil {
		return o.unknown(made.reason)
	}
	code := refusalOutcome(*made.said)
	if o.call.inDoubt && !gen.Outcomes[code].OfEveryCopy {
		return o.unknown(made.reason)
	}
	allowed := namesIn(problem, "allowed")
	delivered := o.of(code, gen.Answered, problemValues(made, problem, allowed))
	delivered.Allowed = allowed
	return delivered
}

func problemValues(made *attempt, problem Problem, allowed *[]string) TemplateValues {
	values := TemplateValues{"problemCode": made.verdict.Code, "detail": fmt.Sprintf("HTTP %d", made.answer.Status)}
	if allowed != nil {
		values["allowed"] = *allowed
	}
	var problems []any
	if json.Unmarshal(problem["problems"], &problems) == nil && len(problems) > 0 {
		values["problems"] = problems
	}
	for name, member := range map[string]string{"otherEvent": "event", "otherDeliveryId": "deliveryId", "problemDetail": "detail"} {
		if text := problem.Text(member); text != "" {
			values[name] = text
		}
	}
	if detail, ok := values["problemDetail"].(string); ok {
		values["problemDetail"] = phrase(detail)
	}
	return values
}

// phrase is without a final stop: it stands in the middle of a sentence.
func phrase(text string) string { return strings.TrimSuffix(strings.TrimSpace(text), ".") }
