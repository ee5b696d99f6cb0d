package turnwire_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// arrived is a request that was read whole.
type arrived struct {
	*http.Request
	body       string
	connection int
}

// reply is an answer; a nil one resets the connection, and a raw one is written as it is, before the connection is closed.
type reply struct {
	status int
	body   any
	header map[string]string
	raw    string
	// parked: never answered; the peer waits until the client goes.
	parked bool
}

// peer answers as a test tells it, on real sockets, and remembers what arrived.
type peer struct {
	url string

	mutex    sync.Mutex
	requests []arrived
	accepted int
	open     map[net.Conn]bool
}

func peerOf(t *testing.T, script func(request arrived, nth int) *reply) *peer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{url: "http://" + listener.Addr().String(), open: map[net.Conn]bool{}}
	var serving sync.WaitGroup
	serving.Add(1)
	go func() {
		defer serving.Done()
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.mutex.Lock()
			p.accepted++
			number := p.accepted
			p.open[conn] = true
			p.mutex.Unlock()
			serving.Add(1)
			go func() { defer serving.Done(); p.serve(conn, number, script) }()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		p.mutex.Lock()
		for conn := range p.open {
			_ = conn.Close()
		}
		p.mutex.Unlock()
		serving.Wait()
	})
	return p
}

func (p *peer) serve(conn net.Conn, number int, script func(arrived, int) *reply) {
	defer func() {
		_ = conn.Close()
		p.mutex.Lock()
		delete(p.open, conn)
		p.mutex.Unlock()
	}()
	reader := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		got := arrived{request, string(body), number}
		p.mutex.Lock()
		nth := len(p.requests)
		p.requests = append(p.requests, got)
		p.mutex.Unlock()
		answer := script(got, nth)
		switch {
		case answer == nil:
			_ = conn.(*net.TCPConn).SetLinger(0)
			return
		case answer.parked:
			_, _ = reader.ReadByte()
			return
		case answer.raw != "":
			_, _ = io.WriteString(conn, answer.raw)
			return
		}
		if _, err := io.WriteString(conn, answer.text(request.Method)); err != nil {
			return
		}
	}
}

func (r *reply) text(method string) string {
	text := ""
	switch body := r.body.(type) {
	case nil:
	case string:
		text = body
	default:
		encoded, _ := json.Marshal(body)
		text = string(encoded)
	}
	header := map[string]string{
		"Content-Type": "application/json", "Turnwire-Version": "1", "Content-Length": fmt.Sprint(len(text)),
	}
	for name, value := range r.header {
		header[name] = value
	}
	if r.status == http.StatusNoContent || r.status == http.StatusNotModified {
		delete(header, "Content-Length")
	}
	var out strings.Builder
	fmt.Fprintf(&out, "HTTP/1.1 %d X\r\n", r.status)
	for name, value := range header {
		fmt.Fprintf(&out, "%s: %s\r\n", name, value)
	}
	out.WriteString("\r\n")
	if method != http.MethodHead {
		out.WriteString(text)
	}
	return out.String()
}

// problem is an error of ours.
func problem(status int, code string) *reply {
	body := map[string]any{"type": "urn:turnwire:problem:" + code, "title": code, "status": status, "detail": "d", "code": code}
	return &reply{status: status, body: body, header: map[string]string{"Turnwire-Code": code}}
}

func ok(body any) *reply { return &reply{status: http.StatusOK, body: body} }

func (p *peer) arrived() []arrived {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]arrived{}, p.requests...)
}

func (p *peer) connections() (accepted, open int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.accepted, len(p.open)
}

// settles waits for a condition that is about to hold.
func settles(t *testing.T, what string, fine func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !fine(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never came: ", what)
		}
	}
}

// refusedURL is an address where nobody listens.
func refusedURL(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}
