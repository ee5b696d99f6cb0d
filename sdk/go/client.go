// Package turnwire is the client of the three Turnwire APIs. A [Client] speaks to one peer; what a failure proves about delivery, and
// whether a request may be sent again, is read from the tables of the spec.
//
// Every seat takes a context: when it is done the call is over, its socket closed, and what had been sent by then is unknown. A call
// that fails returns a [*Fault]; an argument that is wrong an [*ArgumentError], before anything is sent.
package turnwire

import (
	"context"
	"crypto/tls"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"turnwire.dev/go/gen"
)

// Retry is said before each sleep of the ladder.
type Retry struct {
	Seat string
	// Attempt counts the attempts so far.
	Attempt int
	// Delay is the time until the next one.
	Delay     time.Duration
	Certainty gen.Certainty
	// Last is as in [RoutabilityLine].
	Last string
}

// Options of a client. The zero value is a client without a token that logs nothing.
type Options struct {
	// Token is sent as "Authorization: Bearer …" to the origin of the base URL alone, and shown nowhere.
	Token string
	// Log gets each routability line; Metric gets the same lines, for counting.
	Log, Metric func(RoutabilityLine)
	// OnRetry is called before each sleep of the ladder.
	OnRetry func(Retry)
	// Header is sent with every request.
	Header http.Header
	// TLS is the configuration of https connections; the machine's own trust when it is nil.
	TLS *tls.Config
	// Clock and Random (uniform in [0, 1)) are injected, so that ladders can be tested without waiting.
	Clock  Clock
	Random func() float64
}

// Client is one peer at one address. It is safe for use by many goroutines, owns its sockets, and leaves nothing behind after Close.
type Client struct {
	origin, prefix string
	header         http.Header
	options        Options
	pool           *pool

	mutex   sync.Mutex
	calls   sync.WaitGroup
	closed  bool
	closing context.Context
	end     context.CancelFunc
}

// New makes a client of an absolute http or https URL without query and fragment; a path is kept. Nothing is sent before the first
// call, and no check is waited for (TW-RET-024). It fails with an [*ArgumentError].
func New(baseURL string, options Options) (*Client, error) {
	var check checks
	of := check.baseURL(baseURL)
	header := http.Header{"Accept": {"application/json"}}
	header.Set(gen.HeaderVersion, gen.Version)
	check.headerText(options.Token, "Token").headers(options.Header)
	if check.err != nil {
		return nil, check.err
	}
	if options.Token != "" {
		header.Set("Authorization", "Bearer "+options.Token)
	}
	for name, values := range options.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	if options.Clock == nil {
		options.Clock = systemClock{}
	}
	if options.Random == nil {
		options.Random = rand.Float64
	}
	if options.TLS == nil {
		options.TLS = &tls.Config{}
	}
	closing, end := context.WithCancel(context.Background())
	return &Client{
		origin:  of.Scheme + "://" + of.Host,
		prefix:  strings.TrimRight(of.EscapedPath(), "/"),
		header:  header,
		options: options,
		pool:    newPool(options.TLS),
		closing: closing,
		end:     end,
	}, nil
}

// Close ends every call in flight (fault "aborted") and every socket, and returns when nothing is left.
func (c *Client) Close() {
	c.mutex.Lock()
	c.closed = true
	c.mutex.Unlock()
	c.end()
	c.calls.Wait()
	c.pool.close()
}

// begin counts a call; false when the client is closed.
func (c *Client) begin() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.closed {
		c.calls.Add(1)
	}
	return !c.closed
}

// CallOption is an option of one call.
type CallOption func(*callOptions)

type callOptions struct {
	window, attempt       time.Duration
	hasWindow, hasAttempt bool
	header                http.Header
	onRetry               func(Retry)
}

// Window is how long re-sends may take, in place of the seat's own window; 0: a single attempt.
func Window(d time.Duration) CallOption {
	return func(o *callOptions) { o.window, o.hasWindow = d, true }
}

// AttemptTime is how long one attempt may take, in place of the seat's own timer.
func AttemptTime(d time.Duration) CallOption {
	return func(o *callOptions) { o.attempt, o.hasAttempt = d, true }
}

// Header adds a header to the requests of one call.
func Header(name, value string) CallOption {
	return func(o *callOptions) { o.header.Set(name, value) }
}

// OnRetry is called before each sleep of the ladder of one call.
func OnRetry(listener func(Retry)) CallOption {
	return func(o *callOptions) { o.onRetry = listener }
}

func optionsOf(given []CallOption) callOptions {
	options := callOptions{header: http.Header{}}
	for _, each := range given {
		each(&options)
	}
	return options
}
