package turnwire

import (
	"fmt"
	"regexp"
	"strings"

	"turnwire.dev/go/gen"
)

// TemplateValues is what a template may insert, by name. A nil value is not there.
type TemplateValues = map[string]any

type node struct {
	// kind is "" for literal text, "value" or ",", or the sign of a section.
	kind, text string
	body       []node
}

var tag = regexp.MustCompile(`\{([?!#/]?)([A-Za-z][A-Za-z0-9_]*)(,?)\}`)

// OutcomeText is the text of an outcome of Deliver (TW-OUT-001): the same bytes in every language. It fails for a plain value that
// is missing.
func OutcomeText(code string, values TemplateValues) (string, error) {
	return Render(gen.Outcomes[code].Text, values)
}

// Render fills a template of the spec; the template language is described at the head of spec/outcomes.yaml. What is inserted is
// never scanned again. It fails for a plain value that is missing and for a template that is broken.
func Render(template string, values TemplateValues) (string, error) {
	nodes, err := parseTemplate(template)
	if err != nil {
		return "", err
	}
	return fill(nodes, values)
}

func parseTemplate(template string) ([]node, error) {
	stack := []node{{}}
	top := func() *node { return &stack[len(stack)-1] }
	at := 0
	for _, found := range tag.FindAllStringSubmatchIndex(template, -1) {
		sign, name, comma := template[found[2]:found[3]], template[found[4]:found[5]], template[found[6]:found[7]]
		if found[0] > at {
			top().body = append(top().body, node{text: template[at:found[0]]})
		}
		at = found[1]
		switch sign {
		case "":
			kind := "value"
			if comma != "" {
				kind = ","
			}
			top().body = append(top().body, node{kind: kind, text: name})
		case "/":
			opened := *top()
			if len(stack) == 1 || opened.text != name {
				return nil, fmt.Errorf("template: {/%s} closes nothing", name)
			}
			stack = stack[:len(stack)-1]
			top().body = append(top().body, opened)
		default:
			stack = append(stack, node{kind: sign, text: name})
		}
	}
	if len(stack) > 1 {
		return nil, fmt.Errorf("template: {%s} is not closed", top().text)
	}
	if at < len(template) {
		top().body = append(top().body, node{text: template[at:]})
	}
	return stack[0].body, nil
}

func fill(nodes []node, values TemplateValues) (string, error) {
	var out strings.Builder
	for _, each := range nodes {
		text, err := fillOne(each, values)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
	}
	return out.String(), nil
}

func fillOne(of node, values TemplateValues) (string, error) {
	if of.kind == "" {
		return of.text, nil
	}
	value, given := values[of.text]
	there := value != nil && value != any("")
	switch of.kind {
	case "?":
		if !there {
			return "", nil
		}
		return fill(of.body, values)
	case "!":
		if there {
			return "", nil
		}
		return fill(of.body, values)
	case "value":
		if !given {
			return "", fmt.Errorf("template: {%s} has no value", of.text)
		}
		if text, ok := value.(string); ok {
			return text, nil
		}
		return CanonicalJSON(value)
	case ",":
		return fillList(of.text, value)
	}
	return fillEach(of, value, values)
}

func fillList(name string, value any) (string, error) {
	items, ok := listOf(value)
	if !ok {
		return "", fmt.Errorf("template: {%s,} is not a list", name)
	}
	if len(items) == 0 {
		return "(none)", nil
	}
	texts := make([]string, len(items))
	for at, item := range items {
		texts[at] = fmt.Sprint(item)
	}
	return strings.Join(texts, ", "), nil
}

func fillEach(of node, value any, values TemplateValues) (string, error) {
	items, _ := listOf(value)
	var out strings.Builder
	for _, item := range items {
		inner := values
		if object, ok := item.(map[string]any); ok {
			inner = TemplateValues{}
			for name, each := range values {
				inner[name] = each
			}
			for name, each := range object {
				inner[name] = each
			}
		}
		text, err := fill(of.body, inner)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
	}
	return out.String(), nil
}

func listOf(value any) ([]any, bool) {
	switch list := value.(type) {
	case []any:
		return list, true
	case []string:
		items := make([]any, len(list))
		for at, each := range list {
			items[at] = each
		}
		return items, true
	}
	return nil, false
}
