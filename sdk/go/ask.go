package turnwire

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"turnwire.dev/go/gen"
)

// question is a question with one answer: what most seats are.
type question[Value any] struct {
	seat   string
	call   operationCall
	fences Fences
	// poll is what the peer may park it for.
	poll time.Duration
	// decode reads an answer of ours below 400; false: its body makes no sense, which is as good as lost.
	decode func(Answer) (Value, bool)
	// means is what a final answer means here, where its own code is not what the caller is told.
	means func(of *attempt, because string) meaning
}

// answered is an answer, and what it cost.
type answered[Value any] struct {
	value    Value
	answer   Answer
	attempts int
}

// ask asks until there is an answer or the seat's policy ends it with a fault.
func ask[Value any](ctx context.Context, c *Client, of question[Value], given []CallOption, check *checks) (*answered[Value], error) {
	options := optionsOf(given)
	if err := check.options(options).err; err != nil {
		return nil, err
	}
	request := c.request(of.call, options)
	if err := check.headers(request.header).err; err != nil {
		return nil, err
	}
	call := c.call(ctx, of.seat, gen.Operations[of.call.operation].Seats[of.seat], options)
	ok := false
	defer func() { call.finish(ok) }()
	if call.aborted() {
		return nil, call.fault(nil, "aborted", meaning{})
	}
	for {
		made := call.attempt(request, how{poll: of.poll})
		if value, good := decoded(made, of); good {
			ok = true
			return &answered[Value]{value, *made.answer, call.attempts}, nil
		}
		decision := call.next(made, of.fences, call.policy)
		if decision.Action != "stop" {
			continue
		}
		told := meaning{}
		if decision.Because != "aborted" && of.means != nil {
			told = of.means(made, decision.Because)
		}
		return nil, call.fault(made, decision.Because, told)
	}
}

func (c *checks) options(options callOptions) *checks {
	c.need(!options.hasWindow || options.window >= 0, "Window", "a duration, not below 0")
	return c.need(!options.hasAttempt || options.attempt > 0, "AttemptTime", "a duration above 0").headers(options.header)
}

func decoded[Value any](made *attempt, of question[Value]) (value Value, good bool) {
	if made.answer == nil || made.answerLost || !isGood(made, of.call.operation) {
		return value, false
	}
	value, good = of.decode(*made.answer)
	if !good && made.verdict.Certainty == gen.Delivered {
		made.answerLost = true
	}
	return value, good
}

// isGood: a 2xx, or another answer that the documents call taken: that nothing has changed, say.
func isGood(made *attempt, operation string) bool {
	if made.verdict.Certainty == gen.Delivered {
		return true
	}
	row, known := documented(operation, made.answer.Status)
	return known && row.Taken == "yes"
}

// objectOf is the members of a body that is a JSON object.
func objectOf(answer Answer) map[string]json.RawMessage { return members(bodyOf(answer)) }

// decodeWith reads a body that is a JSON object with these members, each a string.
func decodeWith[Value any](names ...string) func(Answer) (*Value, bool) {
	return func(answer Answer) (*Value, bool) {
		object := objectOf(answer)
		if object == nil {
			return nil, false
		}
		for _, name := range names {
			if _, ok := textMember(object, name); !ok {
				return nil, false
			}
		}
		return decodeLenient[Value](answer.Body)
	}
}

// decodeLenient reads a body. Members of another type than the wire's are as good as absent: versions may skew (TW-GEN-012).
func decodeLenient[Value any](body json.RawMessage) (*Value, bool) {
	value := new(Value)
	var skewed *json.UnmarshalTypeError
	if err := json.Unmarshal(body, value); err != nil && !errors.As(err, &skewed) {
		return nil, false
	}
	return value, true
}

// nothing: that it answered is all that is asked.
func nothing(Answer) (struct{}, bool) { return struct{}{}, true }
