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
	return time.Duration(min(wait, float64(s.max)))
}

// total is the sum of all waits without jitter.
func (s schedule) total() time.Duration {
	sum := time.Duration(0)
	for n := 1; n < s.attempts; n++ {
		wait := s.wait(n)
		if wait == s.max { // and so are all that follow
			rest := float64(s.attempts-n) * float64(s.max)
			return time.Duration(min(float64(sum)+rest, math.MaxInt64))
		}
		sum += wait
	}
	return sum
}

// seconds writes a duration as seconds, with three digits behind the point where they matter.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Seconds()*1000)/1000, 'f', -1, 64) + " s"
}
