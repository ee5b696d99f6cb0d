package turnwire_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"turnwire.dev/go"
	"turnwire.dev/go/gen"
)

// Each kind of failure on a real socket, as net/http's own client returns it.
func failureOf(t *testing.T, url string, client *http.Client) error {
	t.Helper()
	if client == nil {
		client = &http.Client{Transport: &http.Transport{}, Timeout: time.Second}
	}
	defer client.CloseIdleConnections()
	response, err := client.Post(url, "text/plain", strings.NewReader("x"))
	if err == nil {
		_, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
	}
	if err == nil {
		t.Fatal("nothing failed")
	}
	return err
}

func holdNative(t *testing.T, err error, certainty gen.Certainty, permanent bool, evidence ...string) {
	t.Helper()
	verdict := turnwire.Classify(turnwire.Attempted{Err: err})
	fine := verdict.Certainty == certainty && verdict.Permanent == permanent
	for _, each := range evidence {
		if fine && verdict.Evidence == each {
			return
		}
	}
	t.Errorf("%v: %+v, not %s %v", err, verdict, certainty, evidence)
}

func TestNativeRefused(t *testing.T) {
	holdNative(t, failureOf(t, "http://127.0.0.1:1/", nil), gen.NeverDelivered, false, "connect_failed")
	holdNative(t, failureOf(t, "http://localhost:1/", nil), gen.NeverDelivered, false, "connect_failed")
	holdNative(t, failureOf(t, "https://127.0.0.1:1/", nil), gen.NeverDelivered, false, "connect_failed")
	holdNative(t, failureOf(t, "http://no-such-host.invalid/", nil), gen.NeverDelivered, false, "lookup_failed")
}

func TestNativeAnswers(t *testing.T) {
	for name, of := range map[string]struct {
		reply    *reply
		evidence []string
	}{
		"reset":   {nil, []string{"reset", "closed"}},
		"garbage": {&reply{raw: "\x00\x01 no HTTP\r\n\r\n"}, []string{"unparsable", "unexplained"}},
		"cut":     {&reply{raw: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"}, []string{"closed"}},
		"closed":  {&reply{raw: "H"}, []string{"closed", "unparsable", "unexplained"}},
		"silent":  {&reply{parked: true}, []string{"attempt_timeout"}},
	} {
		t.Run(name, func(t *testing.T) {
			peer := peerOf(t, func(arrived, int) *reply { return of.reply })
			holdNative(t, failureOf(t, peer.url, nil), gen.Unknown, false, of.evidence...)
		})
	}
}

func TestNativeTLS(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	holdNative(t, failureOf(t, secure.URL, nil), gen.NeverDelivered, true, "tls_rejected")
	trusting := secure.Client()
	trusting.Transport.(*http.Transport).TLSClientConfig.ServerName = "another.example"
	holdNative(t, failureOf(t, secure.URL, trusting), gen.NeverDelivered, true, "tls_rejected")
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	holdNative(t, failureOf(t, strings.Replace(plain.URL, "http:", "https:", 1), nil), gen.NeverDelivered, true, "tls_rejected")
	asksForMore := httptest.NewUnstartedServer(http.NotFoundHandler())
	asksForMore.Config.ErrorLog = secure.Config.ErrorLog
	asksForMore.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	asksForMore.StartTLS()
	defer asksForMore.Close()
	holdNative(t, failureOf(t, asksForMore.URL, asksForMore.Client()), gen.Unknown, false, "tls_failed", "reset", "closed")
}

func TestNativeHandshakes(t *testing.T) {
	for name, of := range map[string]struct {
		behave   func(net.Conn)
		evidence []string
	}{
		"reset": {func(conn net.Conn) { _ = conn.(*net.TCPConn).SetLinger(0) }, []string{"reset", "closed"}},
		"close": {func(net.Conn) {}, []string{"closed", "reset"}},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			go func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					_, _ = conn.Read(make([]byte, 4096))
					of.behave(conn)
					_ = conn.Close()
				}
			}()
			holdNative(t, failureOf(t, "https://"+listener.Addr().String(), nil), gen.Unknown, false, of.evidence...)
		})
	}
}

func TestNativeDialTimeout(t *testing.T) {
	dialer := net.Dialer{Timeout: time.Nanosecond}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
	holdNative(t, failureOf(t, "http://127.0.0.1:1/", client), gen.NeverDelivered, false, "connect_timeout", "connect_failed")
}

// hostile is an error that can do nothing right.
type hostile struct{ any []int }

func (hostile) Error() string { panic("no") }
func (hostile) Unwrap() error { panic("no") }

func TestAnyErrorAtAll(t *testing.T) {
	for _, err := range []error{nil, hostile{}, hostile{[]int{1}}, errors.New(""), errors.Join(), context.Canceled} {
		if verdict := turnwire.Classify(turnwire.Attempted{Err: err}); verdict.Certainty != gen.Unknown {
			t.Error(err, verdict)
		}
	}
	fault := turnwire.FaultFrom(hostile{}, "seat", "http://h")
	if fault.Code != "unknown" || fault.Error() == "" {
		t.Error(fault)
	}
}
