// Package backoff computes how long to wait before something is tried again.
//
// The wait is a pure function of the attempt's number and a random number, and is used through
// go-retry's Backoff.
package backoff

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/sethvargo/go-retry"
)

// Policy is an exponential backoff with a cap and jitter.
type Policy struct {
	Initial, Max time.Duration
	Multiplier   float64 // at least 1
	Jitter       float64 // share of the wait, from 0 to 1
}

// After returns the wait after attempt n, counted from 1: min(Initial × Multiplier^(n-1), Max),
// then up to Jitter of it more or less, as random (in [0, 1)) says. It is at least 1 ns.
func (p Policy) After(n int, random float64) time.Duration {
	wait := float64(p.Initial) * math.Pow(p.Multiplier, float64(n-1))
	if limit := float64(p.Max); !(wait < limit) { // also where the power is infinite
		wait = limit
	}
	wait *= 1 + p.Jitter*(2*random-1)
	return max(time.Duration(wait), 1)
}

// Wait is [Policy.After] with a random number of its own.
func (p Policy) Wait(n int) time.Duration { return p.After(n, rand.Float64()) }

// Backoff returns the waits one after another, without end, for go-retry.
func (p Policy) Backoff() retry.Backoff {
	n := 0
	return retry.BackoffFunc(func() (time.Duration, bool) {
		n++
		return p.Wait(n), false
	})
}

// Store is the backoff of calls to a store that failed: soon at first, since most failures are a
// change of the primary, and never rarer than a person would want to wait.
var Store = Policy{Initial: 100 * time.Millisecond, Max: 5 * time.Second, Multiplier: 2, Jitter: 0.2}
