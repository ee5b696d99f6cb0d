// Package vectors answers the shared vectors of the spec: what the adapter says of the pure parts, and what the tests hold them to.
package vectors

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"turnwire.dev/go"
	"turnwire.dev/go/gen"
)

// Evidence is what is known of one attempt, as a vector has it.
type Evidence struct {
	Kind     string
	Error    json.RawMessage
	Aborted  bool
	Response *struct {
		Status   int
		Headers  map[string]any
		Body     json.RawMessage
		BodyLost bool
	}
}

// Classified judges evidence.
func Classified(evidence Evidence) (map[string]any, error) {
	attempted := turnwire.Attempted{Kind: evidence.Kind, Aborted: evidence.Aborted}
	if given := evidence.Response; given != nil {
		attempted.Response = &turnwire.Answer{Status: given.Status, Header: headersOf(given.Headers), Body: bodyOf(given.Body), BodyLost: given.BodyLost}
	}
	err, failed := native(evidence.Error)
	if failed != nil {
		return nil, failed
	}
	attempted.Err = err
	verdict := turnwire.Classify(attempted)
	said := map[string]any{"certainty": verdict.Certainty}
	for name, value := range map[string]string{"code": verdict.Code, "evidence": verdict.Evidence} {
		if value != "" {
			said[name] = value
		}
	}
	if verdict.TakenKnown {
		said["taken"] = verdict.Taken
	}
	if verdict.Permanent {
		said["permanent"] = true
	}
	return said, nil
}

func headersOf(given map[string]any) http.Header {
	header := http.Header{}
	for name, value := range given {
		if list, ok := value.([]any); ok {
			for _, each := range list {
				header.Add(name, fmt.Sprint(each))
			}
		} else if text, ok := value.(string); ok {
			header.Add(name, text)
		}
	}
	return header
}

// bodyOf is the text of a body: a vector gives it as a string, or as the value that it holds.
func bodyOf(given json.RawMessage) []byte {
	var text string
	if json.Unmarshal(given, &text) == nil {
		return []byte(text)
	}
	return given
}

// made is an error that says what its level is; its cause may come round to itself.
type made struct {
	name, code, call, message string
	cause                     error
}

func (e *made) Error() string                            { return e.message }
func (e *made) Unwrap() error                            { return e.cause }
func (e *made) TurnwireLevel() (name, code, call string) { return e.name, e.code, e.call }
func (e *made) fill(object map[string]any, cause error) {
	*e = made{textOf(object, "name"), textOf(object, "code"), textOf(object, "syscall"), textOf(object, "message"), cause}
}

type joined struct{ members []error }

func (e *joined) Error() string   { return "several" }
func (e *joined) Unwrap() []error { return e.members }

func textOf(object map[string]any, name string) string {
	text, _ := object[name].(string)
	return text
}

// native builds an error as spec/vectors/README.md writes it.
func native(text json.RawMessage) (error, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	return build(value, "#", map[string]error{}), nil
}

func build(value any, at string, known map[string]error) error {
	object, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	if ref, ok := object["$ref"].(string); ok {
		return known[ref]
	}
	if list, ok := object["errors"].([]any); ok {
		group := &joined{}
		known[at] = group
		for index, each := range list {
			group.members = append(group.members, build(each, fmt.Sprintf("%s/errors/%d", at, index), known))
		}
		return group
	}
	err := &made{}
	known[at] = err
	err.fill(object, build(object["cause"], at+"/cause", known))
	return err
}

// Rungs is a ladder vector's input.
type Rungs struct {
	Random     json.RawMessage
	Rung       int
	RetryAfter *string
	NowMs      int64
	LeftMs     *float64
}

// Delays is the delays of successive re-sends, or the one of a single rung.
func Delays(of Rungs) (map[string]any, error) {
	var draws []float64
	if json.Unmarshal(of.Random, &draws) == nil {
		delays := make([]float64, len(draws))
		for at, draw := range draws {
			delays[at] = inMs(turnwire.Rung(at, func() float64 { return draw }))
		}
		return map[string]any{"delaysMs": delays}, nil
	}
	var draw float64
	if err := json.Unmarshal(of.Random, &draw); err != nil {
		return nil, err
	}
	policy := gen.SeatPolicy{NeverDelivered: "resend", Unknown: "resend", WindowMs: gen.NoWindow}
	if of.LeftMs != nil {
		policy.WindowMs = int(*of.LeftMs)
	}
	now := time.UnixMilli(of.NowMs)
	outcome := turnwire.AttemptOutcome{Verdict: turnwire.Verdict{Certainty: gen.Unknown}}
	if of.RetryAfter != nil {
		outcome.RetryAfter, _ = turnwire.RetryAfter(*of.RetryAfter, "", now)
	}
	state := turnwire.RetryState{StartedAt: now, Rung: of.Rung}
	decision := turnwire.Decide(policy, outcome, state, turnwire.Fences{}, now, func() float64 { return draw })
	if decision.Action == "stop" {
		return map[string]any{"exhausted": true}, nil
	}
	return map[string]any{"delayMs": inMs(decision.Delay)}, nil
}

func inMs(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Text is a text of the spec with its values.
type Text struct {
	Code, Text string
	Values     map[string]any
}

// Rendered fills it.
func Rendered(of Text) (map[string]any, error) {
	template := gen.Texts[of.Text]
	if of.Code != "" {
		template = gen.Outcomes[of.Code].Text
	}
	text, err := turnwire.Render(template, of.Values)
	return map[string]any{"text": text}, err
}

// Receipt is the body of a 200 to a pick, and the pick.
type Receipt struct{ Body, Event string }

// ReceiptSays is what it says, and what the model is told.
func ReceiptSays(of Receipt) (map[string]any, error) {
	read, _ := turnwire.ReadDelivery(turnwire.Answer{Status: http.StatusOK, Body: []byte(of.Body)})
	if read == nil {
		return map[string]any{"readable": false}, nil
	}
	outcome := turnwire.ReceiptOutcome(*read)
	values := turnwire.ReceiptValues(*read)
	values["event"] = of.Event
	text, err := turnwire.OutcomeText(outcome, values)
	said := map[string]any{
		"readable": true, "moved": read.Moved, "allowed": read.Allowed, "outcome": outcome, "text": text,
		"turnComplete": read.TurnComplete != nil && *read.TurnComplete,
	}
	for _, name := range []string{"answer", "answerError", "endedBy"} {
		if value, there := values[name]; there {
			said[name] = value
		}
	}
	return said, err
}
