package turnwire

import (
	"bytes"
	"encoding/json"
)

// ReadDelivery is what a 2xx to a pick or a poll says: that it is answered, that it is worked on, or (both nil) nothing that makes
// sense.
func ReadDelivery(answer Answer) (*Receipt, *Outstanding) {
	object := objectOf(answer)
	switch textIn(object, "status") {
	case "outstanding":
		id, ok := textMember(object, "deliveryId")
		if !ok {
			return nil, nil
		}
		return nil, &Outstanding{"outstanding", id, textIn(object, "event")}
	case "delivered":
		return receiptOf(object), nil
	}
	return nil, nil
}

// ReceiptOutcome is the outcome of a receipt. An absent Moved is not false (TW-DLV-007): it was taken, and the text claims no more.
func ReceiptOutcome(receipt Receipt) string {
	switch {
	case receipt.TurnComplete != nil && *receipt.TurnComplete:
		return "turn_complete"
	case receipt.Moved != nil && !*receipt.Moved:
		return "not_moved"
	}
	return "moved"
}

// receiptOf: members of another type than the wire's are as good as absent.
func receiptOf(object map[string]json.RawMessage) *Receipt {
	return &Receipt{
		Status:       "delivered",
		DeliveryID:   textIn(object, "deliveryId"),
		Event:        textIn(object, "event"),
		Moved:        memberOf[bool](object, "moved"),
		TurnComplete: memberOf[bool](object, "turnComplete"),
		Allowed:      namesIn(object, "allowed"),
		Answer:       object["answer"],
		AnswerError:  memberOf[string](object, "answerError"),
		EndedBy:      memberOf[string](object, "endedBy"),
	}
}

// memberOf is a member of this type; nil when it is not there or is another.
func memberOf[Value any](object map[string]json.RawMessage, name string) *Value {
	var value *Value
	if object[name] == nil || json.Unmarshal(object[name], &value) != nil {
		return nil
	}
	return value
}

// namesIn is a member that is a list of strings, each of them one.
func namesIn(object map[string]json.RawMessage, name string) *[]string {
	names := memberOf[[]*string](object, name)
	if names == nil {
		return nil
	}
	list := make([]string, 0, len(*names))
	for _, each := range *names {
		if each == nil {
			return nil
		}
		list = append(list, *each)
	}
	return &list
}

// ReceiptValues is what a receipt gives its text: what is not there has no name.
func ReceiptValues(receipt Receipt) TemplateValues {
	values := TemplateValues{}
	if receipt.Allowed != nil {
		values["allowed"] = *receipt.Allowed
	}
	if receipt.Answer != nil && !bytes.Equal(receipt.Answer, []byte("null")) {
		var answer any
		_ = json.Unmarshal(receipt.Answer, &answer)
		values["answer"] = answer
	}
	if receipt.AnswerError != nil {
		values["answerError"] = *receipt.AnswerError
	}
	if receipt.EndedBy != nil {
		values["endedBy"] = *receipt.EndedBy
	}
	return values
}
