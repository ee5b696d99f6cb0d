package turnwire_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"turnwire.dev/go/gen"
)

// TestMain serves what the examples ask.
func TestMain(m *testing.M) {
	stub := httptest.NewServer(http.HandlerFunc(answerExample))
	for _, name := range []string{"TURNWIRE_URL", "TURNWIRE_HARNESS_URL", "TURNWIRE_CUSTODIAN_URL"} {
		_ = os.Setenv(name, stub.URL)
	}
	_ = os.Setenv("STREAM_URL", stub.URL+"/stream")
	_ = os.Setenv("HARNESS_TOKEN", "t")
	_ = os.Setenv("TURNWIRE_INSTANCE_TOKEN", "t")
	code := m.Run()
	stub.Close()
	os.Exit(code)
}

const (
	stubRun     = `{"runId":"run-1","workflow":"review","status":"done","value":"merged","context":{},"executions":[],"gates":[],"startedAt":"2026-01-01T00:00:00Z"}`
	stubReceipt = `{"status":"delivered","deliveryId":"delivery-1","event":"approve","moved":true,"turnComplete":true,"allowed":[]}`
	stubInfo    = `{"role":"harness","version":"1","software":{"name":"stub","version":"1.0.0"},"store":"st_1","capabilities":{"idempotentAdmissions":true}}`
	stubSurface = `{"iid":"run-1.reviewer","turnId":"turn-1","runId":"run-1","menu":[],"allowed":["approve"],"capabilities":{"clientDeliveryIds":true}}`
	stubNode    = `{"nodeId":"laptop","health":"active","lifecycle":"ready","instanceId":"i-1","baseUrl":"http://h","agents":[{"name":"reviewer"}]}`
	stubRecord  = `{"executionId":"exec-1","agent":"reviewer","status":"succeeded","result":{"verdict":"fine"},"endedAt":"2026-01-01T00:00:00Z"}`
	stubStream  = `[{"type":"tool.answered","submissionId":"s1","at":"2026-01-01T00:00:00Z","name":"approve","outcome":"moved","ms":3},{"type":"submission.settled","submissionId":"s1","at":"2026-01-01T00:00:00Z","outcome":"completed"}]`
	stubHistory = `{"conversationId":"c","incarnation":"a","offset":"a_1","messages":[{"id":"m","role":"user","parts":[{"type":"text","text":"hello"}]}],"submissions":[]}`
)

var stubbed = map[string]string{
	"GET /.well-known/turnwire":                         stubInfo,
	"POST /agents/reviewer/run-1.reviewer":              `{"streamUrl":"http://h/s","offset":"a_0","submissionId":"s1"}`,
	"GET /stream":                                       stubStream,
	"GET /agents/reviewer/run-1.reviewer":               stubHistory,
	"HEAD /agents/reviewer/run-1.reviewer":              "",
	"POST /agents/reviewer/run-1.reviewer/abort":        `{"aborted":true,"submissionIds":["s1"]}`,
	"GET /agents/run-1.reviewer/surface":                stubSurface,
	"POST /agents/run-1.reviewer/events":                stubReceipt,
	"GET /agents/run-1.reviewer/deliveries/delivery-1":  stubReceipt,
	"GET /workflows":                                    `{"items":[{"name":"review","status":"ready"}]}`,
	"GET /workflows/review":                             `{"name":"review","status":"ready","inputSchema":{}}`,
	"POST /workflows/review/runs":                       `{"runId":"run-1"}`,
	"GET /runs/run-1/events":                            "event: run.status\ndata: {\"status\": \"done\"}\n\n",
	"GET /runs/run-1":                                   stubRun,
	"GET /runs":                                         `{"items":[` + stubRun + `]}`,
	"POST /runs/run-1/cancel":                           `{"ok":true}`,
	"PUT /nodes/laptop":                                 `{"heartbeatSeconds":10,"leaseSeconds":30}`,
	"POST /nodes/laptop/heartbeat":                      `{"ok":true}`,
	"DELETE /nodes/laptop":                              "",
	"GET /nodes":                                        `{"items":[` + stubNode + `]}`,
	"GET /nodes/laptop":                                 stubNode,
	"POST /executions":                                  `{"executionId":"exec-1","status":"running"}`,
	"GET /executions/exec-1":                            stubRecord,
	"GET /executions":                                   `{"items":[` + stubRecord + `]}`,
	"POST /executions/exec-1/replay":                    `{"executionId":"exec-2","status":"running","replayOf":"exec-1"}`,
	"POST /executions/exec-2/cancel":                    `{"ok":true}`,
	"GET /healthz":                                      "",
	"GET /readyz":                                       "",
	"GET /metrics":                                      "# HELP x\n",
	"POST /runs/run-1/gates/merge_decision/events, 404": `{"code":"gate_closed","status":404,"openGates":[]}`,
}

func answerExample(w http.ResponseWriter, r *http.Request) {
	key := r.Method + " " + r.URL.Path
	header := w.Header()
	header.Set(gen.HeaderVersion, gen.Version)
	header.Set(gen.HeaderStreamNextOffset, "a_1")
	header.Set(gen.HeaderStreamClosed, "true")
	header.Set("Content-Type", "application/json")
	if strings.HasSuffix(key, "run-1/events") {
		header.Set("Content-Type", "text/event-stream")
	}
	if body, known := stubbed[key]; known {
		_, _ = w.Write([]byte(body))
		return
	}
	body, known := stubbed[key+", 404"]
	if known {
		header.Set(gen.HeaderCode, "gate_closed")
	}
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(body))
}

var (
	blocks   = regexp.MustCompile("(?s)```go\n(.*?)```")
	examples = regexp.MustCompile(`(?ms)^func (Example\w+)\(\) \{\n(.*?)^\}`)
	output   = regexp.MustCompile(`(?s)\t// Output:.*`)
)

// Every example of the README is the body of an Example, which go test runs, and there is one for every seat.
func TestREADME(t *testing.T) {
	readme, source := read(t, "README.md"), read(t, "example_test.go")
	run := map[string]bool{}
	for _, each := range examples.FindAllStringSubmatch(source, -1) {
		body := output.ReplaceAllString(each[2], "")
		run[strings.TrimSpace(regexp.MustCompile(`(?m)^\t`).ReplaceAllString(body, ""))] = true
	}
	all := ""
	for _, block := range blocks.FindAllStringSubmatch(readme, -1) {
		if !run[strings.TrimSpace(block[1])] {
			t.Errorf("no Example is\n%s", block[1])
		}
		all += block[1]
	}
	for _, seat := range []string{
		"Admit", "Wait", "History", "StreamTail", "Abort", "Surface", "Deliver", "Poll", "ListWorkflows", "GetWorkflow", "StartRun", "ListRuns",
		"GetRun", "AnswerGate", "CancelRun", "RunEvents", "HarnessInfo", "OrchestratorInfo", "Health", "Readiness", "Metrics", "RegisterNode",
		"Heartbeat", "ListNodes", "ReadNode", "RemoveNode", "Execute", "ReadExecution", "ListExecutions", "CancelExecution", "ReplayExecution", "Classify",
	} {
		if !strings.Contains(all, "."+seat+"(") {
			t.Error("no example of ", seat)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
