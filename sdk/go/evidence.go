package turnwire

import (
	"slices"
	"strings"

	"turnwire.dev/go/gen"
)

// GoEvidence is the evidence that an error is, by the generated rules (TW-CER-003 … TW-CER-009, TW-CER-016, TW-CER-017): a name of
// gen.Evidence, gen.Unexplained when nothing in the error is evidence. Wrappers, joined errors and cycles are tolerated.
func GoEvidence(err error) string {
	members := errorMembers
	return walk(err, 1, nil, nil, &members)
}

// walk goes from the outside in, at most gen.CauseDepth levels; the first that is evidence decides (TW-CER-016).
func walk(err error, first int, seen []error, within []string, budget *int) string {
	for depth := first; depth <= gen.CauseDepth && err != nil; depth++ {
		if slices.ContainsFunc(seen, func(each error) bool { return sameError(each, err) }) {
			break
		}
		seen = append(slices.Clip(seen), err)
		if members, joined := membersOf(err); joined {
			return ofMembers(members, depth+1, seen, within, budget)
		}
		of := levelOf(err)
		for _, rule := range gen.Native {
			if ruleMatches(rule, of, within) {
				return rule.Evidence
			}
		}
		within = append(slices.Clip(within), of.name)
		err = causeOf(err)
	}
	return gen.Unexplained
}

// ofMembers is proof only if there are members and every one is proof; it ends the walk (TW-CER-017).
func ofMembers(members []error, depth int, seen []error, within []string, budget *int) string {
	proof := gen.Unexplained
	for at, member := range members {
		if *budget--; *budget < 0 {
			return gen.Unexplained
		}
		// Each member sees its own path only: one error that stands in two members is no cycle.
		evidence := walk(member, depth, seen, within, budget)
		if gen.Evidence[evidence].Certainty != gen.NeverDelivered {
			return gen.Unexplained
		}
		// One member that a re-send can change is enough for a re-send to make sense.
		if at == 0 || !gen.Evidence[evidence].Permanent {
			proof = evidence
		}
	}
	return proof
}

func ruleMatches(rule gen.NativeRule, of level, within []string) bool {
	if rule.Code != nil && !slices.ContainsFunc(rule.Code, func(pattern string) bool { return codeMatches(pattern, of.code) }) {
		return false
	}
	if rule.Name != nil && !slices.Contains(rule.Name, of.name) {
		return false
	}
	if rule.Syscall != nil && (len(rule.Syscall) == 0) != (of.syscall == "") {
		return false
	}
	if len(rule.Syscall) > 0 && !slices.Contains(rule.Syscall, of.syscall) {
		return false
	}
	return rule.Within == nil || slices.ContainsFunc(rule.Within, func(name string) bool { return slices.Contains(within, name) })
}

// codeMatches: "*" stands for any run of characters; the whole code is matched, in its own case.
func codeMatches(pattern, code string) bool {
	if code == "" {
		return false
	}
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return code == pattern
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(code) < len(first)+len(last) || !strings.HasPrefix(code, first) || !strings.HasSuffix(code, last) {
		return false
	}
	middle := code[len(first) : len(code)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(middle, part)
		if at < 0 {
			return false
		}
		middle = middle[at+len(part):]
	}
	return true
}
