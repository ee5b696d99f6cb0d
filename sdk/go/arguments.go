package turnwire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"
)

// ArgumentError is a programmer's error: an argument is wrong, and nothing was sent (TW-CER-018).
type ArgumentError struct {
	// Argument is the name of what is wrong, and Must what it has to be.
	Argument, Must string
}

func (e *ArgumentError) Error() string { return fmt.Sprintf("%s: must be %s", e.Argument, e.Must) }

var (
	iidForm    = regexp.MustCompile(`^[A-Za-z0-9._~-]{1,128}$`)
	keyForm    = regexp.MustCompile(`^[\x21-\x7e]{1,128}$`)
	headerText = regexp.MustCompile(`^[\t\x20-\x7e\x{80}-\x{ff}]*$`)
	headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
)

// checks gathers what is wrong with the arguments of a call: the first one counts.
type checks struct{ err error }

func (c *checks) need(fine bool, argument, must string) *checks {
	if c.err == nil && !fine {
		c.err = &ArgumentError{argument, must}
	}
	return c
}

// iid: URL-safe, no slash, and no dot segment.
func (c *checks) iid(iid string) *checks {
	return c.need(iidForm.MatchString(iid) && iid != "." && iid != "..", "IID", "1–128 of A-Z a-z 0-9 . _ ~ -")
}

// segment is a name that becomes one segment of a path.
func (c *checks) segment(value, argument string) *checks {
	return c.need(value != "" && value != "." && value != "..", argument, "a name that can stand in a path")
}

// key is a key or a delivery id (TW-GEN-017).
func (c *checks) key(value, argument string) *checks {
	return c.need(keyForm.MatchString(value), argument, "1–128 visible ASCII characters")
}

func (c *checks) text(value, argument string) *checks {
	return c.need(value != "", argument, "a string that is not empty")
}

// wait is how long a poll is parked: whole seconds.
func (c *checks) wait(value time.Duration, longest int, argument string) *checks {
	fine := value >= 0 && value <= time.Duration(longest)*time.Second && value%time.Second == 0
	return c.need(fine, argument, fmt.Sprintf("whole seconds, 0–%d", longest))
}

func (c *checks) headerText(value, argument string) *checks {
	return c.need(headerText.MatchString(value), argument, "a header value in one line")
}

// headers: a line break in one would be another header.
func (c *checks) headers(headers http.Header) *checks {
	for name, values := range headers {
		c.need(headerName.MatchString(name), "Header", fmt.Sprintf("header names, not %q", name))
		for _, value := range values {
			c.headerText(value, "Header."+name)
		}
	}
	return c
}

// json is the JSON text of a value.
func (c *checks) json(value any, argument string) []byte {
	text, err := jsonText(value)
	if err != nil {
		c.need(false, argument, "a value that JSON can write: "+err.Error())
	}
	return text
}

// given: a nil json.RawMessage is no JSON value.
func (c *checks) given(value any, argument string) *checks {
	raw, isRaw := value.(json.RawMessage)
	return c.need(!isRaw || json.Valid(raw), argument, "JSON, when it is a json.RawMessage")
}

// baseURL is an http or https URL without query, fragment and user.
func (c *checks) baseURL(text string) *url.URL {
	of, err := url.Parse(text)
	fine := err == nil && (of.Scheme == "http" || of.Scheme == "https") && of.Hostname() != ""
	if c.need(fine, "baseURL", "an absolute http or https URL"); !fine {
		return &url.URL{}
	}
	c.need(of.RawQuery == "" && !of.ForceQuery && of.Fragment == "", "baseURL", "a URL without query and fragment")
	c.need(of.User == nil, "baseURL", "a URL without user and password")
	return of
}
