// Package clock is the seam through which trust in a lease is measured.
//
// A duration that decides whether a process may still act is taken on two clocks at once. The
// monotonic clock does not see that a machine was suspended; the wall clock can be set by anybody.
// The larger of the two is what may have passed elsewhere, so [Instant.Elapsed] returns that: a
// suspend and a step forward end trust early, a step back changes nothing.
//
// Everything else in the runtime (timers, deadlines, backoffs) uses package time.
package clock

import "time"

// Clock tells the present instant. Implementations are safe for concurrent use.
type Clock interface{ Now() Instant }

// Instant is a reading of a monotonic and a wall clock. Only durations between two instants of one
// clock mean anything. The zero Instant is before every other.
type Instant struct {
	monotonic time.Time // compared by its monotonic reading
	wall      time.Time // without one
}

// Elapsed returns the time from i to now: the larger of what the monotonic and the wall clock
// counted. It is negative only if both say so.
func (i Instant) Elapsed(now Instant) time.Duration {
	return max(now.monotonic.Sub(i.monotonic), now.wall.Sub(i.wall))
}

// System returns the clock of the operating system.
func System() Clock { return system{} }

type system struct{}

func (system) Now() Instant {
	now := time.Now()
	return Instant{monotonic: now, wall: now.Round(0)}
}
