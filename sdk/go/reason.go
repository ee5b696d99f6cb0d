package turnwire

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"turnwire.dev/go/gen"
)

// reasonOf is the clause of a fault's message: what went wrong, with errno and address, never a bare "failed" (TW-RET-021).
func reasonOf(result exchanged, verdict Verdict) string {
	switch {
	case result.response != nil:
		return answerReason(*result.response, verdict, result.err)
	case result.aborted:
		return "the call was aborted"
	case result.err != nil:
		return errorReason(result.err)
	}
	return gen.Evidence[verdict.Evidence].Meaning
}

// lastOf is one word for a log line: an errno, an evidence name, the code or the status of an answer.
func lastOf(result exchanged, verdict Verdict) string {
	if result.response != nil {
		if verdict.Code != "" {
			return verdict.Code
		}
		lost := ""
		if result.response.BodyLost {
			lost = "_body_lost"
		}
		return fmt.Sprintf("http_%d%s", result.response.Status, lost)
	}
	if !result.aborted {
		if code := firstCode(result.err); code != "" {
			return code
		}
	}
	return verdict.Evidence
}

// Problem is an RFC 9457 problem of ours (TW-GEN-004), with its members by name.
type Problem map[string]json.RawMessage

// Text is a member that is a string, or "".
func (p Problem) Text(name string) string { return textIn(p, name) }

// Decode reads a member into a value: Decode("problems", &problems).
func (p Problem) Decode(name string, into any) error { return json.Unmarshal(p[name], into) }

// problemOf is the problem document of an answer of ours, if its body was read.
func problemOf(answer *Answer) Problem {
	if answer == nil || answer.BodyLost || !IsOurs(*answer) {
		return nil
	}
	if object := members(bodyOf(*answer)); textIn(object, "code") != "" {
		return object
	}
	return nil
}

func answerReason(answer Answer, verdict Verdict, err error) string {
	if !IsOurs(answer) {
		return fmt.Sprintf("%d from something that is not Turnwire (no version, or no code of ours)", answer.Status)
	}
	text := strings.TrimSpace(fmt.Sprintf("%d %s", answer.Status, verdict.Code))
	if answer.Status < gen.ErrorFromStatus {
		why := "cut, too slow, or not what was asked for"
		if err != nil {
			why = errorReason(err)
		}
		return clip(text + ", but its body was not usable: " + why)
	}
	if detail := problemOf(&answer).Text("detail"); detail != "" {
		text += ": " + detail
	}
	return clip(text)
}

// errorReason is the message of an error. Go's tell of the call and the address; the code is added where it does not.
func errorReason(err error) string {
	text := messageOf(err)
	if code := firstCode(err); code != "" && !strings.Contains(text, code) {
		text += " (" + code + ")"
	}
	return clip(text)
}

func firstCode(err error) string {
	for depth := 1; depth <= gen.CauseDepth && err != nil; depth++ {
		if code := levelOf(err).code; code != "" {
			return code
		}
		err = causeOf(err)
	}
	return ""
}

func clip(text string) string {
	if utf8.RuneCountInString(text) <= reasonLength {
		return text
	}
	return string([]rune(text)[:reasonLength]) + "…"
}
