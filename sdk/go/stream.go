package turnwire

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/url"
	"time"

	"turnwire.dev/go/gen"
)

// WaitInput is where a wait begins.
type WaitInput struct {
	// StreamURL as it was admitted, or its path and query; only the client's own origin is asked (TW-RUN-013).
	StreamURL string
	// Offset is opaque: an Admission's, a wait's, or "-1" for the beginning.
	Offset string
}

// Wait is a wait on a Submission: its records, and how it ended. It is for one goroutine.
type Wait struct {
	client  *Client
	ctx     context.Context
	url     *url.URL
	options callOptions
	offset  string
	// pending is what the last page brought and was not yielded yet, next where the page after it begins.
	pending    []StreamRecord
	next       position
	settlement *Settlement
}

// Wait waits on a stream from an offset: catch-up first, then long-polls (seat stream). A cut is resumed at the same offset for as
// long as it takes (TW-RET-014); the records end with submission.settled. It fails with an [*ArgumentError].
func (c *Client) Wait(ctx context.Context, at WaitInput, given ...CallOption) (*Wait, error) {
	var check checks
	check.text(at.StreamURL, "StreamURL").text(at.Offset, "Offset")
	base, _ := url.Parse(c.origin)
	stream, err := base.Parse(at.StreamURL)
	check.need(err == nil && (stream.Scheme == "http" || stream.Scheme == "https"), "StreamURL", "a URL, or a path and query")
	options := optionsOf(given)
	if err := check.options(options).err; err != nil {
		return nil, err
	}
	return &Wait{client: c, ctx: ctx, url: stream, options: options, offset: at.Offset, next: position{offset: at.Offset}}, nil
}

// Offset: everything before it has been yielded; a wait that is begun here misses nothing.
func (w *Wait) Offset() string { return w.offset }

// Records yields what comes until the Settlement. Who leaves the loop may begin another one, which goes on where this one was left.
// An error ends it: a [*Fault] conversation_lost (404 unknown_conversation), stream_gone (410), unauthorized, forbidden, bad_response or
// aborted.
func (w *Wait) Records() iter.Seq2[StreamRecord, error] {
	return func(yield func(StreamRecord, error) bool) {
		policy := gen.Operations["readConversation"].Seats["stream"]
		call := w.client.call(w.ctx, "stream", policy, w.options)
		defer func() { call.finish(w.settlement != nil) }()
		if err := w.read(call, yield); err != nil {
			yield(StreamRecord{}, err)
		}
	}
}

// Settlement follows the stream to its end, in place of iterating or after: the records that it passes are not yielded again.
func (w *Wait) Settlement() (*Settlement, error) {
	for _, err := range w.Records() {
		if err != nil {
			return nil, err
		}
	}
	return w.settlement, nil
}

var errLeft = errors.New("the reader left")

// read yields until the Settlement; nil too when the reader left.
func (w *Wait) read(call *seatCall, yield func(StreamRecord, error) bool) error {
	if call.aborted() {
		return call.fault(nil, "aborted", meaning{})
	}
	if origin := w.url.Scheme + "://" + w.url.Host; origin != w.client.origin {
		return call.fault(nil, "final", meaning{"bad_response", "the stream is on another origin, " + origin, gen.Answered})
	}
	for {
		if err := w.drain(yield); err != nil || w.settlement != nil {
			return ignoreLeft(err)
		}
		page, err := w.onePage(call, w.next)
		if err != nil {
			return err
		}
		w.pending, w.next = page.records, page.at
		if len(page.records) == 0 {
			w.offset = page.at.offset
		}
		if page.closed && !endsSettled(page.records) {
			if err := w.drain(yield); err != nil {
				return ignoreLeft(err)
			}
			// TW-STR-023: an end without a Settlement is a loss, and no empty stream.
			return call.fault(page.attempt, "final", bad("the stream is closed and holds no Settlement"))
		}
	}
}

func ignoreLeft(err error) error {
	if errors.Is(err, errLeft) {
		return nil
	}
	return err
}

// drain yields what the last page brought.
func (w *Wait) drain(yield func(StreamRecord, error) bool) error {
	for len(w.pending) > 0 {
		record := w.pending[0]
		w.pending = w.pending[1:]
		if len(w.pending) == 0 {
			w.offset = w.next.offset
		}
		if record.Type == "submission.settled" {
			w.settlement = &Settlement{Outcome: gen.SettlementOutcome(record.Outcome), Error: record.Error}
		}
		if !yield(record, nil) {
			return errLeft
		}
	}
	return nil
}

