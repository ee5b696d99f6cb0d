package turnwire

import (
	"context"

	"turnwire.dev/go/gen"
)

// Resume says what is known of a pick that was begun before.
type Resume string

// How a delivery is resumed.
const (
	// ResumePoll: it is known taken, and is never sent again.
	ResumePoll Resume = "poll"
	// ResumeLookup: a copy may have arrived, so it is looked up first.
	ResumeLookup Resume = "lookup"
)

// DeliverInput is a pick, and what is known of the Orchestrator.
type DeliverInput struct {
	IID, TurnID string
	// Event is the name of the pick.
	Event string
	// Input is any value that JSON can write.
	Input any
	// DeliveryID is 1–128 characters that can stand in a path (TW-DLV-013); minted when it is "" and the Orchestrator honours it.
	DeliveryID string
	// ClientDeliveryIDs is the capability that the surface told. Without it nothing is sent twice (TW-RET-008).
	ClientDeliveryIDs bool
	// OnOutstanding is called once when the pick is known to be outstanding, before the next poll. Deliver returns its error.
	OnOutstanding func(ctx context.Context, deliveryID string) error
	// Resume is "" for a new pick.
	Resume Resume
}

// Deliver delivers a pick and stays with it until it is answered (seats pick or pick_base, then delivery_poll): re-sent on proof,
// looked up and re-sent under its own id after doubt (TW-RET-009), polled while it is outstanding, for days if need be (TW-RET-013).
//
// It returns one of the outcomes of the spec, with the text that the model reads. Failures on the wire, and a context that is done,
// are outcomes too; its error is an [*ArgumentError] or that of OnOutstanding. After an abort it may look for up to 2 s at what became
// of the pick.
func (c *Client) Deliver(ctx context.Context, input DeliverInput, given ...CallOption) (*Delivered, error) {
	var check checks
	check.iid(input.IID).text(input.TurnID, "TurnID").text(input.Event, "Event").given(input.Input, "Input")
	checkDeliveryID(input, &check)
	seat, deliveryID := "pick_base", ""
	if input.ClientDeliveryIDs {
		// Where ids are not honoured a pick carries none.
		if seat, deliveryID = "pick", input.DeliveryID; deliveryID == "" {
			deliveryID = minted()
		}
	}
	pick := map[string]any{"turnId": input.TurnID, "event": input.Event, "input": input.Input}
	if deliveryID != "" {
		pick["deliveryId"] = deliveryID
	}
	body, options := check.json(pick, "Input"), optionsOf(given)
	if err := check.options(options).err; err != nil {
		return nil, err
	}
	call := c.call(ctx, seat, gen.Operations["pick"].Seats[seat], options)
	// Where ids are not honoured there is none until the Orchestrator names it, as it did for one that is resumed.
	if input.Resume == ResumePoll {
		deliveryID = input.DeliveryID
	}
	delivery := delivery{
		ctx: ctx, call: call, input: input, outcomes: &outcomesOf{call: call, event: input.Event, deliveryID: deliveryID},
		request: c.request(operationCall{operation: "pick", path: map[string]string{"iid": input.IID}, body: body}, options),
	}
	delivered, err := delivery.run()
	call.finish(delivered != nil && (delivered.Certainty == gen.Delivered || delivered.Certainty == gen.Answered))
	if err == nil {
		delivery.holdOff(delivered)
	}
	return delivered, err
}

func checkDeliveryID(input DeliverInput, check *checks) {
	if input.DeliveryID != "" {
		check.key(input.DeliveryID, "DeliveryID").segment(input.DeliveryID, "DeliveryID")
	}
	if input.Resume != "" {
		check.need(input.Resume == ResumePoll || input.Resume == ResumeLookup, "Resume", "ResumePoll or ResumeLookup")
		check.need(input.DeliveryID != "", "DeliveryID", "given to resume a delivery")
		check.need(input.Resume == ResumePoll || input.ClientDeliveryIDs, "Resume", "ResumePoll where ids are not honoured")
	}
}

type delivery struct {
	ctx      context.Context
	call     *seatCall
	input    DeliverInput
	request  httpRequest
	outcomes *outcomesOf
}

