package turnwire

import (
	"context"

	"turnwire.dev/go/gen"
)

// Conversation names one.
type Conversation struct {
	Name, IID string
}

// History reads a whole conversation (seat history, 30 s): messages, and every Submission with its state (TW-HIS-001).
//
// Faults: unknown_conversation, stream_gone, the code of another final answer, unreachable, aborted.
func (c *Client) History(ctx context.Context, of Conversation, given ...CallOption) (*History, error) {
	var check checks
	call := operationCall{
		operation: "readConversation", path: of.path(&check), query: map[string]string{"view": "history"},
	}
	asked, err := ask(ctx, c, question[*History]{seat: "history", call: call, decode: decodeHistory}, given, &check)
	if err != nil {
		return nil, err
	}
	return asked.value, nil
}

// StreamTail is the end of a conversation's stream: where a wait that wants only what is new begins.
type StreamTail struct {
	Offset string
	// Closed: nothing can come any more.
	Closed bool
}

// StreamTail asks where a stream ends, without its records (seat history, TW-STR-024): that of a Submission, or with "" the whole
// conversation's. Faults as of [Client.History].
func (c *Client) StreamTail(ctx context.Context, of Conversation, submission string, given ...CallOption) (*StreamTail, error) {
	var check checks
	query := map[string]string{"view": "updates", "submission": submission}
	call := operationCall{operation: "headConversation", path: of.path(&check), query: query}
	asked, err := ask(ctx, c, question[*StreamTail]{seat: "history", call: call, decode: decodeTail}, given, &check)
	if err != nil {
		return nil, err
	}
	return asked.value, nil
}

func (of Conversation) path(check *checks) map[string]string {
	check.segment(of.Name, "Name").iid(of.IID)
	return map[string]string{"name": of.Name, "iid": of.IID}
}

func decodeHistory(answer Answer) (*History, bool) {
	object := objectOf(answer)
	if !isList(object["messages"]) || !isList(object["submissions"]) {
		return nil, false
	}
	return decodeLenient[History](answer.Body)
}

func isList(text []byte) bool { return len(text) > 0 && text[0] == '[' }

func decodeTail(answer Answer) (*StreamTail, bool) {
	offset := headerOf(answer, gen.HeaderStreamNextOffset)
	return &StreamTail{offset, headerOf(answer, gen.HeaderStreamClosed) == "true"}, offset != ""
}
