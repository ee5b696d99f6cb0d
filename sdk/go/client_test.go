package turnwire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"turnwire.dev/go"
	"turnwire.dev/go/gen"
)

var admission = map[string]any{"streamUrl": "http://h/s", "offset": "a_0", "submissionId": "s1"}
var receipt = map[string]any{"status": "delivered", "deliveryId": "d", "event": "go", "moved": true, "turnComplete": true, "allowed": []string{}}
var pick = turnwire.DeliverInput{IID: "i", TurnID: "t", Event: "go", Input: map[string]any{}, ClientDeliveryIDs: true}
var prompt = turnwire.AdmitInput{Name: "reviewer", IID: "i", Key: "k", Body: turnwire.AdmitBody{Message: "hello"}}

func clientOf(t *testing.T, url string, options turnwire.Options) *turnwire.Client {
	t.Helper()
	if options.Random == nil {
		options.Random = func() float64 { return 0 }
	}
	client, err := turnwire.New(url, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func faultOf(t *testing.T, err error, code string) *turnwire.Fault {
	t.Helper()
	var fault *turnwire.Fault
	if !errors.As(err, &fault) || fault.Code != code {
		t.Fatalf("%v is no fault %s", err, code)
	}
	return fault
}

func must[Value any](t *testing.T) func(Value, error) Value {
	return func(value Value, err error) Value {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// TW-RET-002: after doubt only under the same key to the same store.
func TestAdmitSendsTheSameBytesAgain(t *testing.T) {
	peer := peerOf(t, func(_ arrived, nth int) *reply {
		if nth == 0 {
			return nil
		}
		return &reply{status: 202, body: admission, header: map[string]string{"Turnwire-Store": "st_1", "Idempotency-Replayed": "true"}}
	})
	input := prompt
	input.ExpectStore, input.IdempotentAdmissions = "st_1", true
	admitted := must[*turnwire.Admitted](t)(clientOf(t, peer.url, turnwire.Options{Token: "secret"}).Admit(context.Background(), input))
	if !admitted.Replayed || admitted.Attempts != 2 || admitted.Store != "st_1" || admitted.Admission.SubmissionID != "s1" {
		t.Error(admitted)
	}
	got := peer.arrived()
	if len(got) != 2 || got[0].body != `{"message":"hello"}` || got[1].body != got[0].body || got[0].connection == got[1].connection {
		t.Error(got)
	}
	for _, each := range got {
		if each.Header.Get("Idempotency-Key") != "k" || each.Header.Get("Turnwire-Expect-Store") != "st_1" {
			t.Error(each.Header)
		}
	}
}

// net/http re-sends what it takes to be idempotent when a kept connection dies: a GET, and anything with an Idempotency-Key. It must
// not: a copy of which nobody knows is a copy that nobody counts (TW-RET-003).
func TestAKeptConnectionThatDiesIsOneAttempt(t *testing.T) {
	peer := peerOf(t, func(_ arrived, nth int) *reply {
		if nth == 0 {
			return &reply{status: 202, body: admission, header: map[string]string{"Turnwire-Store": "st_1"}}
		}
		return nil
	})
	client := clientOf(t, peer.url, turnwire.Options{})
	must[*turnwire.Admitted](t)(client.Admit(context.Background(), prompt))
	_, err := client.Admit(context.Background(), prompt)
	fault := faultOf(t, err, "admission_unknown")
	if got := peer.arrived(); fault.Attempts != 1 || len(got) != 2 || got[1].connection != got[0].connection {
		t.Error(fault, len(got))
	}
	read := peerOf(t, func(_ arrived, nth int) *reply {
		if nth == 0 {
			return ok(map[string]any{"runId": "r", "status": "done"})
		}
		return nil
	})
	reader := clientOf(t, read.url, turnwire.Options{})
	must[*turnwire.RunView](t)(reader.GetRun(context.Background(), "r"))
	_, err = reader.GetRun(context.Background(), "r", turnwire.Window(0))
	if fault := faultOf(t, err, "unreachable"); fault.Attempts != 1 || len(read.arrived()) != 2 {
		t.Error(fault, len(read.arrived()))
	}
}

func TestBeforeSendComesBetweenTheConnectionAndTheFirstByte(t *testing.T) {
	peer := peerOf(t, func(arrived, int) *reply { return &reply{status: 202, body: admission} })
	client := clientOf(t, peer.url, turnwire.Options{})
	var copies []turnwire.Copy
	input := prompt
	input.BeforeSend = func(_ context.Context, copy turnwire.Copy) error {
		settles(t, "the connection", func() bool { accepted, _ := peer.connections(); return accepted == 1 })
		time.Sleep(50 * time.Millisecond)
		if len(peer.arrived()) != len(copies) {
			t.Error("a byte was written before")
		}
		copies = append(copies, copy)
		return nil
	}
	for range 2 {
		must[*turnwire.Admitted](t)(client.Admit(context.Background(), input))
	}
	full := errors.New("the disk is full")
	input.BeforeSend = func(context.Context, turnwire.Copy) error { return full }
	if _, err := client.Admit(context.Background(), input); !errors.Is(err, full) {
		t.Error(err)
	}
	input.BeforeSend = func(context.Context, turnwire.Copy) error { copies = nil; return nil }
	_, err := clientOf(t, refusedURL(t), turnwire.Options{}).Admit(context.Background(), input, turnwire.Window(0))
	faultOf(t, err, "unreachable")
	if len(copies) != 2 || copies[0] != (turnwire.Copy{Attempt: 1}) || len(peer.arrived()) != 2 {
		t.Error(copies, len(peer.arrived()))
	}
}

// TW-RET-021, TW-RET-022.
func TestAFaultNamesSeatAddressErrnoAttemptsAndTime(t *testing.T) {
	url := refusedURL(t)
	var lines []turnwire.RoutabilityLine
	client := clientOf(t, url, turnwire.Options{Token: "secret", Log: func(line turnwire.RoutabilityLine) { lines = append(lines, line) }})
	_, err := client.GetRun(context.Background(), "r", turnwire.Window(600*time.Millisecond))
	fault := faultOf(t, err, "unreachable")
	if fault.Seat != "runs" || fault.Certainty != gen.NeverDelivered || fault.Address != url+"/runs/r" {
		t.Error(fault)
	}
	if text := err.Error(); !strings.Contains(text, "ECONNREFUSED") || !strings.Contains(text, fmt.Sprintf("after %d attempts in", fault.Attempts)) {
		t.Error(text)
	}
	want := fmt.Sprintf("turnwire.routability seat=runs attempts=%d ms=", fault.Attempts)
	if len(lines) != 1 || !strings.HasPrefix(lines[0].Msg, want) || !strings.HasSuffix(lines[0].Msg, "last=ECONNREFUSED url="+url+"/runs/r") {
		t.Error(lines)
	}
	if strings.Contains(fmt.Sprintf("%v %+v %v", fault, *fault, lines), "secret") {
		t.Error("the token is told")
	}
}

// TW-RET-009.
func TestDeliverLooksUpAndSendsAgainUnderItsOwnID(t *testing.T) {
	peer := peerOf(t, func(request arrived, nth int) *reply {
		switch {
		case nth == 0:
			return nil
		case request.Method == "GET":
			return problem(404, "unknown_delivery")
		}
		return ok(receipt)
	})
	delivered := must[*turnwire.Delivered](t)(clientOf(t, peer.url, turnwire.Options{}).Deliver(context.Background(), pick))
	if delivered.Code != "turn_complete" || delivered.Attempts != 2 || !delivered.TurnComplete {
		t.Error(delivered)
	}
	got := peer.arrived()
	if len(got) != 3 || got[0].body != got[2].body || got[1].Method != "GET" {
		t.Error(got)
	}
}

func TestDeliverTellsWhoListensOnceAndPolls(t *testing.T) {
	outstanding := &reply{status: 202, body: map[string]any{"status": "outstanding", "deliveryId": "d", "event": "go"}}
	peer := peerOf(t, func(_ arrived, nth int) *reply {
		if nth < 3 {
			return outstanding
		}
		return ok(receipt)
	})
	var told []string
	input := pick
	input.OnOutstanding = func(_ context.Context, id string) error { told = append(told, id); return nil }
	delivered := must[*turnwire.Delivered](t)(clientOf(t, peer.url, turnwire.Options{}).Deliver(context.Background(), input))
	if delivered.Code != "turn_complete" || !slices.Equal(told, []string{"d"}) {
		t.Error(delivered, told)
	}
	full := errors.New("full")
	input.OnOutstanding = func(context.Context, string) error { return full }
	again := peerOf(t, func(arrived, int) *reply { return outstanding })
	if _, err := clientOf(t, again.url, turnwire.Options{}).Deliver(context.Background(), input); !errors.Is(err, full) {
		t.Error(err)
	}
}

// TW-RET-011.
func TestAnAbortedPickIsLookedUpAndNeverSentAgain(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	peer := peerOf(t, func(request arrived, _ int) *reply {
		if request.Method == "GET" {
			return &reply{status: 202, body: map[string]any{"status": "outstanding", "deliveryId": "d"}}
		}
		cancel()
		return &reply{parked: true}
	})
	delivered := must[*turnwire.Delivered](t)(clientOf(t, peer.url, turnwire.Options{}).Deliver(ctx, pick))
	if got := peer.arrived(); delivered.Code != "taken_turn_ended" || delivered.Kind != "answer" || len(got) != 2 || got[1].Method != "GET" {
		t.Error(delivered, len(got))
	}
}

// TW-RET-014.
func TestWaitYieldsRecordsAndGoesOnWhereItWasLeft(t *testing.T) {
	record := func(kind string) map[string]any {
		return map[string]any{"type": kind, "submissionId": "s", "at": "2026-01-01T00:00:00Z", "outcome": "completed"}
	}
	peer := peerOf(t, func(request arrived, nth int) *reply {
		switch {
		case nth == 0:
			return &reply{status: 200, body: []any{record("submission.queued"), record("submission.started")}, header: map[string]string{"Stream-Next-Offset": "a_2", "Stream-Up-To-Date": "true"}}
		case nth == 1:
			return nil
		case !strings.Contains(request.URL.RawQuery, "offset=a_2") || !strings.Contains(request.URL.RawQuery, "submission=s"):
			return problem(400, "bad_request")
		}
		return &reply{status: 200, body: []any{record("from.the.future"), record("submission.settled")}, header: map[string]string{"Stream-Next-Offset": "a_4", "Stream-Closed": "true"}}
	})
	client := clientOf(t, peer.url, turnwire.Options{})
	wait := must[*turnwire.Wait](t)(client.Wait(context.Background(), turnwire.WaitInput{StreamURL: "/agents/a/i?view=updates&submission=s", Offset: "a_0"}))
	var types []string
	for record, err := range wait.Records() {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, record.Type)
		break
	}
	if wait.Offset() != "a_0" {
		t.Error("the offset is behind a record that was not yielded: ", wait.Offset())
	}
	for record, err := range wait.Records() {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, record.Type)
	}
	settlement := must[*turnwire.Settlement](t)(wait.Settlement())
	if !slices.Equal(types, []string{"submission.queued", "submission.started", "from.the.future", "submission.settled"}) || settlement.Outcome != "completed" || wait.Offset() != "a_4" {
		t.Error(types, settlement, wait.Offset())
	}
	elsewhere := must[*turnwire.Wait](t)(client.Wait(context.Background(), turnwire.WaitInput{StreamURL: "http://127.0.0.1:1/s", Offset: "a_0"}))
	_, err := elsewhere.Settlement()
	faultOf(t, err, "bad_response")
}

// TW-FED-001, TW-FED-005.
func TestAFeedBeginsAgainAfterACutAndEndsWithItsRun(t *testing.T) {
	sse := map[string]string{"Content-Type": "text/event-stream"}
	snapshot := ": hello\r\nevent: snapshot\r\ndata: {\"runs\": [{\"status\": \"active\"}]}\r\n\r\n"
	peer := peerOf(t, func(_ arrived, nth int) *reply {
		if nth == 0 {
			return &reply{status: 200, body: snapshot + "event: half\ndata: {", header: sse}
		}
		return &reply{status: 200, body: snapshot + "event: run.status\ndata: {\"status\":\ndata: \"done\"}\n\n", header: sse}
	})
	var events []string
	for event, err := range clientOf(t, peer.url, turnwire.Options{}).RunEvents(context.Background(), "r") {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, event.Event)
	}
	if !slices.Equal(events, []string{"snapshot", "snapshot", "run.status"}) || len(peer.arrived()) != 2 {
		t.Error(events)
	}
}

func TestACancelThatAnEarlierCopyDidIsSuccess(t *testing.T) {
	peer := peerOf(t, func(request arrived, nth int) *reply {
		switch {
		case nth == 0:
			return nil
		case request.Method == "POST":
			return problem(409, "already_ended")
		}
		return ok(map[string]any{"runId": "r", "status": "cancelled"})
	})
	client := clientOf(t, peer.url, turnwire.Options{})
	if err := client.CancelRun(context.Background(), "r", ""); err != nil || len(peer.arrived()) != 3 {
		t.Error(err, len(peer.arrived()))
	}
	faultOf(t, client.CancelRun(context.Background(), "r", ""), "already_ended")
}

// TW-CER-018.
func TestAWrongArgumentIsNamedAndNothingIsSent(t *testing.T) {
	peer := peerOf(t, func(arrived, int) *reply { return problem(500, "internal_error") })
	client := clientOf(t, peer.url, turnwire.Options{})
	ctx := context.Background()
	admit := func(change func(*turnwire.AdmitInput), options ...turnwire.CallOption) error {
		input := prompt
		change(&input)
		_, err := client.Admit(ctx, input, options...)
		return err
	}
	seconds := 26 * time.Second
	_, poll := client.Poll(ctx, turnwire.PollInput{IID: "i", DeliveryID: "d", Wait: &seconds})
	_, resumed := client.Deliver(ctx, turnwire.DeliverInput{IID: "i", TurnID: "t", Event: "e", Resume: turnwire.ResumePoll})
	_, input := client.StartRun(ctx, turnwire.StartRunInput{Workflow: "w", Input: math.NaN()})
	_, limit := client.ListRuns(ctx, turnwire.RunFilter{Limit: -1})
	for argument, err := range map[string]error{
		"IID":         admit(func(i *turnwire.AdmitInput) { i.IID = ".." }),
		"Key":         admit(func(i *turnwire.AdmitInput) { i.Key = "a b" }),
		"RawBody":     admit(func(i *turnwire.AdmitInput) { i.RawBody = json.RawMessage("{") }),
		"ExpectStore": admit(func(i *turnwire.AdmitInput) { i.ExpectStore = "a\nb" }),
		"Window":      admit(func(*turnwire.AdmitInput) {}, turnwire.Window(-1)),
		"Header":      admit(func(*turnwire.AdmitInput) {}, turnwire.Header("a b", "c")),
		"Wait":        poll, "DeliveryID": resumed, "Input": input, "Limit": limit,
	} {
		var wrong *turnwire.ArgumentError
		if !errors.As(err, &wrong) || wrong.Argument != argument {
			t.Errorf("%s: %v", argument, err)
		}
	}
	for _, url := range []string{"", "ftp://h", "http://", "http://h?x", "http://h#x", "http://u:p@h", "h:1", "http://h:x"} {
		if _, err := turnwire.New(url, turnwire.Options{}); err == nil {
			t.Error(url)
		}
	}
	if accepted, _ := peer.connections(); accepted != 0 {
		t.Error(accepted)
	}
}

func TestSurfaceIsConditionalAndRefusesAsItMeans(t *testing.T) {
	body := map[string]any{"iid": "i", "turnId": "t", "runId": "r", "menu": []any{}, "allowed": []any{"go"}, "capabilities": map[string]any{"clientDeliveryIds": true}}
	replies := []*reply{{status: 200, body: body, header: map[string]string{"ETag": `"1"`}}, {status: 304}, problem(404, "unknown_run"), problem(404, "turn_over")}
	peer := peerOf(t, func(_ arrived, nth int) *reply { return replies[nth] })
	client, ctx := clientOf(t, peer.url, turnwire.Options{}), context.Background()
	read := must[*turnwire.SurfaceRead](t)(client.Surface(ctx, turnwire.SurfaceInput{IID: "i"}))
	if read.Surface.TurnID != "t" || read.ETag != `"1"` || !read.Surface.Capabilities.ClientDeliveryIds {
		t.Error(read)
	}
	if again := must[*turnwire.SurfaceRead](t)(client.Surface(ctx, turnwire.SurfaceInput{IID: "i", ETag: read.ETag, Step: true})); !again.Unchanged {
		t.Error(again)
	}
	for _, code := range []string{"surface_refused", "turn_over"} {
		_, err := client.Surface(ctx, turnwire.SurfaceInput{IID: "i"})
		faultOf(t, err, code)
	}
	if peer.arrived()[1].Header.Get("If-None-Match") != `"1"` {
		t.Error("not conditional")
	}
}

// TW-GEN-012: versions may skew.
func TestABodyThatBreaksItsSchemaWhereNobodyLooksIsRead(t *testing.T) {
	peer := peerOf(t, func(arrived, int) *reply {
		return ok(map[string]any{"role": "harness", "version": 1, "store": "st_1", "software": map[string]any{"version": "0.9"}, "more": http.NoBody})
	})
	info := must[*turnwire.HarnessInfo](t)(clientOf(t, peer.url, turnwire.Options{}).HarnessInfo(context.Background()))
	if info.Store != "st_1" || info.Software.Version != "0.9" {
		t.Error(info)
	}
}
