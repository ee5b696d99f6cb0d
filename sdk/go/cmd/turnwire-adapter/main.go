// Command turnwire-adapter speaks the adapter protocol of the contract tests (JSON lines, one command, one result), so that
// "turnwire-contract client" can hold this SDK to the same cases as every other. Not part of the module's API.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"turnwire.dev/go"
)

type command struct {
	ID, Command, URL, Token, Of string
	Input                       json.RawMessage
	Options                     struct{ WindowMs, AttemptMs *float64 }
}

type result map[string]any

// client is one for each URL, and the lines that it wrote.
type client struct {
	*turnwire.Client
	mutex sync.Mutex
	lines []string
}

type adapter struct {
	mutex   sync.Mutex
	clients map[string]*client
	running map[string]context.CancelFunc
}

var pure = map[string]func(json.RawMessage) (result, error){
	"classify": classified, "ladder": delays, "text": textOf, "receipt": receiptSays,
}

func introduced() result {
	features := []string{"cancel", "ladder", "texts", "receipts", "routability"}
	for seat := range seats {
		features = append(features, seat)
	}
	return result{"protocol": 1, "language": "go", "version": "0.1.0", "features": features}
}

func (a *adapter) perform(of command) (result, error) {
	if of.Command == "init" {
		return introduced(), nil
	}
	if own, ok := pure[of.Command]; ok {
		return own(of.Input)
	}
	switch of.Command {
	case "cancel":
		a.mutex.Lock()
		defer a.mutex.Unlock()
		if cancel, ok := a.running[of.Of]; ok {
			cancel()
		}
		return result{"outcome": "ok"}, nil
	case "close":
		a.mutex.Lock()
		opened := a.clients[of.URL]
		delete(a.clients, of.URL)
		a.mutex.Unlock()
		if opened != nil {
			opened.Close()
		}
		return result{"outcome": "ok"}, nil
	}
	if seat, ok := seats[of.Command]; ok {
		return a.call(seat, of)
	}
	return result{"outcome": "unsupported"}, nil
}

func (a *adapter) call(seat seat, of command) (result, error) {
	client, err := a.client(of)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a.mutex.Lock()
	a.running[of.ID] = cancel
	a.mutex.Unlock()
	value, attempts, err := seat(ctx, client.Client, of.Input, optionsOf(of))
	a.mutex.Lock()
	delete(a.running, of.ID)
	a.mutex.Unlock()
	told, err := told(value, attempts, err)
	if err != nil {
		return nil, err
	}
	client.mutex.Lock()
	defer client.mutex.Unlock()
	told["lines"] = append([]string{}, client.lines...)
	client.lines = nil
	return told, nil
}

func (a *adapter) client(of command) (*client, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if known, ok := a.clients[of.URL]; ok {
		return known, nil
	}
	made := &client{}
	var err error
	made.Client, err = turnwire.New(of.URL, turnwire.Options{Token: of.Token, Log: func(line turnwire.RoutabilityLine) {
		made.mutex.Lock()
		defer made.mutex.Unlock()
		made.lines = append(made.lines, line.Msg)
	}})
	if err == nil {
		a.clients[of.URL] = made
	}
	return made, err
}

func optionsOf(of command) (made []turnwire.CallOption) {
	if ms := of.Options.WindowMs; ms != nil {
		made = append(made, turnwire.Window(time.Duration(*ms*float64(time.Millisecond))))
	}
	if ms := of.Options.AttemptMs; ms != nil {
		made = append(made, turnwire.AttemptTime(time.Duration(*ms*float64(time.Millisecond))))
	}
	return made
}

// told is what came of a call, as the protocol has it.
func told(value any, attempts int, err error) (result, error) {
	var fault *turnwire.Fault
	if errors.As(err, &fault) {
		told := result{
			"seat": fault.Seat, "code": fault.Code, "certainty": fault.Certainty, "address": fault.Address, "attempts": fault.Attempts,
			"elapsedMs": fault.Elapsed.Milliseconds(), "permanent": fault.Permanent, "message": fault.Error(),
		}
		if fault.Status != 0 {
			told["status"] = fault.Status
		}
		return result{"outcome": "fault", "certainty": fault.Certainty, "attempts": fault.Attempts, "error": told}, nil
	}
	if err != nil {
		return nil, err
	}
	if made, ok := value.(*turnwire.Delivered); ok {
		taken, known := made.Taken()
		told := result{
			"outcome": made.Code, "kind": made.Kind, "text": made.Text, "certainty": made.Certainty, "attempts": made.Attempts,
			"taken": any(taken), "value": result{"turnComplete": made.TurnComplete, "deliveryId": made.DeliveryID, "allowed": made.Allowed},
		}
		if !known {
			told["taken"] = "unknown"
		}
		return told, nil
	}
	told := result{"outcome": "ok", "value": value}
	if attempts > 0 {
		told["attempts"] = attempts
	}
	return told, nil
}

// answer: a line that is no command is answered, and the next one is heard.
func (a *adapter) answer(line []byte) result {
	var of command
	err := json.Unmarshal(line, &of)
	var made result
	if err == nil {
		if of.Input == nil {
			// The members of an input may also stand beside the command.
			of.Input = line
		}
		made, err = a.perform(of)
	}
	if err != nil {
		made = result{"outcome": "thrown", "error": result{"message": fmt.Sprintf("%T: %v", err, err)}}
	}
	made["id"] = of.ID
	return made
}

func main() {
	adapter := &adapter{clients: map[string]*client{}, running: map[string]context.CancelFunc{}}
	var writing sync.Mutex
	encoder := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		line := append([]byte{}, lines.Bytes()...)
		go func() {
			made := adapter.answer(line)
			writing.Lock()
			defer writing.Unlock()
			if err := encoder.Encode(made); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}()
	}
}
