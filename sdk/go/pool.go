package turnwire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"

	"turnwire.dev/go/gen"
)

// pool is what stands between the SDK and its sockets.
type pool struct {
	tls *tls.Config

	mutex    sync.Mutex
	current  *http.Transport
	inFlight map[*http.Transport]int
}

func newPool(config *tls.Config) *pool {
	p := &pool{tls: config, inFlight: map[*http.Transport]int{}}
	p.current = p.made()
	return p
}

// made is a transport that dials by our own clock (TW-RET-027), drops idle sockets (TW-RET-028), and asks for nothing that we did
// not: no proxy of the environment (a token goes to its own origin alone), no compression, no HTTP/2.
func (p *pool) made() *http.Transport {
	return &http.Transport{
		DialContext:         p.dial,
		DialTLSContext:      p.dialTLS,
		IdleConnTimeout:     ms(gen.IdleSocketMs),
		MaxIdleConnsPerHost: idleConnections,
		DisableCompression:  true,
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
}

// borrow is what to send one attempt on.
func (p *pool) borrow() *http.Transport {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.inFlight[p.current]++
	return p.current
}

// giveBack: the attempt is over. dialAnew: nothing more is sent on a socket of used, which finishes what it carries (TW-RET-020).
func (p *pool) giveBack(used *http.Transport, dialAnew bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.inFlight[used]--
	// Of many seats that failed on one transport the first replaces it, and the others find it replaced.
	if dialAnew && used == p.current {
		p.current = p.made()
	}
	if used != p.current {
		used.CloseIdleConnections()
	}
	if p.inFlight[used] == 0 {
		delete(p.inFlight, used)
	}
}

// close ends every socket that is idle; those in use end with their calls.
func (p *pool) close() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.current.CloseIdleConnections()
}

// dialing is a context that ends with the attempt that the dial is for, or with the time of a dial.
func dialing(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, ms(gen.ConnectTimeoutMs))
	attempt, ours := ctx.Value(attemptKey{}).(context.Context)
	if !ours {
		return ctx, cancel
	}
	stop := context.AfterFunc(attempt, cancel)
	return ctx, func() { stop(); cancel() }
}

func (p *pool) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := dialing(ctx)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &heldConn{Conn: conn}, nil
}

// dialTLS makes the connection and secures it in the time of one dial.
func (p *pool) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := dialing(ctx)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	config := p.tls.Clone()
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			// The request is written after the handshake, so nothing of it was.
			err = &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
		}
		return nil, err
	}
	return &heldConn{Conn: secured}, nil
}

// heldConn is a connection whose next byte can be held back.
type heldConn struct {
	net.Conn
	mutex   sync.Mutex
	ctx     context.Context
	hold    hold
	refused error
}

// holdNext: the next write waits for hold, and fails as it does.
func (c *heldConn) holdNext(ctx context.Context, hold hold) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.ctx, c.hold, c.refused = ctx, hold, nil
}

func (c *heldConn) refusal() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.refused
}

func (c *heldConn) Write(data []byte) (int, error) {
	if err := c.released(); err != nil {
		return 0, err
	}
	return c.Conn.Write(data)
}

func (c *heldConn) released() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.hold == nil {
		return c.refused
	}
	hold, ctx := c.hold, c.ctx
	c.hold = nil
	if c.refused = hold(ctx); c.refused != nil {
		return c.refused
	}
	// It was given up meanwhile: a copy that nobody waits for must not leave.
	return ctx.Err()
}
