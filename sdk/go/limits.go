package turnwire

import (
	"time"

	"turnwire.dev/go/gen"
)

// The SDK's own bounds, each with its reason. What peers and languages must agree on is in package gen instead.
const (
	// A Retry-After in a seat without a window: nothing else bounds it, and a wait must notice a peer's return.
	unboundedRetryAfter = 60 * time.Second

	// A taken pick whose polls answer 2xx with broken bodies: a few may be cuts, more are a peer that cannot say it.
	brokenReceipts = 4

	// A history or a catch-up holds whole conversations; a peer must not fill our memory all the same.
	answerBytes = 64 << 20

	// A feed without a frame or a comment for this long is dead: two comments were missed, and a little for the network.
	feedSilence = 2*gen.FeedCommentMs*time.Millisecond + 5*time.Second

	// One line of a feed: a snapshot of many runs.
	feedLineBytes = 64 << 20

	// Members of a joined error, all levels together: a walk over a graph of errors must end.
	errorMembers = 10_000

	// Characters of a peer's text that a fault repeats.
	reasonLength = 500

	// Idle connections to one peer: as many as there can be calls at once; they are dropped after 4 s anyway.
	idleConnections = 1024
)

// ms is a number of the tables as a duration.
func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }
