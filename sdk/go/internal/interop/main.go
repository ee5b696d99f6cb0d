// Command interop is the caller of the interop test (sdk/interop): it starts a run, follows its feed, answers the gate, and prints how
// the run ended.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"turnwire.dev/go"
	"turnwire.dev/go/gen"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := call(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// say is one line on standard output; the test reads them.
func say(event string, more map[string]any) {
	more["event"] = event
	_ = json.NewEncoder(os.Stdout).Encode(more)
}

func call(ctx context.Context) error {
	orchestrator, err := turnwire.New(os.Getenv("TURNWIRE_URL"), turnwire.Options{
		Token: os.Getenv("TURNWIRE_INSTANCE_TOKEN"),
		Log:   func(line turnwire.RoutabilityLine) { say("routability", map[string]any{"msg": line.Msg}) },
	})
	if err != nil {
		return err
	}
	defer orchestrator.Close()
	diff, err := os.ReadFile(os.Getenv("INTEROP_DIFF"))
	if err != nil {
		return err
	}
	started, err := orchestrator.StartRun(ctx, turnwire.StartRunInput{
		Workflow: "review", Input: map[string]string{"title": "Three languages", "diff": string(diff)}, Key: "interop-1",
	})
	if err != nil {
		return err
	}
	say("started", map[string]any{"runId": started.RunID})
	if err := untilGate(ctx, orchestrator, started.RunID); err != nil {
		return err
	}
	answered, err := orchestrator.AnswerGate(ctx, turnwire.GateInput{RunID: started.RunID, Gate: "merge_decision", Event: "merge", Input: map[string]any{}})
	if err != nil {
		return err
	}
	say("answered", map[string]any{"moved": answered.Moved})
	// The feed of a run ends with it.
	for _, err := range orchestrator.RunEvents(ctx, started.RunID) {
		if err != nil {
			return err
		}
	}
	run, err := orchestrator.GetRun(ctx, started.RunID)
	if err != nil {
		return err
	}
	say("ended", map[string]any{"status": run.Status, "context": run.Context, "executions": len(run.Executions)})
	return nil
}

// untilGate follows the feed, through the Orchestrator's death, until the run waits for a decision.
func untilGate(ctx context.Context, orchestrator *turnwire.Client, runID string) error {
	for event, err := range orchestrator.RunEvents(ctx, runID) {
		if err != nil {
			return err
		}
		say("frame", map[string]any{"name": event.Event})
		var snapshot gen.FeedSnapshot
		if event.Event == "snapshot" && event.Decode(&snapshot) == nil && len(snapshot.Runs) > 0 && len(snapshot.Runs[0].Gates) > 0 {
			return nil
		}
		if event.Event == "gate.opened" {
			return nil
		}
	}
	return fmt.Errorf("the run ended before its gate")
}
