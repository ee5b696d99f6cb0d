package turnwire

import (
	"slices"

	"turnwire.dev/go/gen"
)

// said is an answer as far as its meaning goes. No other file compares a status.
type said struct {
	status int
	code   string
}

// documented is what the documents say of an answer to an operation.
func documented(operation string, status int) (gen.ResponseRow, bool) {
	row, known := gen.Operations[operation].Responses[status]
	return row, known
}

// isListed says whether an answer is in one of these rows.
func isListed(rows []gen.AnswerMatch, answer said) bool {
	return slices.ContainsFunc(rows, func(row gen.AnswerMatch) bool {
		inRange := answer.status >= row.Status[0] && answer.status <= row.Status[1]
		return inRange && (row.Codes == nil || slices.Contains(row.Codes, answer.code))
	})
}

// says: it says one of these codes, and with the status that the code comes with (TW-RET-026).
func (answer *said) says(codes ...string) bool {
	return answer != nil && slices.Contains(codes, answer.code) && gen.ProblemCodes[answer.code].Status == answer.status
}

// refusesCredential says whether it refuses the credential.
func refusesCredential(answer said) bool {
	for _, row := range gen.Faults {
		if row.Category == "permission_denied" && slices.Contains(row.Answers, answer.code) {
			return true
		}
	}
	return false
}

// refusalOutcome is the outcome of a pick that this answer refused.
func refusalOutcome(answer said) string {
	for _, code := range outcomeCodes {
		if isListed(gen.Outcomes[code].Answers, answer) {
			return code
		}
	}
	return "rejected"
}

// Outcomes in an order of their own: a map has none.
var outcomeCodes = func() []string {
	codes := make([]string, 0, len(gen.Outcomes))
	for code := range gen.Outcomes {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes
}()
