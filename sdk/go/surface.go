package turnwire

import "context"

// SurfaceInput is what is read.
type SurfaceInput struct {
	IID string
	// ETag of an earlier read: one that has not changed is not sent again.
	ETag string
	// Step: at a step boundary, a single attempt of 2 s (seat surface_step), after whose failure the last list is kept (TW-RET-007).
	Step bool
}

// SurfaceRead is a surface read.
type SurfaceRead struct {
	// Unchanged: the surface is still the one with the ETag that was given; Surface is nil.
	Unchanged bool
	Surface   *Surface
	ETag      string
	Attempts  int
}

// Surface reads the surface: Menu, Allowed picks, turn. The first read of a turn goes on for 90 s (seat surface).
//
// Faults: turn_over; surface_refused (any other final answer; its own code is in Problem); surface_unreachable; aborted.
func (c *Client) Surface(ctx context.Context, of SurfaceInput, given ...CallOption) (*SurfaceRead, error) {
	var check checks
	check.iid(of.IID).headerText(of.ETag, "ETag")
	seat := "surface"
	if of.Step {
		seat = "surface_step"
	}
	asked, err := ask(ctx, c, question[*SurfaceRead]{
		seat: seat,
		call: operationCall{
			operation: "readSurface", path: map[string]string{"iid": of.IID}, header: map[string]string{"if-none-match": of.ETag},
		},
		decode: func(answer Answer) (*SurfaceRead, bool) { return decodeSurface(answer, of.ETag != "") },
		means:  surfaceMeans,
	}, given, &check)
	if err != nil {
		return nil, err
	}
	asked.value.Attempts = asked.attempts
	return asked.value, nil
}

func decodeSurface(answer Answer, conditional bool) (*SurfaceRead, bool) {
	if row, _ := documented("readSurface", answer.Status); conditional && row.Means == "surface_unchanged" {
		return &SurfaceRead{Unchanged: true}, true
	}
	object := objectOf(answer)
	if _, ok := textMember(object, "turnId"); !ok || !isList(object["menu"]) || !isList(object["allowed"]) {
		return nil, false
	}
	surface, ok := decodeLenient[Surface](answer.Body)
	return &SurfaceRead{Surface: surface, ETag: headerOf(answer, "etag")}, ok
}

// surfaceMeans: a 404 ends a turn only as turn_over; every other final answer refuses the read (TW-RET-026, TW-TRN-015).
func surfaceMeans(of *attempt, because string) meaning {
	switch {
	case because != "final":
		return meaning{code: "surface_unreachable"}
	case of.said.says("turn_over"):
		return meaning{}
	}
	return meaning{code: "surface_refused"}
}
