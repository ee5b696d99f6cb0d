package turnwire

import (
	"fmt"
	"time"

	"turnwire.dev/go/gen"
)

// RoutabilityLine is what a seat that needed more than one attempt says when it is over (TW-RET-022). Never a token, never a query.
type RoutabilityLine struct {
	// Msg is the whole line, literally: turnwire.routability seat=admission attempts=3 ms=502 last=<errno> url=http://…
	Msg  string
	Seat string
	// Attempts: the first and every one that followed a failure; answers that were waited for are not counted.
	Attempts int
	// Lost is from the first failed attempt's start to the answer after it, all of them together.
	Lost time.Duration
	// Last is the last failure: an errno, an evidence name, or the code or status of an answer.
	Last string
	// URL is origin and path of the last request.
	URL string
	// OK says whether the seat got its answer in the end.
	OK bool
	// WithinBudget says whether both meters of the budget were held (TW-RET-023).
	WithinBudget bool
}

// meter counts what re-sending cost one seat.
type meter struct {
	seat     string
	clock    Clock
	failures int
	lost     time.Duration
	since    time.Time
	last     string
}

// failed: an attempt that began at startedAt failed, and the seat goes on.
func (m *meter) failed(startedAt time.Time, last string) {
	m.failures++
	m.last = last
	if m.since.IsZero() {
		m.since = startedAt
	}
}

// answered: the peer answered.
func (m *meter) answered() {
	if !m.since.IsZero() {
		m.lost += m.clock.Now().Sub(m.since)
		m.since = time.Time{}
	}
}

// line is that of a seat that is over; nil when one attempt was enough.
func (m *meter) line(url string, ok bool) *RoutabilityLine {
	if m.failures == 0 {
		return nil
	}
	m.answered()
	attempts, lost := m.failures+1, m.lost.Round(time.Millisecond)
	msg := fmt.Sprintf("turnwire.routability seat=%s attempts=%d ms=%d last=%s url=%s", m.seat, attempts, lost.Milliseconds(), m.last, url)
	within := lost <= ms(gen.BudgetMs) && attempts <= gen.BudgetAttempts
	return &RoutabilityLine{msg, m.seat, attempts, lost, m.last, url, ok, within}
}
