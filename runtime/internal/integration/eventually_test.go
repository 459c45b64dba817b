package integration

import (
	"fmt"
	"testing"
	"time"
)

// patience is how long tests wait for what must happen soon. It is long, because the machine may
// be busy, and only a failing test waits that long.
const patience = 30 * time.Second

// eventually waits until check returns nil. If it does not within the time, the test fails with
// the last error and what the states say.
func eventually(t testing.TB, within time.Duration, check func() error, states ...fmt.Stringer) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			for _, state := range states {
				t.Log(state)
			}
			t.Fatalf("not within %s: %v", within, err)
		}
		time.Sleep(10 * time.Millisecond) // between two looks
	}
}

// atLeast returns an error as long as a count is too small.
func atLeast(what string, want int, count func() int) func() error {
	return func() error {
		if n := count(); n < want {
			return fmt.Errorf("%d %s, want %d", n, what, want)
		}
		return nil
	}
}
