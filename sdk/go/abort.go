package turnwire

import (
	"context"
	"encoding/json"
)

// AbortInput is what is ended: without a fence everything, with one (SubmissionID or TurnID) that Submission and those admitted
// before it (TW-ABT-002).
type AbortInput struct {
	Name, IID            string
	SubmissionID, TurnID string
	// FencedAbort is the Harness's capability. False when it is not known.
	FencedAbort bool
}

// Abort ends what runs and what waits (seat abort). After doubt it is sent again only if it is fenced and the Harness honours fences
// (TW-RET-015): without a fence a second copy would end what was admitted since. A call is a single attempt of 10 s, because whoever
// owes an abort sends it again later; give it a Window to send it again here.
//
// Faults: unknown when a second copy is not allowed; the code of a final answer; aborted.
func (c *Client) Abort(ctx context.Context, of AbortInput, given ...CallOption) (*Aborted, error) {
	var check checks
	check.segment(of.Name, "Name").iid(of.IID)
	fence := map[string]string{}
	if of.SubmissionID != "" {
		fence["submissionId"] = of.SubmissionID
	}
	if of.TurnID != "" {
		fence["turnId"] = of.TurnID
	}
	call := operationCall{operation: "abortConversation", path: map[string]string{"name": of.Name, "iid": of.IID}}
	if len(fence) > 0 {
		call.body = check.json(fence, "TurnID")
	}
	asked, err := ask(ctx, c, question[*Aborted]{
		seat: "abort", call: call, fences: Fences{Fenced: len(fence) > 0 && of.FencedAbort}, decode: decodeAborted,
	}, given, &check)
	if err != nil {
		return nil, err
	}
	return asked.value, nil
}

func decodeAborted(answer Answer) (*Aborted, bool) {
	object := objectOf(answer)
	var aborted *bool
	if object["aborted"] == nil || json.Unmarshal(object["aborted"], &aborted) != nil || aborted == nil {
		return nil, false
	}
	ended := &Aborted{Aborted: *aborted, SubmissionIds: []string{}}
	var ids []any
	_ = json.Unmarshal(object["submissionIds"], &ids)
	for _, id := range ids {
		if text, ok := id.(string); ok {
			ended.SubmissionIds = append(ended.SubmissionIds, text)
		}
	}
	return ended, true
}
