package cli

import (
	"math"
	"strconv"
	"time"

	"github.com/fwgen/fwgen/internal/model"
	"github.com/fwgen/fwgen/internal/spec"
)

// shownWaits is how many waits are written out.
const shownWaits = 10

// schedule is how long the attempts of an event wait for each other.
type schedule struct {
	attempts      int
	initial, max  time.Duration
	factor, shake float64
}

// newSchedule fills the defaults in.
func newSchedule(r model.Retry) schedule {
	s := schedule{
		attempts: r.Attempts, initial: r.Initial, max: r.Max,
		factor: r.Multiplier, shake: r.Jitter,
	}
	if s.initial == 0 {
		s.initial = standard[time.Duration]("initial")
	}
	if s.max == 0 {
		s.max = standard[time.Duration]("max")
	}
	if s.factor == 0 {
		s.factor = standard[float64]("multiplier")
	}
	switch {
	case s.shake == 0:
		s.shake = standard[float64]("jitter")
	case s.shake < 0: // written as 0
		s.shake = 0
	}
	return s
}

// standard is the default of a key of //fw:retry.
func standard[T any](key string) T {
	o := spec.Lookup("retry").Lookup(key)
	value, _ := o.Parse(o.Default) // a test holds that the table's defaults are valid
	return value.(T)
}

// wait is what lies before attempt n+1 without jitter: min(initial × multiplier^(n-1), max).
func (s schedule) wait(n int) time.Duration {
	wait := float64(s.initial) * math.Pow(s.factor, float64(n-1))
	return nanoseconds(min(wait, float64(s.max)))
}

// total is the sum of all waits without jitter.
func (s schedule) total() time.Duration {
	sum := 0.0
	for n := 1; n < s.attempts; n++ {
		wait := s.wait(n)
		if wait == s.max || s.factor == 1 { // and so are all that follow
			return nanoseconds(sum + float64(s.attempts-n)*float64(wait))
		}
		sum += float64(wait)
	}
	return nanoseconds(sum)
}

// nanoseconds is a duration, the longest where there is none so long.
func nanoseconds(n float64) time.Duration {
	if n >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(n)
}

// seconds writes a duration as seconds, with three digits behind the point where they matter.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Seconds()*1000)/1000, 'f', -1, 64) + " s"
}
