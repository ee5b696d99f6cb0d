package turnwire

import (
	"encoding/json"

	"turnwire.dev/go/gen"
)

// The bodies of the wire under plain names, from the documents. Readers ignore fields that they do not know (TW-GEN-012).
type (
	AgentDefinition   = gen.AgentDefinition
	AdmitBody         = gen.AdmissionRequest
	Admission         = gen.Admission
	Limits            = gen.Limits
	Settlement        = gen.Settlement
	SettlementError   = gen.SettlementError
	Message           = gen.Message
	MessagePart       = gen.MessagePart
	History           = gen.History
	Aborted           = gen.AbortResult
	HarnessInfo       = gen.HarnessInfo
	OrchestratorInfo  = gen.OrchestratorInfo
	MenuItem          = gen.MenuItem
	Surface           = gen.Surface
	WorkflowView      = gen.WorkflowView
	GateView          = gen.GateView
	RunView           = gen.RunView
	NodeAgent         = gen.NodeAgent
	NodeRegistration  = gen.NodeRegistration
	NodeRegistered    = gen.NodeRegistered
	NodeView          = gen.NodeView
	ExecutionRecord   = gen.ExecutionRecord
	ExecutionResult   = gen.ExecutionResult
	ExecutionAccepted = gen.ExecutionAccepted
)

// StreamRecord is one record of a Submission's stream (TW-STR-029): its Type says which fields are set. One of a type that this
// version does not know has its Type, and all of it is in Raw.
type StreamRecord struct {
	gen.StreamRecord
	// Raw is the record as it came.
	Raw json.RawMessage `json:"-"`
}

// Receipt is the answer to a pick. An absent Moved is not false, and an absent Allowed is not empty (TW-DLV-007).
type Receipt struct {
	Status       string          `json:"status"`
	DeliveryID   string          `json:"deliveryId,omitempty"`
	Event        string          `json:"event,omitempty"`
	Moved        *bool           `json:"moved,omitempty"`
	TurnComplete *bool           `json:"turnComplete,omitempty"`
	Allowed      *[]string       `json:"allowed,omitempty"`
	Answer       json.RawMessage `json:"answer,omitempty"`
	AnswerError  *string         `json:"answerError,omitempty"`
	EndedBy      *string         `json:"endedBy,omitempty"`
}

// Outstanding is a pick that was taken and is not answered yet.
type Outstanding struct {
	Status     string `json:"status"`
	DeliveryID string `json:"deliveryId"`
	Event      string `json:"event,omitempty"`
}

// Page is one page of a list (TW-GEN-014).
type Page[Item any] struct {
	Items []Item `json:"items"`
	// NextCursor is "" on the last page.
	NextCursor string `json:"nextCursor,omitempty"`
}

// FeedEvent is one frame of a feed: the name of the event, its id when it has one, and its data with the record's fields.
type FeedEvent struct {
	Event string
	ID    string
	Data  map[string]json.RawMessage
}

// Decode reads the data of a frame into a value, one of package gen's: gen.RunStatusEvent, say.
func (e FeedEvent) Decode(into any) error {
	text, err := json.Marshal(e.Data)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
