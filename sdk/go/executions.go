package turnwire

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"turnwire.dev/go/gen"
)

// ExecuteInput is a call of an agent of a node.
type ExecuteInput struct {
	// Target is node.agent.
	Target string
	// Input is any value that JSON can write.
	Input any
	// Timeout is how long the execution may take; 0: the Orchestrator's own.
	Timeout      time.Duration
	UsageContext string
	// Wait is how long the answer may wait: whole seconds, 0–25. Nil: 25 s.
	Wait *time.Duration
	// Key is the Idempotency-Key; minted when it is "", so that it can be sent again. Keep it to ask for the same execution later.
	Key string
}

// Executed is what came of a call so far: with Status "succeeded" there is a Result; any other goes on, and is read with
// [Client.ReadExecution].
type Executed struct {
	ExecutionID string              `json:"executionId"`
	Status      gen.ExecutionStatus `json:"status"`
	Result      json.RawMessage     `json:"result,omitempty"`
	DurationMs  int                 `json:"durationMs,omitempty"`
	ReplayOf    string              `json:"replayOf,omitempty"`
	// Replayed: the key was known, and it is an earlier copy's.
	Replayed bool `json:"-"`
}

// Execute calls an agent of a node (seat start_execution, 30 s; TW-EXE-001, TW-EXE-002).
//
// Faults: target_not_found with Problem "agents", and node_unavailable: there is no record (TW-EXE-004, TW-EXE-007); execution_failed
// and execution_timed_out with Problem "category" and "executionId"; invalid; idempotency_mismatch; the code of another final answer,
// unreachable, aborted.
func (c *Client) Execute(ctx context.Context, of ExecuteInput, given ...CallOption) (*Executed, error) {
	var check checks
	check.text(of.Target, "Target").given(of.Input, "Input").need(of.Timeout >= 0, "Timeout", "a duration, not below 0")
	header := keyHeader(of.Key, &check)
	if of.Wait != nil {
		check.wait(*of.Wait, gen.PollWaitSeconds, "Wait")
		header[gen.HeaderPrefer] = prefer(*of.Wait)
	}
	body := map[string]any{"target": of.Target, "input": of.Input}
	if of.Timeout > 0 {
		body["timeoutSeconds"] = of.Timeout.Seconds()
	}
	if of.UsageContext != "" {
		body["usageContext"] = of.UsageContext
	}
	call := operationCall{operation: "startExecution", header: header, body: check.json(body, "Input")}
	return executed(ask(ctx, c, question[*Executed]{
		seat: "start_execution", call: call, fences: Fences{SameKey: true}, decode: decodeExecuted,
	}, given, &check))
}

// ReadExecution shows one execution (seat execution, 30 s and the wait): as soon as it has ended, or after wait (whole seconds, 0–25)
// as it is then (TW-EXE-024). Fault unknown_execution.
func (c *Client) ReadExecution(ctx context.Context, executionID string, wait time.Duration, given ...CallOption) (*ExecutionRecord, error) {
	var check checks
	check.segment(executionID, "executionID").wait(wait, gen.PollWaitSeconds, "wait")
	return valueOf(ask(ctx, c, question[*ExecutionRecord]{
		seat: "execution",
		call: operationCall{
			operation: "readExecution", path: executionPath(executionID), query: map[string]string{"wait": strconv.Itoa(int(wait / time.Second))},
		},
		poll:   wait,
		decode: decodeWith[ExecutionRecord]("executionId", "status"),
	}, given, &check))
}

// ExecutionFilter is what a list of executions is narrowed to; what is empty does not narrow it.
type ExecutionFilter struct {
	Status string
	// Target is node.agent of a call, Node the node or the placement.
	Target, Node, Agent string
	RunID, UsageContext string
	// Limit is a number of executions, Cursor a page's NextCursor.
	Limit  int
	Cursor string
}

// ListExecutions lists executions, newest first, of runs and of calls alike (seat executions, 30 s; TW-EXE-025).
func (c *Client) ListExecutions(ctx context.Context, filter ExecutionFilter, given ...CallOption) (*Page[ExecutionRecord], error) {
	var check checks
	query := map[string]string{
		"status": filter.Status, "target": filter.Target, "node": filter.Node, "agent": filter.Agent, "runId": filter.RunID,
		"usageContext": filter.UsageContext, "cursor": filter.Cursor, "limit": limitOf(filter.Limit, &check),
	}
	call := operationCall{operation: "listExecutions", query: query}
	return valueOf(ask(ctx, c, question[*Page[ExecutionRecord]]{seat: "executions", call: call, decode: pageOf[ExecutionRecord]}, given, &check))
}

// CancelExecution cancels an execution (seat cancel_execution, 30 s). When an earlier copy of this call did it, that is success too.
// reason may be "".
//
// Faults: already_ended, unknown_execution.
func (c *Client) CancelExecution(ctx context.Context, executionID, reason string, given ...CallOption) error {
	var check checks
	check.segment(executionID, "executionID")
	call := operationCall{
		operation: "cancelExecution", path: executionPath(executionID), body: check.json(reasonBody(reason), "reason"),
	}
	_, err := ask(ctx, c, question[map[string]json.RawMessage]{seat: "cancel_execution", call: call, decode: anyObject}, given, &check)
	if !endedMeanwhile(err, "already_ended") {
		return err
	}
	if record, failed := c.ReadExecution(ctx, executionID, 0, given...); failed != nil || record.Status != "cancelled" {
		return err
	}
	return nil
}

// ReplayInput is an execution to run again.
type ReplayInput struct {
	ExecutionID string
	// ReuseSucceeded: one that succeeded is answered from its record, and its node is not contacted (TW-EXE-032).
	ReuseSucceeded bool
	// Key is the Idempotency-Key; minted when it is "".
	Key string
}

// ReplayExecution runs an execution again (seat replay_execution, 30 s), as a new one that names it in ReplayOf.
//
// Faults: unknown_execution, target_not_found, node_unavailable, invalid, idempotency_mismatch.
func (c *Client) ReplayExecution(ctx context.Context, of ReplayInput, given ...CallOption) (*Executed, error) {
	var check checks
	check.segment(of.ExecutionID, "ExecutionID")
	body := map[string]string{}
	if of.ReuseSucceeded {
		body["reuse"] = "succeeded"
	}
	call := operationCall{
		operation: "replayExecution", path: executionPath(of.ExecutionID), header: keyHeader(of.Key, &check), body: check.json(body, "ReuseSucceeded"),
	}
	return executed(ask(ctx, c, question[*Executed]{
		seat: "replay_execution", call: call, fences: Fences{SameKey: true}, decode: decodeExecuted,
	}, given, &check))
}

func executionPath(executionID string) map[string]string {
	return map[string]string{"executionId": executionID}
}

// prefer: an answer at once, or after a while.
func prefer(wait time.Duration) string {
	if wait == 0 {
		return "respond-async"
	}
	return fmt.Sprintf("wait=%d", wait/time.Second)
}

// decodeExecuted: a success without a result is no answer.
func decodeExecuted(answer Answer) (*Executed, bool) {
	made, ok := decodeWith[Executed]("executionId", "status")(answer)
	return made, ok && (made.Status != "succeeded" || made.Result != nil)
}

func executed(asked *answered[*Executed], err error) (*Executed, error) {
	if err != nil {
		return nil, err
	}
	asked.value.Replayed = isReplayed(asked.answer)
	return asked.value, nil
}
