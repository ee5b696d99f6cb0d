package turnwire_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"turnwire.dev/go"
	"turnwire.dev/go/gen"
)

// clients counts the goroutines that stand somewhere in the SDK or in net/http's client.
func clientGoroutines() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	count := 0
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(stack, "net/http.(*persistConn)") || strings.Contains(stack, "turnwire.(*") || strings.Contains(stack, "dialConnFor") {
			count++
		}
	}
	return count
}

// Nothing of a client is left after Close: no goroutine, no socket.
func leavesNothing(t *testing.T, client *turnwire.Client, peer *peer) {
	t.Helper()
	client.Close()
	settles(t, "the end of every goroutine", func() bool { return clientGoroutines() == 0 })
	if peer != nil {
		settles(t, "the end of every socket", func() bool { _, open := peer.connections(); return open == 0 })
	}
}

func TestACallThatIsGivenUpLeavesNothing(t *testing.T) {
	for _, how := range []string{"cancel", "deadline", "close", "timeout"} {
		t.Run(how, func(t *testing.T) {
			peer := peerOf(t, func(arrived, int) *reply { return &reply{parked: true} })
			client := clientOf(t, peer.url, turnwire.Options{})
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			options, code := []turnwire.CallOption{turnwire.Window(0)}, "aborted"
			switch how {
			case "deadline":
				ctx, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
				defer cancel()
			case "timeout":
				options, code = append(options, turnwire.AttemptTime(100*time.Millisecond)), "unreachable"
			}
			failed := make(chan error)
			go func() { _, err := client.GetRun(ctx, "r", options...); failed <- err }()
			settles(t, "the request", func() bool { return len(peer.arrived()) == 1 })
			switch how {
			case "cancel":
				cancel()
			case "close":
				client.Close()
			}
			if fault := faultOf(t, <-failed, code); fault.Certainty != gen.Unknown {
				t.Error(fault)
			}
			leavesNothing(t, client, peer)
		})
	}
}

// slow sleeps until it is told not to.
type slow struct{}

func (slow) Now() time.Time                             { return time.Now() }
func (slow) Sleep(ctx context.Context, _ time.Duration) { <-ctx.Done() }

func TestALadderThatIsGivenUpLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	client := clientOf(t, refusedURL(t), turnwire.Options{OnRetry: func(turnwire.Retry) { cancel() }, Clock: slow{}})
	_, err := client.GetRun(ctx, "r")
	faultOf(t, err, "aborted")
	leavesNothing(t, client, nil)
}

func TestADialThatIsGivenUpLeavesNothing(t *testing.T) {
	// An address of TEST-NET-1: nobody answers, or the machine says at once that there is no way.
	client := clientOf(t, "http://192.0.2.1:9", turnwire.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := client.GetRun(ctx, "r", turnwire.Window(time.Minute))
	faultOf(t, err, "aborted")
	leavesNothing(t, client, nil)
}

func TestAReaderThatLeavesLeavesNothing(t *testing.T) {
	header := map[string]string{"Content-Type": "text/event-stream", "Content-Length": "100000"}
	peer := peerOf(t, func(arrived, int) *reply {
		return &reply{status: 200, body: "event: snapshot\ndata: {\"runs\": []}\n\n", header: header}
	})
	client := clientOf(t, peer.url, turnwire.Options{})
	for event, err := range client.RunEvents(context.Background(), "") {
		if err != nil || event.Event != "snapshot" {
			t.Fatal(event, err)
		}
		break
	}
	leavesNothing(t, client, peer)
}

// TW-RET-028: after 4 s, with nothing else asked meanwhile.
func TestIdleSocketsAreDroppedAndOneIsUsedAgain(t *testing.T) {
	peer := peerOf(t, func(arrived, int) *reply { return ok(map[string]any{"runId": "r", "status": "done"}) })
	client := clientOf(t, peer.url, turnwire.Options{})
	for range 3 {
		must[*turnwire.RunView](t)(client.GetRun(context.Background(), "r"))
	}
	if accepted, _ := peer.connections(); accepted != 1 {
		t.Error(accepted)
	}
	began := time.Now()
	settles(t, "the end of the idle socket", func() bool { _, open := peer.connections(); return open == 0 })
	if took := time.Since(began); took < 3500*time.Millisecond {
		t.Error(took)
	}
}

func TestAClientThatIsClosedRefuses(t *testing.T) {
	client := clientOf(t, refusedURL(t), turnwire.Options{})
	client.Close()
	err := client.Health(context.Background())
	if faultOf(t, err, "aborted"); !strings.Contains(err.Error(), "the client was closed") {
		t.Error(err)
	}
}
