package turnwire

import (
	"crypto/rand"
	"encoding/json"
	"fmt"

	"turnwire.dev/go/gen"
)

// minted is a random id, a UUID of version 4.
func minted() string {
	var id [16]byte
	_, _ = rand.Read(id[:])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// keyHeader is the Idempotency-Key of a call; minted when the caller gave none, so that it can be sent again.
func keyHeader(key string, check *checks) map[string]string {
	if key == "" {
		key = minted()
	}
	check.key(key, "Key")
	return map[string]string{gen.HeaderIdempotencyKey: key}
}

// isReplayed: the key was known, and this is its answer again (TW-GEN-018).
func isReplayed(answer Answer) bool { return headerOf(answer, gen.HeaderReplayed) == "true" }

// pageOf reads one page of a list (TW-GEN-014).
func pageOf[Item any](answer Answer) (*Page[Item], bool) {
	var items []json.RawMessage
	object := objectOf(answer)
	if object["items"] == nil || json.Unmarshal(object["items"], &items) != nil || items == nil {
		return nil, false
	}
	page := &Page[Item]{Items: []Item{}, NextCursor: textIn(object, "nextCursor")}
	for _, each := range items {
		if item, ok := decodeLenient[Item](each); ok {
			page.Items = append(page.Items, *item)
		}
	}
	return page, true
}
