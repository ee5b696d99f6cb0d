package turnwire

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
)

// ListWorkflows lists the workflows that the Orchestrator loaded, refused ones with their findings (seat workflows, 30 s;
// TW-RUN-007). Faults: the code of a final answer, unreachable, aborted; so of everything in this file.
func (c *Client) ListWorkflows(ctx context.Context, given ...CallOption) (*Page[WorkflowView], error) {
	call := operationCall{operation: "listWorkflows"}
	return valueOf(ask(ctx, c, question[*Page[WorkflowView]]{seat: "workflows", call: call, decode: pageOf[WorkflowView]}, given, &checks{}))
}

// GetWorkflow shows one workflow (seat workflows, 30 s). Fault unknown_workflow.
func (c *Client) GetWorkflow(ctx context.Context, name string, given ...CallOption) (*WorkflowView, error) {
	var check checks
	check.segment(name, "name")
	call := operationCall{operation: "getWorkflow", path: map[string]string{"name": name}}
	decode := decodeWith[WorkflowView]("name")
	return valueOf(ask(ctx, c, question[*WorkflowView]{seat: "workflows", call: call, decode: decode}, given, &check))
}

// StartRunInput is a run to start.
type StartRunInput struct {
	Workflow string
	// Input is any value that JSON can write.
	Input any
	// Key is the Idempotency-Key; minted when it is "", so that it can be sent again (TW-RET-016). Keep it to repeat the call later.
	Key string
}

// Started is a run that was started.
type Started struct {
	RunID string
	// Replayed: the key was known, and an earlier copy started it.
	Replayed bool
}

// StartRun starts a run (seat start_run, 30 s); when it returns the run is committed (TW-RUN-001).
//
// Faults: unknown_workflow; invalid with Problem "problems"; workflow_refused with Problem "findings"; idempotency_mismatch.
func (c *Client) StartRun(ctx context.Context, of StartRunInput, given ...CallOption) (*Started, error) {
	var check checks
	check.segment(of.Workflow, "Workflow").given(of.Input, "Input")
	asked, err := ask(ctx, c, question[string]{
		seat: "start_run",
		call: operationCall{
			operation: "startRun", path: map[string]string{"name": of.Workflow}, header: keyHeader(of.Key, &check),
			body: check.json(map[string]any{"input": of.Input}, "Input"),
		},
		fences: Fences{SameKey: true},
		decode: func(answer Answer) (string, bool) { return textMember(objectOf(answer), "runId") },
	}, given, &check)
	if err != nil {
		return nil, err
	}
	return &Started{asked.value, isReplayed(asked.answer)}, nil
}

// RunFilter is what a list of runs is narrowed to; what is empty does not narrow it.
type RunFilter struct {
	Workflow, Status string
	// Limit is a number of runs, Cursor a page's NextCursor.
	Limit  int
	Cursor string
}

// ListRuns lists runs, newest first (seat runs, 30 s).
func (c *Client) ListRuns(ctx context.Context, filter RunFilter, given ...CallOption) (*Page[RunView], error) {
	var check checks
	query := map[string]string{"workflow": filter.Workflow, "status": filter.Status, "cursor": filter.Cursor}
	query["limit"] = limitOf(filter.Limit, &check)
	call := operationCall{operation: "listRuns", query: query}
	return valueOf(ask(ctx, c, question[*Page[RunView]]{seat: "runs", call: call, decode: pageOf[RunView]}, given, &check))
}

// GetRun shows one run, committed state only (seat runs, 30 s; TW-RUN-006). Fault unknown_run.
func (c *Client) GetRun(ctx context.Context, runID string, given ...CallOption) (*RunView, error) {
	var check checks
	check.segment(runID, "runID")
	call := operationCall{operation: "getRun", path: map[string]string{"runId": runID}}
	decode := decodeWith[RunView]("runId", "status")
	return valueOf(ask(ctx, c, question[*RunView]{seat: "runs", call: call, decode: decode}, given, &check))
}

// GateInput is an outside decision.
type GateInput struct {
	RunID string
	// Gate is its name, or the id of this visit, so that a stale answer never lands in the next one (TW-GAT-006).
	Gate, Event string
	// Input is any value that JSON can write.
	Input any
	// Key is the Idempotency-Key; minted when it is "".
	Key string
}

// GateAnswered is an outside decision that was taken.
type GateAnswered struct {
	// Moved: a transition was taken.
	Moved bool
	// Replayed: the key was known, and an earlier copy was answered.
	Replayed bool
}

// AnswerGate answers a gate (seat gate_event, 30 s); when it returns the answer is committed (TW-GAT-008).
//
// Faults: gate_closed with Problem "openGates"; refused with Problem "problems" and "accepts"; unknown_run; run_unavailable.
func (c *Client) AnswerGate(ctx context.Context, of GateInput, given ...CallOption) (*GateAnswered, error) {
	var check checks
	check.segment(of.RunID, "RunID").segment(of.Gate, "Gate").text(of.Event, "Event").given(of.Input, "Input")
	asked, err := ask(ctx, c, question[bool]{
		seat: "gate_event",
		call: operationCall{
			operation: "answerGate", path: map[string]string{"runId": of.RunID, "gate": of.Gate}, header: keyHeader(of.Key, &check),
			body: check.json(map[string]any{"event": of.Event, "input": of.Input}, "Input"),
		},
		fences: Fences{SameKey: true},
		decode: func(answer Answer) (bool, bool) {
			moved := memberOf[bool](objectOf(answer), "moved")
			return moved != nil && *moved, moved != nil
		},
	}, given, &check)
	if err != nil {
		return nil, err
	}
	return &GateAnswered{asked.value, isReplayed(asked.answer)}, nil
}

// CancelRun cancels a run (seat cancel_run, 30 s). When an earlier copy of this call did it, that is success too. reason may be "".
//
// Faults: already_ended, unknown_run.
func (c *Client) CancelRun(ctx context.Context, runID, reason string, given ...CallOption) error {
	var check checks
	check.segment(runID, "runID")
	call := operationCall{operation: "cancelRun", path: map[string]string{"runId": runID}, body: check.json(reasonBody(reason), "reason")}
	_, err := ask(ctx, c, question[map[string]json.RawMessage]{seat: "cancel_run", call: call, decode: anyObject}, given, &check)
	if !endedMeanwhile(err, "already_ended") {
		return err
	}
	if run, failed := c.GetRun(ctx, runID, given...); failed != nil || run.Status != "cancelled" {
		return err
	}
	return nil
}

// valueOf leaves the cost of an answer behind.
func valueOf[Value any](asked *answered[Value], err error) (value Value, _ error) {
	if err != nil {
		return value, err
	}
	return asked.value, nil
}

func limitOf(limit int, check *checks) string {
	if check.need(limit >= 0, "Limit", "a number, not below 0"); limit == 0 {
		return ""
	}
	return strconv.Itoa(limit)
}

func reasonBody(reason string) map[string]string {
	if reason == "" {
		return map[string]string{}
	}
	return map[string]string{"reason": reason}
}

func anyObject(answer Answer) (map[string]json.RawMessage, bool) {
	object := objectOf(answer)
	return object, object != nil
}

// endedMeanwhile: a second copy was told that it is done already: by the first one, perhaps.
func endedMeanwhile(err error, code string) bool {
	var fault *Fault
	return errors.As(err, &fault) && fault.Code == code && fault.Attempts > 1
}
