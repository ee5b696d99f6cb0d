package turnwire

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"turnwire.dev/go/gen"
)

// RunEvents follows a feed (seat feed): of one run until its terminal status, or with "" of all runs for as long as it is read. A cut
// is followed by a new snapshot, the whole state as it is committed then (TW-FED-001): what lies between is not repeated. The window
// of 30 s counts from the last time that the feed was open. Who leaves the loop ends the request.
//
// An error ends it: a [*Fault] unknown_run, the code of another final answer, unreachable or aborted; an [*ArgumentError].
func (c *Client) RunEvents(ctx context.Context, runID string, given ...CallOption) iter.Seq2[FeedEvent, error] {
	return func(yield func(FeedEvent, error) bool) {
		var check checks
		options := optionsOf(given)
		operation, path := "readEvents", map[string]string{}
		if runID != "" {
			check.segment(runID, "runID")
			operation, path = "readRunEvents", map[string]string{"runId": runID}
		}
		if err := check.options(options).err; err != nil {
			yield(FeedEvent{}, err)
			return
		}
		accept := map[string]string{"accept": "text/event-stream"}
		feed := feed{
			call:    c.call(ctx, "feed", gen.Operations[operation].Seats["feed"], options),
			request: c.request(operationCall{operation: operation, path: path, header: accept}, options),
			ends:    runID != "",
		}
		err := feed.follow(yield)
		feed.call.finish(feed.over)
		if err != nil {
			yield(FeedEvent{}, err)
		}
	}
}

type feed struct {
	call    *seatCall
	request httpRequest
	// ends with its run, and over: it has.
	ends, over bool
}

func (f *feed) follow(yield func(FeedEvent, error) bool) error {
	if f.call.aborted() {
		return f.call.fault(nil, "aborted", meaning{})
	}
	for {
		made, opened, left := f.readOnce(yield)
		if left || f.over {
			return nil
		}
		// A feed that was open and ended is a cut, however cleanly it ended.
		made.answerLost = opened
		if decision := f.call.next(made, Fences{}, f.call.policy); decision.Action == "stop" {
			return f.call.fault(made, decision.Because, meaning{})
		}
	}
}

// readOnce reads one response to its end. left: the reader has, and nobody waits for anything more.
func (f *feed) readOnce(yield func(FeedEvent, error) bool) (made *attempt, opened, left bool) {
	pool, startedAt := f.call.client.pool, f.call.begin(f.request, how{})
	transport := pool.borrow()
	result, body, bell, end := open(f.call.ctx, transport, f.request, feedSilence, nil)
	defer func() {
		end()
		pool.giveBack(transport, made == nil || mustDialAnew(result, made.verdict))
	}()
	if body == nil {
		return f.call.judged(result, startedAt), false, false
	}
	opened = IsOurs(*result.response) && strings.HasPrefix(headerOf(*result.response, "content-type"), "text/event-stream")
	if !opened || result.response.Status >= gen.ErrorFromStatus {
		text, err := readAll(body)
		if result.response.Body = text; err != nil {
			result.response.Body, result.response.BodyLost = nil, true
			result = ended(f.call.ctx, result, err)
		}
		return f.call.judged(result, startedAt), false, false
	}
	f.call.answered()
	lines := newFrames(body, bell.rearm)
	for {
		bell.rearm()
		read, ok := lines.next()
		if !ok {
			break
		}
		// The silence of a reader is not the peer's.
		bell.stop()
		if event, known := eventOf(read); known && !yield(event, nil) {
			return nil, true, true
		} else if known {
			f.over = f.over || f.ends && isTerminal(event)
		}
	}
	if err := lines.err(); err != nil {
		result.response.BodyLost = true
		result = ended(f.call.ctx, result, err)
	}
	return f.call.judged(result, startedAt), true, false
}

// eventOf: a frame that is no JSON object is nothing that a reader knows (TW-FED-006).
func eventOf(read frame) (FeedEvent, bool) {
	data := members(json.RawMessage(read.data))
	return FeedEvent{read.name, read.id, data}, data != nil
}

// isTerminal: the terminal status of a run, what its feed ends with (TW-FED-005).
func isTerminal(event FeedEvent) bool {
	status := textIn(event.Data, "status")
	switch event.Event {
	case "snapshot":
		var runs []map[string]json.RawMessage
		if json.Unmarshal(event.Data["runs"], &runs) == nil && len(runs) > 0 {
			status = textIn(runs[0], "status")
		}
	case "run.status":
	default:
		return false
	}
	return slices.Contains([]string{"done", "error", "cancelled"}, status)
}
