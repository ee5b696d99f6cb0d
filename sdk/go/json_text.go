package turnwire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// jsonText is the JSON text of a value, without the escapes that are for HTML.
func jsonText(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// CanonicalJSON is JSON with its members in the order of their UTF-16 code units, and numbers as doubles (RFC 8785).
func CanonicalJSON(value any) (string, error) {
	text, err := jsonText(value)
	if err != nil {
		return "", err
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return "", err
	}
	var out strings.Builder
	writeCanonical(&out, plain)
	return out.String(), nil
}

func writeCanonical(out *strings.Builder, value any) {
	switch value := value.(type) {
	case nil:
		out.WriteString("null")
	case bool:
		out.WriteString(strconv.FormatBool(value))
	case float64:
		out.WriteString(canonicalNumber(value))
	case string:
		writeCanonicalText(out, value)
	case []any:
		out.WriteByte('[')
		for at, item := range value {
			if at > 0 {
				out.WriteByte(',')
			}
			writeCanonical(out, item)
		}
		out.WriteByte(']')
	case map[string]any:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		slices.SortFunc(names, func(one, other string) int {
			return slices.Compare(utf16.Encode([]rune(one)), utf16.Encode([]rune(other)))
		})
		out.WriteByte('{')
		for at, name := range names {
			if at > 0 {
				out.WriteByte(',')
			}
			writeCanonicalText(out, name)
			out.WriteByte(':')
			writeCanonical(out, value[name])
		}
		out.WriteByte('}')
	}
}

var shortEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

func writeCanonicalText(out *strings.Builder, text string) {
	out.WriteByte('"')
	for _, each := range text {
		if short, ok := shortEscapes[each]; ok {
			out.WriteString(short)
		} else if each < 0x20 {
			fmt.Fprintf(out, `\u%04x`, each)
		} else {
			out.WriteRune(each)
		}
	}
	out.WriteByte('"')
}

// canonicalNumber writes as ECMAScript does: the shortest digits that are this double, an exponent only from 1e21 and below 1e-6.
func canonicalNumber(number float64) string {
	size := math.Abs(number)
	if size == 0 {
		return "0"
	}
	if size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	text := strconv.FormatFloat(number, 'e', -1, 64)
	// Go writes at least two digits of an exponent.
	text = strings.Replace(text, "e-0", "e-", 1)
	return strings.Replace(text, "e+0", "e+", 1)
}
