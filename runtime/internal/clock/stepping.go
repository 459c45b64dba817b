package clock

import (
	"sync/atomic"
	"time"
)

// Stepping is a clock for tests: the operating system's, with a wall that a test moves, as an
// administrator, a time daemon or a suspended machine would. The zero value is ready to use.
type Stepping struct{ offset atomic.Int64 }

// Now implements [Clock].
func (s *Stepping) Now() Instant {
	now := time.Now()
	return Instant{monotonic: now, wall: now.Round(0).Add(time.Duration(s.offset.Load()))}
}

// Step moves the wall by d, which may be negative. The monotonic clock does not notice.
func (s *Stepping) Step(d time.Duration) { s.offset.Add(int64(d)) }
