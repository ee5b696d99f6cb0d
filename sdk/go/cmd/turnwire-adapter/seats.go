package main

import (
	"context"
	"encoding/json"
	"time"

	"turnwire.dev/go"
)

// seat calls one as its user would; attempts is 0 where the SDK does not say.
type seat func(context.Context, *turnwire.Client, json.RawMessage, []turnwire.CallOption) (value any, attempts int, err error)

// asked reads the input of a command, by the names of the protocol: encoding/json compares them without case.
func asked[Input any](call func(context.Context, *turnwire.Client, Input, []turnwire.CallOption) (any, int, error)) seat {
	return func(ctx context.Context, c *turnwire.Client, text json.RawMessage, options []turnwire.CallOption) (any, int, error) {
		var input Input
		if err := json.Unmarshal(text, &input); err != nil {
			return nil, 0, err
		}
		return call(ctx, c, input, options)
	}
}

type options = []turnwire.CallOption

// named are the ids of what a seat is about.
type named struct{ Name, IID, RunID, Reason string }

type gate struct {
	turnwire.GateInput
	Input json.RawMessage
}

type run struct {
	turnwire.StartRunInput
	Input json.RawMessage
}

type pick struct {
	turnwire.DeliverInput
	Input         json.RawMessage
	OnOutstanding any
}

type admission struct {
	turnwire.AdmitInput
	Body       json.RawMessage
	BeforeSend any
}

type polled struct {
	turnwire.PollInput
	WaitSeconds *int
}

var seats = map[string]seat{
	"admit": asked(func(ctx context.Context, c *turnwire.Client, of admission, o options) (any, int, error) {
		of.AdmitInput.RawBody = of.Body
		made, err := c.Admit(ctx, of.AdmitInput, o...)
		if err != nil {
			return nil, 0, err
		}
		return result{"admission": made.Admission, "store": made.Store, "replayed": made.Replayed}, made.Attempts, nil
	}),
	"wait": asked(func(ctx context.Context, c *turnwire.Client, of turnwire.WaitInput, o options) (any, int, error) {
		wait, err := c.Wait(ctx, of, o...)
		if err != nil {
			return nil, 0, err
		}
		records := []json.RawMessage{}
		for record, err := range wait.Records() {
			if err != nil {
				return nil, 0, err
			}
			records = append(records, record.Raw)
		}
		settlement, err := wait.Settlement()
		return result{"settlement": settlement, "records": records, "offset": wait.Offset()}, 0, err
	}),
	"history": asked(func(ctx context.Context, c *turnwire.Client, of turnwire.Conversation, o options) (any, int, error) {
		made, err := c.History(ctx, of, o...)
		return made, 0, err
	}),
	"abort": asked(func(ctx context.Context, c *turnwire.Client, of turnwire.AbortInput, o options) (any, int, error) {
		made, err := c.Abort(ctx, of, o...)
		return made, 0, err
	}),
	"surface": asked(func(ctx context.Context, c *turnwire.Client, of turnwire.SurfaceInput, o options) (any, int, error) {
		made, err := c.Surface(ctx, of, o...)
		if err != nil {
			return nil, 0, err
		}
		if made.Unchanged {
			return result{"status": "unchanged"}, made.Attempts, nil
		}
		return result{"status": "ok", "surface": made.Surface, "etag": made.ETag}, made.Attempts, nil
	}),
	"deliver": asked(func(ctx context.Context, c *turnwire.Client, of pick, o options) (any, int, error) {
		of.DeliverInput.Input = of.Input
		made, err := c.Deliver(ctx, of.DeliverInput, o...)
		return made, 0, err
	}),
	"poll": asked(func(ctx context.Context, c *turnwire.Client, of polled, o options) (any, int, error) {
		if of.WaitSeconds != nil {
			wait := time.Duration(*of.WaitSeconds) * time.Second
			of.Wait = &wait
		}
		made, err := c.Poll(ctx, of.PollInput, o...)
		if err != nil {
			return nil, 0, err
		}
		if made.Receipt != nil {
			return result{"status": "delivered", "receipt": made.Receipt}, 0, nil
		}
		return made.Outstanding, 0, nil
	}),
	"startRun": asked(func(ctx context.Context, c *turnwire.Client, of run, o options) (any, int, error) {
		of.StartRunInput.Input = of.Input
		made, err := c.StartRun(ctx, of.StartRunInput, o...)
		if err != nil {
			return nil, 0, err
		}
		return result{"runId": made.RunID, "replayed": made.Replayed}, 0, nil
	}),
	"answerGate": asked(func(ctx context.Context, c *turnwire.Client, of gate, o options) (any, int, error) {
		of.GateInput.Input = of.Input
		made, err := c.AnswerGate(ctx, of.GateInput, o...)
		if err != nil {
			return nil, 0, err
		}
		return result{"ok": true, "moved": made.Moved, "replayed": made.Replayed}, 0, nil
	}),
	"cancelRun": asked(func(ctx context.Context, c *turnwire.Client, of named, o options) (any, int, error) {
		return nil, 0, c.CancelRun(ctx, of.RunID, of.Reason, o...)
	}),
	"getRun": asked(func(ctx context.Context, c *turnwire.Client, of named, o options) (any, int, error) {
		made, err := c.GetRun(ctx, of.RunID, o...)
		return made, 0, err
	}),
	"listRuns": asked(func(ctx context.Context, c *turnwire.Client, _ struct{}, o options) (any, int, error) {
		made, err := c.ListRuns(ctx, turnwire.RunFilter{}, o...)
		return made, 0, err
	}),
	"listWorkflows": asked(func(ctx context.Context, c *turnwire.Client, _ struct{}, o options) (any, int, error) {
		made, err := c.ListWorkflows(ctx, o...)
		return made, 0, err
	}),
	"harnessInfo": asked(func(ctx context.Context, c *turnwire.Client, _ struct{}, o options) (any, int, error) {
		made, err := c.HarnessInfo(ctx, o...)
		return made, 0, err
	}),
	"orchestratorInfo": asked(func(ctx context.Context, c *turnwire.Client, _ struct{}, o options) (any, int, error) {
		made, err := c.OrchestratorInfo(ctx, o...)
		return made, 0, err
	}),
}
