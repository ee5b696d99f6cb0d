package turnwire

import (
	"context"
	"strconv"
	"time"

	"turnwire.dev/go/gen"
)

// PollInput is what is asked for.
type PollInput struct {
	IID, DeliveryID string
	// Wait is how long the answer may be parked: whole seconds, 0–25. Nil: 25 s.
	Wait *time.Duration
}

// Polled is what a delivery came to so far: one of the two.
type Polled struct {
	Receipt     *Receipt
	Outstanding *Outstanding
}

// Poll asks once what became of a delivery. Failures are asked again for as long as it takes (seat delivery_poll, TW-RET-013); a
// context or a Window bounds it.
//
// Faults: unknown_delivery, turn_over, bad_response (another 404), the code of another final answer, aborted.
func (c *Client) Poll(ctx context.Context, of PollInput, given ...CallOption) (*Polled, error) {
	wait := gen.PollWaitSeconds * time.Second
	if of.Wait != nil {
		wait = *of.Wait
	}
	var check checks
	check.iid(of.IID).segment(of.DeliveryID, "DeliveryID").wait(wait, gen.PollWaitSeconds, "Wait")
	asked, err := ask(ctx, c, question[*Polled]{
		seat: "delivery_poll", call: pollCall(of.IID, of.DeliveryID, wait), poll: wait, decode: decodePolled, means: pollMeans,
	}, given, &check)
	if err != nil {
		return nil, err
	}
	return asked.value, nil
}

// pollCall is the request of a poll; a lookup is one that is not parked.
func pollCall(iid, deliveryID string, wait time.Duration) operationCall {
	return operationCall{
		operation: "readDelivery",
		path:      map[string]string{"iid": iid, "deliveryId": deliveryID},
		query:     map[string]string{"wait": strconv.Itoa(int(wait / time.Second))},
	}
}

func decodePolled(answer Answer) (*Polled, bool) {
	receipt, outstanding := ReadDelivery(answer)
	return &Polled{receipt, outstanding}, receipt != nil || outstanding != nil
}

// pollMeans: what is not there is a delivery or a turn, or nothing that a poll asked for.
func pollMeans(of *attempt, because string) meaning {
	gone := of.said != nil && of.said.status == gen.ProblemCodes["turn_over"].Status
	if because != "final" || !gone || of.said.says("unknown_delivery", "turn_over") {
		return meaning{}
	}
	return meaning{code: "bad_response"}
}
