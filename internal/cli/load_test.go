package cli

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestWhoWaitsIsTold after the limit, once, and not while anything else is printed.
func TestWhoWaitsIsTold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		patience, takes time.Duration
		want            int
	}{
		{"fast", 0, 2*time.Second - 1, 0},
		{"slow", 0, 2*time.Second + 1, 1},
		{"very slow", 0, time.Hour, 1},
		{"less patience", time.Second, 1500 * time.Millisecond, 1},
		{"for ever", -1, time.Hour, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var stderr slowWriter
			inv := &invocation{Process: Process{Stderr: &stderr, Patience: tt.patience}}
			done := inv.waiting()
			time.Sleep(tt.takes)
			done()
			if n := strings.Count(stderr.String(), "\n"); n != tt.want {
				t.Errorf("%s: %d lines: %q", tt.name, n, stderr.String())
			}
		})
	}
}

// slowWriter takes a second for everything, as a terminal may.
type slowWriter struct{ strings.Builder }

func (w *slowWriter) Write(text []byte) (int, error) {
	time.Sleep(time.Second)
	return w.Builder.Write(text)
}
