package main

import (
	"encoding/json"

	"turnwire.dev/go/internal/vectors"
)

// answered reads an input and answers it.
func answered[Input any](text json.RawMessage, answer func(Input) (map[string]any, error)) (result, error) {
	var input Input
	if err := json.Unmarshal(text, &input); err != nil {
		return nil, err
	}
	return answer(input)
}

func classified(text json.RawMessage) (result, error) {
	return answered(text, func(of struct{ Evidence vectors.Evidence }) (map[string]any, error) {
		return vectors.Classified(of.Evidence)
	})
}

func delays(text json.RawMessage) (result, error)      { return answered(text, vectors.Delays) }
func textOf(text json.RawMessage) (result, error)      { return answered(text, vectors.Rendered) }
func receiptSays(text json.RawMessage) (result, error) { return answered(text, vectors.ReceiptSays) }
