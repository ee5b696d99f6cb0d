package turnwire_test

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"testing"

	"turnwire.dev/go/gen"
	"turnwire.dev/go/internal/vectors"
)

type vector struct {
	ID       string
	Input    json.RawMessage
	Expected map[string]any
}

// hold answers every vector of a file and compares what is expected.
func hold[Input any](t *testing.T, file string, answer func(Input) (map[string]any, error), compare func(t *testing.T, said, expected map[string]any)) {
	t.Helper()
	text, err := os.ReadFile("../../spec/vectors/" + file + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var read struct{ Vectors []vector }
	if err := json.Unmarshal(text, &read); err != nil || len(read.Vectors) == 0 {
		t.Fatal(file, err)
	}
	for _, each := range read.Vectors {
		t.Run(file+"/"+each.ID, func(t *testing.T) {
			var input Input
			if err := json.Unmarshal(each.Input, &input); err != nil {
				t.Fatal(err)
			}
			said, err := answer(input)
			if err != nil {
				t.Fatal(err)
			}
			// As JSON has it: a named string is a string.
			compare(t, plain(t, said), each.Expected)
		})
	}
}

func plain(t *testing.T, said map[string]any) (made map[string]any) {
	t.Helper()
	text, err := json.Marshal(said)
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func same(t *testing.T, name string, said, expected map[string]any) {
	t.Helper()
	if !reflect.DeepEqual(said[name], expected[name]) {
		t.Errorf("%s: says %v, not %v", name, said[name], expected[name])
	}
}

func TestClassification(t *testing.T) {
	for _, file := range []string{"classification", "classification-go"} {
		hold(t, file, vectors.Classified, func(t *testing.T, said, expected map[string]any) {
			same(t, "certainty", said, expected)
			if expected["permanent"] == false {
				delete(expected, "permanent")
			}
			same(t, "permanent", said, expected)
			for _, name := range []string{"taken", "code", "evidence"} {
				if expected[name] != nil {
					same(t, name, said, expected)
				}
			}
		})
	}
}

func TestLadder(t *testing.T) {
	hold(t, "ladder", vectors.Delays, func(t *testing.T, said, expected map[string]any) {
		same(t, "exhausted", said, expected)
		saidDelays, _ := said["delaysMs"].([]any)
		delays, _ := expected["delaysMs"].([]any)
		if delay, single := expected["delayMs"]; single {
			saidDelays, delays = []any{said["delayMs"]}, []any{delay}
		}
		if len(saidDelays) != len(delays) {
			t.Fatal(said, expected)
		}
		for at, delay := range delays {
			if math.Abs(saidDelays[at].(float64)-delay.(float64)) > 1 {
				t.Error(said, expected)
			}
		}
	})
}

func TestTexts(t *testing.T) {
	hold(t, "outcomes", vectors.Rendered, func(t *testing.T, said, expected map[string]any) {
		same(t, "text", said, expected)
	})
}

func TestOutcomeKinds(t *testing.T) {
	kinds := func(of vectors.Text) (map[string]any, error) {
		row, isOutcome := gen.Outcomes[of.Code]
		return map[string]any{"outcome": isOutcome, "kind": row.Kind, "invites": row.Invites}, nil
	}
	hold(t, "outcomes", kinds, func(t *testing.T, said, expected map[string]any) {
		if said["outcome"] == true && expected["kind"] != nil {
			same(t, "kind", said, expected)
			same(t, "invites", said, expected)
		}
	})
}

func TestReceipts(t *testing.T) {
	hold(t, "receipts", vectors.ReceiptSays, func(t *testing.T, said, expected map[string]any) {
		for name := range expected {
			same(t, name, said, expected)
		}
	})
}