func endsSettled(records []StreamRecord) bool {
	for _, record := range records {
		if record.Type == "submission.settled" {
			return true
		}
	}
	return false
}

// position is where the next page begins.
type position struct {
	offset string
	live   bool
	cursor string
}

type streamPage struct {
	records []StreamRecord
	// at is behind it.
	at      position
	closed  bool
	attempt *attempt
}

// onePage is one page that brought something: records, the turn to long-polls, or the end.
func (w *Wait) onePage(call *seatCall, at position) (*streamPage, error) {
	for {
		poll := time.Duration(0)
		if at.live {
			poll = gen.PollWaitSeconds * time.Second
		}
		made := call.attempt(w.pageRequest(at), how{poll: poll})
		if made.tooLong {
			return nil, call.fault(made, "final", bad("a page that is longer than any that we take"))
		}
		page, err := readPage(call, made, at)
		if err != nil {
			return nil, err
		}
		policy := call.policy
		if page != nil {
			if len(page.records) > 0 || page.closed || page.at.live != at.live {
				call.answered()
				return page, nil
			}
			// A page that brings nothing is asked for again, whether it came as 204 or as 200.
			at, policy = page.at, askingOn(policy, *made.said)
		}
		decision := call.next(made, Fences{}, policy)
		if decision.Action != "stop" {
			continue
		}
		told := meaning{}
		if decision.Because == "final" {
			told = streamMeans(made)
		}
		return nil, call.fault(made, decision.Because, told)
	}
}

func askingOn(policy gen.SeatPolicy, of said) gen.SeatPolicy {
	again := gen.AnswerMatch{Status: [2]int{of.status, of.status}}
	policy.Answers = append([]gen.AnswerMatch{again}, policy.Answers...)
	return policy
}

func (w *Wait) pageRequest(at position) httpRequest {
	// What the stream's own URL asks for is kept; it is opaque (TW-ADM-012).
	query := w.url.Query()
	query.Set("offset", at.offset)
	if at.live {
		query.Set("live", "long-poll")
		if at.cursor != "" {
			query.Set("cursor", at.cursor)
		}
	}
	path := w.url.EscapedPath()
	if path == "" {
		path = "/"
	}
	return w.client.wireRequest("GET", path+"?"+query.Encode(), nil, nil, w.options)
}

// readPage is an answer as a page; nil when there is none, a fault when it breaks the protocol.
func readPage(call *seatCall, made *attempt, asked position) (*streamPage, error) {
	if made.answer == nil || made.answerLost || made.verdict.Certainty != gen.Delivered {
		return nil, nil
	}
	records, ok := recordsOf(*made.answer)
	if !ok {
		made.answerLost = true
		return nil, nil
	}
	offset := headerOf(*made.answer, gen.HeaderStreamNextOffset)
	// A page without the offset after it, or with records and the offset before them, would be read for ever.
	if offset == "" {
		return nil, call.fault(made, "final", bad("an answer without Stream-Next-Offset"))
	}
	if len(records) > 0 && offset == asked.offset {
		return nil, call.fault(made, "final", bad("records without a new offset"))
	}
	at := position{offset, asked.live || headerOf(*made.answer, gen.HeaderStreamUpToDate) == "true", asked.cursor}
	if cursor := headerOf(*made.answer, gen.HeaderStreamCursor); cursor != "" {
		at.cursor = cursor
	}
	return &streamPage{records, at, headerOf(*made.answer, gen.HeaderStreamClosed) == "true", made}, nil
}

func recordsOf(answer Answer) ([]StreamRecord, bool) {
	if row, _ := documented("readConversation", answer.Status); row.Means == "nothing_new" {
		return nil, true
	}
	var raw []json.RawMessage
	if json.Unmarshal(answer.Body, &raw) != nil || raw == nil {
		return nil, false
	}
	records := make([]StreamRecord, len(raw))
	for at, each := range raw {
		object := members(each)
		if object["type"] == nil {
			return nil, false
		}
		read, ok := decodeLenient[gen.StreamRecord](each)
		if !ok {
			return nil, false
		}
		records[at] = StreamRecord{*read, each}
	}
	return records, true
}

// streamMeans: a 404 ends a conversation only as unknown_conversation, a 410 only as stream_gone (TW-RET-026).
func streamMeans(of *attempt) meaning {
	switch {
	case of.said == nil || of.said.says("stream_gone") || refusesCredential(*of.said):
		return meaning{}
	case of.said.says("unknown_conversation"):
		return meaning{code: "conversation_lost"}
	}
	return meaning{code: "bad_response"}
}

func bad(reason string) meaning { return meaning{code: "bad_response", reason: reason} }
