package fw

import (
	"errors"
	"slices"
	"time"
)

// RetryPolicy says how often, and how soon, a failed event is attempted again.
//
// The wait before attempt n+1 is min(Initial × Multiplier^(n-1), Max), then more or less by Jitter.
type RetryPolicy struct {
	// Attempts in all, the first included. Defaults to 1: no retry.
	Attempts int
	// Initial and Max are the first and the longest wait. Default to 500 ms and 30 s.
	Initial, Max time.Duration
	// Multiplier defaults to 2.
	Multiplier float64
	// Jitter is a share of the wait, 0.2 is ± 20 %. Defaults to 0.2; negative: none.
	Jitter float64
	// On, unless empty, are the only errors that are retried. Except are never retried, and win.
	On, Except []ErrorMatch
}

// DLQPolicy says what becomes of events that could not be handled.
type DLQPolicy struct {
	// Enabled stores them as dead letters. Off by default.
	Enabled bool
	// Collection in [Config.StateDatabase]. Defaults to the prefix and "_dlq".
	Collection string
	// Retention is how long a dead letter is kept. Defaults to 30 days; negative: for ever.
	Retention time.Duration
	// OmitDocument leaves the documents out, OmitStack the stack of a panic.
	OmitDocument, OmitStack bool
	// OnFailure is "block" (default): a dead letter that can't be written is tried for ever.
	// Others are not available yet.
	OnFailure string
	// Breaker is not available yet.
	Breaker int
}

// CheckpointPolicy says how often the position is stored, and where a new stream begins.
type CheckpointPolicy struct {
	// Every and Interval: after so many settled events or so much time, whichever is first.
	// Default to 10,000 events and 1 s. Interval is at least 10 ms.
	Every    int
	Interval time.Duration
	// Idle is how often a stream without events stores how far it has read. Defaults to 1 m, and
	// is at least 10 ms.
	Idle time.Duration
	// Start is where a stream without a stored position begins: "now" (default). Others are not
	// available yet.
	Start string
	// OnHistoryLost is "stop" (default). Others are not available yet.
	OnHistoryLost string
}

// LeasePolicy tunes the leadership of a [SingleLeader] stream.
type LeasePolicy struct {
	// TTL is how long a lease outlives its owner. Defaults to 60 s.
	TTL time.Duration
	// Heartbeat is how often a leader renews it, at most a third of TTL. Defaults to 15 s, and is
	// at least 100 ms.
	Heartbeat time.Duration
	// Poll is how often a standby looks where it can't watch. Defaults to 20 s, and is at least
	// 100 ms.
	Poll time.Duration
	// Priority decides between live instances: a leader steps down, once its running handlers have
	// returned, for one of a strictly higher priority. Defaults to 0; may be negative.
	Priority int
	// Yield is how many times in a row the reader of a leader fails without progress before the
	// leader hands the stream over, if another live instance deploys it, and leaves it to others
	// for one TTL. One that yields again and again asks a leader of a lower Priority to step down
	// ever more rarely. Defaults to 3; negative: never.
	Yield int
}

// RestartPolicy says how often, and how soon, a stream whose reader failed is opened again.
type RestartPolicy struct {
	// Attempts in a row before the stream fails. Defaults to 0: no end.
	Attempts int
	// Initial and Max are the first and the longest wait. Default to 1 s and 60 s.
	Initial, Max time.Duration
	// Multiplier defaults to 2. Jitter defaults to 0.2; negative: none.
	Multiplier, Jitter float64
}

// ErrorMatch tells whether an error is meant. [MatchValue] and [MatchType] make one.
type ErrorMatch struct {
	matches func(error) bool
}

// MatchValue matches the errors for which errors.Is(err, target) holds.
func MatchValue(target error) ErrorMatch {
	return ErrorMatch{func(err error) bool { return errors.Is(err, target) }}
}

// MatchType matches the errors for which errors.As finds an E.
func MatchType[E error]() ErrorMatch {
	return ErrorMatch{func(err error) bool {
		_, ok := errors.AsType[E](err)
		return ok
	}}
}

func anyMatch(matches []ErrorMatch, err error) bool {
	return slices.ContainsFunc(matches, func(m ErrorMatch) bool { return m.match(err) })
}

// match reports whether err is meant. An error whose own Is or As panics is not.
func (m ErrorMatch) match(err error) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return m.matches != nil && m.matches(err)
}