func (d *delivery) run() (*Delivered, error) {
	if d.input.Resume == ResumePoll {
		return d.follow(nil)
	}
	if d.call.aborted() {
		return d.outcomes.of("unknown_turn_ended", gen.Unknown, nil), nil
	}
	if d.input.Resume == ResumeLookup {
		d.call.inDoubt = true
		if delivered, err := d.resolve(); delivered != nil || err != nil {
			return delivered, err
		}
	}
	for {
		if delivered, err := d.sendOnce(); delivered != nil || err != nil {
			return delivered, err
		}
	}
}

// holdOff: a model that is told to call again at once would spin against a restart (TW-OUT-017).
func (d *delivery) holdOff(delivered *Delivered) {
	if !d.input.ClientDeliveryIDs && gen.Outcomes[delivered.Code].Invites {
		options := d.call.client.options
		options.Clock.Sleep(d.ctx, Rung(0, options.Random))
	}
}

// sendOnce is one copy of the pick, and what follows from it; nil: another copy.
func (d *delivery) sendOnce() (*Delivered, error) {
	made := d.call.attempt(d.request, how{})
	if made.verdict.Certainty == gen.Delivered {
		return d.taken(made)
	}
	// Final answers count even when the call was aborted while they came.
	delivered, own := d.outcomes.finallyAnswered(made, d.call.policy)
	if own {
		return d.follow(d.input.OnOutstanding)
	}
	if delivered != nil {
		return delivered, nil
	}
	decision := d.call.next(made, Fences{}, d.call.policy)
	switch {
	case decision.Action == "resolve":
		return d.resolve()
	case decision.Action != "stop":
		return nil, nil
	case decision.Because == "aborted":
		return d.afterAbort(), nil
	}
	return d.outcomes.exhausted(made), nil
}

func (d *delivery) taken(made *attempt) (*Delivered, error) {
	receipt, outstanding := ReadDelivery(*made.answer)
	if receipt == nil && outstanding == nil {
		// TW-RET-012: delivered, body lost.
		d.outcomes.lostReason = made.reason
		return d.follow(d.input.OnOutstanding)
	}
	return d.found(receipt, outstanding)
}

func (d *delivery) found(receipt *Receipt, outstanding *Outstanding) (*Delivered, error) {
	if receipt != nil {
		return d.outcomes.receipt(receipt), nil
	}
	d.outcomes.deliveryID = outstanding.DeliveryID
	if d.input.OnOutstanding != nil && !d.call.aborted() {
		if err := d.input.OnOutstanding(d.ctx, outstanding.DeliveryID); err != nil {
			return nil, err
		}
	}
	return d.follow(nil)
}

// follow: taken, so it is polled until the turn is over (TW-RET-013).
func (d *delivery) follow(listener onOutstanding) (*Delivered, error) {
	return followDelivery(d.ctx, d.call, d.input.IID, d.outcomes, listener)
}

// resolve looks the delivery up; nil: it is to be delivered again under the same id (TW-RET-010).
func (d *delivery) resolve() (*Delivered, error) {
	word := d.call.lookUp(d.lookUpRequest())
	switch word.kind {
	case "":
		return d.found(word.receipt, word.outstanding)
	case "body_lost":
		d.outcomes.lostReason = word.reason
		return d.follow(d.input.OnOutstanding)
	case "not_taken_so_far":
		return nil, nil
	case "turn_over":
		return d.outcomes.of("unknown_turn_ended", gen.Unknown, nil), nil
	case "aborted":
		return d.afterAbort(), nil
	}
	return d.outcomes.unknown(word.reason), nil
}

// afterAbort: looked up only, and never delivered again (TW-RET-011).
func (d *delivery) afterAbort() *Delivered {
	if d.input.ClientDeliveryIDs && d.call.inDoubt {
		if receipt, taken := d.call.lookUpAfterAbort(d.lookUpRequest()); taken {
			return d.outcomes.takenTurnEnded(receipt)
		}
	}
	return d.outcomes.of("unknown_turn_ended", gen.Unknown, nil)
}

func (d *delivery) lookUpRequest() httpRequest {
	return d.call.client.request(pollCall(d.input.IID, d.outcomes.deliveryID, 0), d.call.options)
}
