package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/clock"
)

func TestElapsedIsTheLargerOfMonotonicAndWall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		step    time.Duration
		pass    time.Duration
		atLeast time.Duration
	}{
		{name: "no step", pass: time.Second, atLeast: time.Second},
		{name: "step forward or suspend", step: 10 * time.Minute, pass: time.Second,
			atLeast: 10*time.Minute + time.Second},
		{name: "step back", step: -10 * time.Minute, pass: time.Second, atLeast: time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var c clock.Stepping
				start := c.Now()
				time.Sleep(test.pass)
				c.Step(test.step)
				if got := start.Elapsed(c.Now()); got != test.atLeast {
					t.Errorf("Elapsed = %v, want %v", got, test.atLeast)
				}
			})
		})
	}
}

func TestSystemClockAdvances(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := clock.System().Now()
		time.Sleep(time.Minute)
		if got := start.Elapsed(clock.System().Now()); got != time.Minute {
			t.Errorf("Elapsed = %v, want 1m", got)
		}
	})
}

func TestZeroInstantIsLongAgo(t *testing.T) {
	t.Parallel()
	if got := (clock.Instant{}).Elapsed(clock.System().Now()); got < 24*time.Hour {
		t.Errorf("Elapsed since the zero Instant = %v", got)
	}
}

func TestContextCarriesAClock(t *testing.T) {
	t.Parallel()
	var stepping clock.Stepping
	if got := clock.From(clock.With(t.Context(), &stepping)); got != &stepping {
		t.Errorf("From = %v, want the clock that was given", got)
	}
	if got := clock.From(t.Context()); got != clock.System() {
		t.Errorf("From of a context without a clock = %v, want the system's", got)
	}
}
