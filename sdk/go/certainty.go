package turnwire

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"turnwire.dev/go/gen"
)

// Answer is an answer as far as it came.
type Answer struct {
	Status int
	Header http.Header
	// Body is the text of the body as it came; nil: it was not read, was lost, or there was none.
	Body []byte
	// BodyLost: the status line came and the body did not, or not whole.
	BodyLost bool
}

// Attempted is what is known of one attempt.
type Attempted struct {
	// Kind is the evidence, where it is known by name already.
	Kind string
	// Err is the native error, where there was one.
	Err error
	// Aborted: the caller had given the call up.
	Aborted bool
	// Response decides before everything else.
	Response *Answer
}

// Verdict is the judgement of one attempt.
type Verdict struct {
	Certainty gen.Certainty
	// Taken says whether the request had its effect, where TakenKnown.
	Taken, TakenKnown bool
	// Permanent: a re-send cannot change it (TW-CER-006).
	Permanent bool
	// Code is the problem code of an answer of ours.
	Code string
	// Evidence that decided, where no answer did.
	Evidence string
}

// Classify judges one attempt (TW-CER-001 … TW-CER-017). Doubt is gen.Unknown.
func Classify(attempted Attempted) Verdict {
	switch {
	case attempted.Response != nil:
		return ofAnswer(*attempted.Response)
	case attempted.Aborted:
		// TW-CER-012: nobody looked how far it had come.
		return ofEvidence(gen.AfterAbort)
	case attempted.Kind != "":
		return ofEvidence(attempted.Kind)
	}
	return ofEvidence(GoEvidence(attempted.Err))
}

func ofEvidence(name string) Verdict {
	row, known := gen.Evidence[name]
	if !known {
		return Verdict{Certainty: gen.Unknown, Evidence: gen.Unexplained}
	}
	proved := row.Certainty == gen.NeverDelivered
	return Verdict{Certainty: row.Certainty, TakenKnown: proved, Permanent: row.Permanent, Evidence: name}
}

func ofAnswer(answer Answer) Verdict {
	ours := IsOurs(answer)
	code := ""
	if ours {
		code = codeOf(answer)
	}
	for _, rule := range gen.Answers {
		if answerMatches(rule, answer, ours, code) {
			known := rule.TakenKnown || rule.Certainty == gen.NeverDelivered
			return Verdict{Certainty: rule.Certainty, Taken: rule.Taken, TakenKnown: known, Code: code}
		}
	}
	return Verdict{Certainty: gen.Unknown, Code: code}
}

func answerMatches(rule gen.AnswerRule, answer Answer, ours bool, code string) bool {
	if rule.Ours != ours {
		return false
	}
	if rule.Status != [2]int{} && (answer.Status < rule.Status[0] || answer.Status > rule.Status[1]) {
		return false
	}
	if rule.Codes != nil && !slices.Contains(rule.Codes, code) {
		return false
	}
	if rule.Mark != "" && headerOf(answer, gen.HeaderCustodian) != rule.Mark {
		return false
	}
	return rule.OnlyFlags == nil || flagsAreOnly(answer, rule.OnlyFlags)
}

// flagsAreOnly: the custodian's flags, compared exactly; none, or unreadable ones, prove nothing (TW-CER-015).
func flagsAreOnly(answer Answer, proving []string) bool {
	var flags []any
	if json.Unmarshal(members(bodyOf(answer))["flags"], &flags) != nil || len(flags) == 0 {
		return false
	}
	for _, flag := range flags {
		if text, ok := flag.(string); !ok || !slices.Contains(proving, text) {
			return false
		}
	}
	return true
}

// IsOurs says whose answer it is (TW-CER-001): ours carries the version and, when it is an error, a code of the spec, in the header
// and in the body where that can be read. Ingresses, meshes and proxies answer too, and theirs prove nothing (TW-CER-002).
func IsOurs(answer Answer) bool {
	if headerOf(answer, gen.HeaderVersion) == "" {
		return false
	}
	if answer.Status < gen.ErrorFromStatus {
		return true
	}
	return isCode(headerOf(answer, gen.HeaderCode)) && isCode(codeOf(answer))
}

// codeOf is what an error answer says: its body, or the header where that is lost or cannot be read (TW-CER-011).
func codeOf(answer Answer) string {
	header := headerOf(answer, gen.HeaderCode)
	if answer.Status < gen.ErrorFromStatus {
		return header
	}
	body := bodyOf(answer)
	if body == nil {
		return header
	}
	return textIn(members(body), "code")
}

func isCode(code string) bool {
	_, known := gen.ProblemCodes[code]
	return known
}

// headerOf is a header by its lower-case name; a repeated one is joined, so that it equals no single value.
func headerOf(answer Answer, name string) string {
	return strings.Join(answer.Header.Values(name), ", ")
}

// bodyOf is the body when it is JSON; nil when it is lost or is none.
func bodyOf(answer Answer) json.RawMessage {
	if answer.BodyLost || !json.Valid(answer.Body) || string(answer.Body) == "null" {
		return nil
	}
	return answer.Body
}

// members is the members of a JSON object by their exact names; nil when it is none.
func members(body json.RawMessage) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	if body == nil || json.Unmarshal(body, &object) != nil {
		return nil
	}
	return object
}

// textIn is a member that is a string, or "".
func textIn(object map[string]json.RawMessage, name string) string {
	text, _ := textMember(object, name)
	return text
}

func textMember(object map[string]json.RawMessage, name string) (text string, ok bool) {
	var value any
	if object[name] == nil || json.Unmarshal(object[name], &value) != nil {
		return "", false
	}
	text, ok = value.(string)
	return text, ok
}
