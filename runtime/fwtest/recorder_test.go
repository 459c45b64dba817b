package fwtest_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/fwgen/fwgen/runtime/fwtest"
)

// recorder takes the place of a test that is expected to fail.
type recorder struct {
	mu       sync.Mutex // guards what follows
	said     []string
	cleanups []func()
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

// failing runs f as a test, to its end, and returns what it said.
func failing(f func(t fwtest.TB)) string {
	r := &recorder{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f(r)
	}()
	<-ended
	for len(r.cleanups) > 0 {
		last := r.cleanups[len(r.cleanups)-1]
		r.cleanups = r.cleanups[:len(r.cleanups)-1]
		last()
	}
	return strings.Join(r.said, "\n")
}

// wantSaid checks that a failed test says once what is to be known, in this order.
func wantSaid(t *testing.T, said string, parts ...string) {
	t.Helper()
	if n := strings.Count(said, "fwtest: "); n != 1 {
		t.Errorf("%d messages, want 1:\n%s", n, said)
	}
	rest := said
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Fatalf("the test does not say %q, or too early:\n%s", part, said)
		}
		rest = after
	}
}

// Whatever runs tests can be given.
var (
	_ fwtest.TB = (*testing.T)(nil)
	_ fwtest.TB = (*testing.B)(nil)
	_ fwtest.TB = (*testing.F)(nil)
	_ fwtest.TB = (testing.TB)(nil)
)
