package turnwire

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"turnwire.dev/go/gen"
)

// operationCall is what one operation is asked. Values that are empty are left out.
type operationCall struct {
	operation string
	path      map[string]string
	query     map[string]string
	header    map[string]string
	// body is exact JSON text, nil where there is none.
	body []byte
}

var pathParameter = regexp.MustCompile(`\{\w+\}`)

// request is that of an operation at this client.
func (c *Client) request(call operationCall, options callOptions) httpRequest {
	row := gen.Operations[call.operation]
	target := pathParameter.ReplaceAllStringFunc(row.Path, func(found string) string {
		return url.PathEscape(call.path[strings.Trim(found, "{}")])
	})
	query := url.Values{}
	for name, value := range call.query {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	return c.wireRequest(row.Method, c.prefix+target, call.header, call.body, options)
}

// wireRequest has the headers that all of ours carry; the token goes to the client's own origin alone.
func (c *Client) wireRequest(method, target string, header map[string]string, body []byte, options callOptions) httpRequest {
	all := c.header.Clone()
	for name, values := range options.header {
		all[http.CanonicalHeaderKey(name)] = values
	}
	for name, value := range header {
		if value != "" {
			all.Set(name, value)
		}
	}
	if body != nil {
		all.Set("Content-Type", "application/json")
	}
	// An error is a problem whatever else was asked for (TW-GEN-004); a peer that negotiates keeps to what is accepted.
	if accept := all.Get("Accept"); accept != "" && !strings.Contains(accept, "problem+json") && !strings.Contains(accept, "*") {
		all.Set("Accept", accept+", application/problem+json")
	}
	if all.Get("User-Agent") == "" {
		// Or net/http names itself.
		all.Set("User-Agent", "turnwire-go/"+version)
	}
	return httpRequest{method, c.origin, target, all, body}
}

// version of this module.
const version = "0.1.0"
