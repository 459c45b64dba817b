package backoff_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/runtime/internal/backoff"
)

func TestWaitIsExponentialUpToTheLimit(t *testing.T) {
	t.Parallel()
	p := backoff.Policy{Initial: 500 * time.Millisecond, Max: 30 * time.Second, Multiplier: 2}
	var got []time.Duration
	for n := range 8 {
		got = append(got, p.After(n+1, 0.7))
	}
	want := []time.Duration{500e6, 1e9, 2e9, 4e9, 8e9, 16e9, 30e9, 30e9}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

func TestJitterSpreadsAroundTheWait(t *testing.T) {
	t.Parallel()
	p := backoff.Policy{Initial: time.Second, Max: time.Minute, Multiplier: 2, Jitter: 0.2}
	for random, want := range map[float64]time.Duration{
		0: 1600 * time.Millisecond, 0.5: 2 * time.Second, 0.75: 2200 * time.Millisecond,
	} {
		if got := p.After(2, random); got != want {
			t.Errorf("random %v: got %s, want %s", random, got, want)
		}
	}
}

func TestB107WaitIsAlwaysPositiveBoundedAndMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := backoff.Policy{
			Initial:    time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "initial")),
			Multiplier: rapid.Float64Range(1, 100).Draw(t, "multiplier"),
			Jitter:     rapid.Float64Range(0, 1).Draw(t, "jitter"),
		}
		p.Max = p.Initial +
			time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "more"))
		n := rapid.IntRange(1, 10_000).Draw(t, "attempt")
		random := rapid.Float64Range(0, math.Nextafter(1, 0)).Draw(t, "random")
		wait := p.After(n, random)
		if limit := time.Duration(float64(p.Max) * (1 + p.Jitter)); wait <= 0 || wait > limit+1 {
			t.Fatalf("wait %s is not in (0, %s]", wait, limit)
		}
		base, next := p, p
		base.Jitter, next.Jitter = 0, 0
		if base.After(n, random) > next.After(n+1, random) {
			t.Fatalf("attempt %d waits longer than the next", n)
		}
		if low := float64(base.After(n, 0)) * (1 - p.Jitter); float64(wait) < math.Floor(low)-1 {
			t.Fatalf("wait %s is below %v", wait, low)
		}
	})
}

func TestB107TenThousandAttempts(t *testing.T) {
	t.Parallel()
	for _, p := range []backoff.Policy{
		{Initial: 1, Max: time.Hour, Multiplier: 2, Jitter: 1},
		{Initial: time.Hour, Max: math.MaxInt64 / 4, Multiplier: 100, Jitter: 0.2},
		backoff.Store,
	} {
		for n := 1; n <= 10_000; n++ {
			if wait := p.After(n, 0); wait <= 0 {
				t.Fatalf("%+v: attempt %d waits %s", p, n, wait)
			}
		}
	}
}

func TestBackoffOfGoRetryHasNoEnd(t *testing.T) {
	t.Parallel()
	b := backoff.Policy{Initial: time.Second, Max: 3 * time.Second, Multiplier: 2}.Backoff()
	for _, want := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second,
		3 * time.Second} {
		if got, stop := b.Next(); got != want || stop {
			t.Errorf("got %s, stop %t, want %s", got, stop, want)
		}
	}
}
