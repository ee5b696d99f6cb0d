package turnwire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"
)

// httpRequest is what is sent.
type httpRequest struct {
	method, origin, target string
	header                 http.Header
	// body is nil where there is none.
	body []byte
}

// exchanged is what came of one attempt.
type exchanged struct {
	response *Answer
	err      error
	// kind is evidence that is known by name.
	kind string
	// aborted: the caller had given the call up when it ended.
	aborted bool
}

// hold is called between the connection and the first byte; when it fails, nothing is written.
type hold func(context.Context) error

var errAttemptTimeout = errors.New("the attempt's own time is over")

// attemptKey is where a dial finds the attempt that it is for: net/http detaches the context of a dial from its request's.
type attemptKey struct{}

// alarm ends an attempt when its time is over.
type alarm struct {
	timer  *time.Timer
	after  time.Duration
	cancel context.CancelCauseFunc
}

func newAlarm(after time.Duration, cancel context.CancelCauseFunc) *alarm {
	return &alarm{time.AfterFunc(after, func() { cancel(errAttemptTimeout) }), after, cancel}
}

// rearm begins its time anew, and stop holds it: the silence of a reader is not the peer's.
func (a *alarm) rearm() { a.timer.Reset(a.after) }
func (a *alarm) stop()  { a.timer.Stop() }

// exchange runs one attempt. Nothing is judged here and nothing is sent twice; a redirect is an answer like any other (TW-CER-020).
func exchange(ctx context.Context, transport http.RoundTripper, request httpRequest, timeout time.Duration, hold hold) exchanged {
	result, body, _, end := open(ctx, transport, request, timeout, hold)
	defer end()
	if body == nil {
		return result
	}
	text, err := readAll(body)
	result.response.Body = text
	if err == nil {
		if len(text) == 0 {
			result.response.Body = nil
		}
		return result
	}
	// A status line that came counts, whatever became of the body (TW-CER-010, TW-CER-011).
	result.response.Body, result.response.BodyLost = nil, true
	return ended(ctx, result, err)
}

// open sends a request and reads the status line and headers of its answer. body is nil when there is no answer. The alarm runs on
// over the body; end gives everything back.
func open(ctx context.Context, transport http.RoundTripper, request httpRequest, timeout time.Duration, hold hold) (result exchanged, body io.Reader, bell *alarm, end func()) {
	if ctx.Err() != nil {
		return exchanged{aborted: true}, nil, nil, func() {}
	}
	inner, cancel := context.WithCancelCause(ctx)
	bell = newAlarm(timeout, cancel)
	end = func() { bell.stop(); cancel(nil) }
	var held *heldConn
	traced := inner
	if hold != nil {
		traced = httptrace.WithClientTrace(inner, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
			if conn, ours := got.Conn.(*heldConn); ours {
				held = conn
				conn.holdNext(inner, hold)
			}
		}})
	}
	traced = context.WithValue(traced, attemptKey{}, inner)
	response, err := transport.RoundTrip(request.http(traced))
	if err != nil {
		result = ended(ctx, exchanged{}, causeOr(inner, err))
		if held != nil && !result.aborted {
			if refused := held.refusal(); refused != nil {
				result = exchanged{err: refused, kind: "connect_failed"}
			}
		}
		return result, nil, bell, end
	}
	closing := end
	end = func() { _ = response.Body.Close(); closing() }
	answer := &Answer{Status: response.StatusCode, Header: response.Header}
	return exchanged{response: answer}, &causedReader{inner, response.Body}, bell, end
}

// http is the request for net/http. Its body is never nil and cannot be had a second time, so that http.Transport sends it once: it
// would re-send what it takes to be idempotent (a GET, or anything with an Idempotency-Key) on a kept connection that died, and
// nobody would know of the second copy.
func (r httpRequest) http(ctx context.Context) *http.Request {
	var body io.Reader = once{bytes.NewReader(r.body)}
	if r.body == nil && r.method == http.MethodPost {
		// Or net/http sends an empty body in chunks. Without a key it sends this once too.
		body = http.NoBody
	}
	request, err := http.NewRequestWithContext(ctx, r.method, r.origin+r.target, body)
	if err != nil {
		// The parts of the URL were checked before.
		panic(err)
	}
	request.Header = r.header.Clone()
	request.ContentLength = int64(len(r.body))
	request.GetBody = nil
	return request
}

// once hides what a reader is, so that net/http makes no copy of it.
type once struct{ io.Reader }

func (once) Close() error { return nil }

// causedReader tells why a body ended, where its context does.
type causedReader struct {
	ctx  context.Context
	body io.Reader
}

func (r *causedReader) Read(into []byte) (int, error) {
	n, err := r.body.Read(into)
	if err != nil && err != io.EOF {
		err = causeOr(r.ctx, err)
	}
	return n, err
}

// causeOr is the cause that a context was ended with, or else the error.
func causeOr(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(cause, errAttemptTimeout) {
		return cause
	}
	return err
}

// ended says how an attempt ended: by its caller, by its time, or by an error.
func ended(ctx context.Context, result exchanged, err error) exchanged {
	switch {
	case ctx.Err() != nil:
		result.aborted = true
	case errors.Is(err, errAttemptTimeout):
		result.kind = "attempt_timeout"
	case errors.Is(err, errTooLong):
		result.kind = "body_truncated"
	default:
		result.err = err
	}
	return result
}

var errTooLong = errors.New("the body is longer than any that is taken")

func readAll(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, answerBytes+1))
	if err == nil && len(text) > answerBytes {
		err = errTooLong
	}
	return text, err
}
