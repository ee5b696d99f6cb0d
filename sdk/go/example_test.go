package turnwire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"turnwire.dev/go"
	"turnwire.dev/go/gen"
)

// The examples of README.md: each is the body of one of these, as readme_test.go sees to.

func ExampleNew() {
	harness, err := turnwire.New(os.Getenv("TURNWIRE_HARNESS_URL"), turnwire.Options{
		Token: os.Getenv("HARNESS_TOKEN"),
		Log:   func(line turnwire.RoutabilityLine) { log.Print(line.Msg) },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer harness.Close()
	info, err := harness.HarnessInfo(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Store, info.Capabilities.IdempotentAdmissions)
	// Output: st_1 true
}

func ExampleClient_Admit() {
	harness, err := turnwire.New(os.Getenv("TURNWIRE_HARNESS_URL"), turnwire.Options{Token: os.Getenv("HARNESS_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	defer harness.Close()
	admitted, err := harness.Admit(context.Background(), turnwire.AdmitInput{
		Name: "reviewer",
		IID:  "run-1.reviewer",
		Key:  "run-1.reviewer.1",
		Body: turnwire.AdmitBody{
			Message:    "Review this change.",
			Definition: &turnwire.AgentDefinition{Model: "openai/gpt-5", Instructions: "You review code."},
		},
		ExpectStore:          "st_1",
		IdempotentAdmissions: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(admitted.Admission.SubmissionID, admitted.Replayed, admitted.Attempts)
	// Output: s1 false 1
}

func ExampleClient_Wait() {
	harness, err := turnwire.New(os.Getenv("TURNWIRE_HARNESS_URL"), turnwire.Options{Token: os.Getenv("HARNESS_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	defer harness.Close()
	wait, err := harness.Wait(context.Background(), turnwire.WaitInput{StreamURL: os.Getenv("STREAM_URL"), Offset: "-1"})
	if err != nil {
		log.Fatal(err)
	}
	for record, err := range wait.Records() {
		if err != nil {
			log.Fatal(err)
		}
		if record.Type == "tool.answered" {
			fmt.Println(record.Name, record.Outcome)
		}
	}
	settlement, err := wait.Settlement()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(settlement.Outcome, wait.Offset())
	// Output:
	// approve moved
	// completed a_1
}

func ExampleClient_History() {
	harness, err := turnwire.New(os.Getenv("TURNWIRE_HARNESS_URL"), turnwire.Options{Token: os.Getenv("HARNESS_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	defer harness.Close()
	of := turnwire.Conversation{Name: "reviewer", IID: "run-1.reviewer"}
	past, err := harness.History(context.Background(), of)
	if err != nil {
		log.Fatal(err)
	}
	for _, message := range past.Messages {
		fmt.Println(message.Role, len(message.Parts))
	}
	tail, err := harness.StreamTail(context.Background(), of, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tail.Offset, tail.Closed)
	// Output:
	// user 1
	// a_1 true
}

func ExampleClient_Abort() {
	harness, err := turnwire.New(os.Getenv("TURNWIRE_HARNESS_URL"), turnwire.Options{Token: os.Getenv("HARNESS_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	defer harness.Close()
	fence := turnwire.AbortInput{Name: "reviewer", IID: "run-1.reviewer", TurnID: "turn-1", FencedAbort: true}
	ended, err := harness.Abort(context.Background(), fence, turnwire.Window(10*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ended.Aborted, ended.SubmissionIds)
	// Output: true [s1]
}

func ExampleClient_Deliver() {
	custodian, err := turnwire.New(os.Getenv("TURNWIRE_CUSTODIAN_URL"), turnwire.Options{Token: gen.StandIn})
	if err != nil {
		log.Fatal(err)
	}
	defer custodian.Close()
	ctx := context.Background()
	read, err := custodian.Surface(ctx, turnwire.SurfaceInput{IID: "run-1.reviewer"})
	if err != nil {
		log.Fatal(err)
	}
	delivered, err := custodian.Deliver(ctx, turnwire.DeliverInput{
		IID:               "run-1.reviewer",
		TurnID:            read.Surface.TurnID,
		Event:             read.Surface.Allowed[0],
		Input:             map[string]any{},
		ClientDeliveryIDs: read.Surface.Capabilities.ClientDeliveryIds,
		OnOutstanding: func(_ context.Context, deliveryID string) error {
			fmt.Println("waiting for", deliveryID)
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(delivered.Code, delivered.Kind == "error", delivered.TurnComplete)
	fmt.Println(delivered.Text)
	if again, err := custodian.Surface(ctx, turnwire.SurfaceInput{IID: "run-1.reviewer", ETag: read.ETag, Step: true}); err == nil {
		fmt.Println(again.Unchanged)
	}
	// Output:
	// turn_complete false true
	// The workflow took the pick `approve`. The turn is over: there is nothing more to call.
	// false
}

func ExampleClient_Poll() {
	custodian, err := turnwire.New(os.Getenv("TURNWIRE_CUSTODIAN_URL"), turnwire.Options{Token: gen.StandIn})
	if err != nil {
		log.Fatal(err)
	}
	defer custodian.Close()
	wait := 5 * time.Second
	polled, err := custodian.Poll(context.Background(), turnwire.PollInput{IID: "run-1.reviewer", DeliveryID: "delivery-1", Wait: &wait})
	if err != nil {
		log.Fatal(err)
	}
	if polled.Receipt != nil {
		fmt.Println(*polled.Receipt.Moved)
	}
	// Output: true
}

func ExampleClient_StartRun() {
	orchestrator, err := turnwire.New(os.Getenv("TURNWIRE_URL"), turnwire.Options{Token: os.Getenv("TURNWIRE_INSTANCE_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	defer orchestrator.Close()
	ctx := context.Background()
	if info, err := orchestrator.OrchestratorInfo(ctx); err == nil {
		fmt.Println(info.Software.Version)
	}
	if workflows, err := orchestrator.ListWorkflows(ctx); err == nil {
		fmt.Println(workflows.Items[0].Name, workflows.Items[0].Status)
	}
	started, err := orchestrator.StartRun(ctx, turnwire.StartRunInput{Workflow: "review", Input: map[string]string{"title": "A change"}})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range orchestrator.RunEvents(ctx, started.RunID) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Event, string(event.Data["status"]))
	}
	run, err := orchestrator.GetRun(ctx, started.RunID)
	if err != nil {
		log.Fatal(err)
	}
	page, err := orchestrator.ListRuns(ctx, turnwire.RunFilter{Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Status, len(page.Items))
	// Output:
	// 1.0.0
	// review ready
	// run.status "done"
	// done 1
}

func ExampleClient_AnswerGate() {
	orchestrator, err := turnwire.New(os.Getenv("TURNWIRE_URL"), turnwire.Options{Token: os.Getenv("TURNWIRE_INSTANCE_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	defer orchestrator.Close()
	ctx := context.Background()
	workflow, err := orchestrator.GetWorkflow(ctx, "review")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(workflow.InputSchema))
	_, err = orchestrator.AnswerGate(ctx, turnwire.GateInput{RunID: "run-1", Gate: "merge_decision", Event: "merge", Input: map[string]any{}})
	var fault *turnwire.Fault
	if errors.As(err, &fault) && fault.Code == "gate_closed" {
		var open []turnwire.GateView
		_ = fault.Problem.Decode("openGates", &open)
		fmt.Println(len(open))
	}
	if err := orchestrator.CancelRun(ctx, "run-1", "not needed any more"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {}
	// 0
}

func ExampleClient_Execute() {
	orchestrator, err := turnwire.New(os.Getenv("TURNWIRE_URL"), turnwire.Options{Token: os.Getenv("TURNWIRE_INSTANCE_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	defer orchestrator.Close()
	ctx := context.Background()
	nodes, err := orchestrator.ListNodes(ctx)
	if err != nil {
		log.Fatal(err)
	}
	node, err := orchestrator.ReadNode(ctx, nodes.Items[0].NodeID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(node.NodeID, node.Health, node.Agents[0].Name)
	call, err := orchestrator.Execute(ctx, turnwire.ExecuteInput{Target: "laptop.reviewer", Input: "Review src/retry.ts.", UsageContext: "dev"})
	if err != nil {
		log.Fatal(err)
	}
	record, err := orchestrator.ReadExecution(ctx, call.ExecutionID, 25*time.Second)
	for err == nil && record.EndedAt == "" {
		record, err = orchestrator.ReadExecution(ctx, call.ExecutionID, 25*time.Second)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(record.Status, string(record.Result))
	failed, err := orchestrator.ListExecutions(ctx, turnwire.ExecutionFilter{Node: "laptop", Status: "failed"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(failed.Items))
	// Output:
	// laptop active reviewer
	// succeeded {"verdict":"fine"}
	// 1
}

func ExampleClient_RegisterNode() {
	custodian, err := turnwire.New(os.Getenv("TURNWIRE_CUSTODIAN_URL"), turnwire.Options{Token: gen.StandIn})
	if err != nil {
		log.Fatal(err)
	}
	defer custodian.Close()
	registered, err := custodian.RegisterNode(context.Background(), "laptop", turnwire.NodeRegistration{
		InstanceID: "i-1",
		BaseURL:    "http://127.0.0.1:8080",
		Deployment: gen.NodeDeploymentResident,
		Agents:     []turnwire.NodeAgent{{Name: "reviewer", Output: json.RawMessage(`{"type": "object"}`)}},
	})
	if err != nil {
		log.Fatal(err)
	}
	every := time.Duration(registered.HeartbeatSeconds) * time.Second
	if err := custodian.Heartbeat(context.Background(), "laptop", "i-1", gen.NodeLifecycleReady, turnwire.Window(every)); err != nil {
		log.Fatal(err)
	}
	fmt.Println("again in", every)
	// Output: again in 10s
}

func ExampleClient_ReplayExecution() {
	orchestrator, err := turnwire.New(os.Getenv("TURNWIRE_URL"), turnwire.Options{Token: os.Getenv("TURNWIRE_INSTANCE_TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	defer orchestrator.Close()
	ctx := context.Background()
	again, err := orchestrator.ReplayExecution(ctx, turnwire.ReplayInput{ExecutionID: "exec-1"})
	if err != nil {
		log.Fatal(err)
	}
	if err := orchestrator.CancelExecution(ctx, again.ExecutionID, "not needed any more"); err != nil {
		log.Fatal(err)
	}
	if err := orchestrator.RemoveNode(ctx, "laptop"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.ReplayOf, again.Status)
	// Output: exec-1 running
}

func ExampleClient_Metrics() {
	orchestrator, err := turnwire.New(os.Getenv("TURNWIRE_URL"), turnwire.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer orchestrator.Close()
	ctx := context.Background()
	if err := errors.Join(orchestrator.Health(ctx), orchestrator.Readiness(ctx)); err != nil {
		log.Fatal(err)
	}
	metrics, err := orchestrator.Metrics(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.HasPrefix(metrics, "# HELP"))
	// Output: true
}

func ExampleClassify() {
	_, err := http.Get("http://127.0.0.1:1/")
	fmt.Println(turnwire.Classify(turnwire.Attempted{Err: err}).Certainty)
	ingress := turnwire.Answer{Status: http.StatusServiceUnavailable, Body: []byte("no endpoints")}
	fmt.Println(turnwire.Classify(turnwire.Attempted{Response: &ingress}).Certainty)
	// Output:
	// never_delivered
	// unknown
}
