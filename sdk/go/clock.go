package turnwire

import (
	"context"
	"time"
)

// Clock is time, injected so that a ladder can be tested without waiting.
type Clock interface {
	// Now never runs backwards.
	Now() time.Time
	// Sleep returns after d, or at once when ctx is done.
	Sleep(ctx context.Context, d time.Duration)
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
