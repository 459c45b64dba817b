package observe_test

import (
	"bytes"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/observe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func nth(n int) fact.Fact { return fact.PositionSaved{Events: uint64(n)} }

// recorder is an observer that notes what it is told.
type recorder struct {
	mu    sync.Mutex // guards facts
	facts []fact.Fact
}

func (r *recorder) observe(f fact.Fact) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.facts = append(r.facts, f)
}

func (r *recorder) told() []fact.Fact {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]fact.Fact(nil), r.facts...)
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestFactsAreToldInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		q := observe.NewQueue(r.observe, discard())
		for n := range 1000 {
			q.Report(nth(n))
		}
		q.Close(time.Second)
		told := r.told()
		if len(told) != 1000 {
			t.Fatalf("told %d facts, want 1000", len(told))
		}
		for n, f := range told {
			if f != nth(n) {
				t.Fatalf("fact %d: got %+v", n, f)
			}
		}
	})
}

func TestObserverThatPanicsIsToldTheNextFact(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		var logs bytes.Buffer
		q := observe.NewQueue(func(f fact.Fact) {
			r.observe(f)
			panic("on the loose")
		}, slog.New(slog.NewTextHandler(&logs, nil)))
		q.Report(nth(1))
		q.Report(nth(2))
		q.Close(time.Second)
		if got := len(r.told()); got != 2 {
			t.Errorf("told %d facts, want 2", got)
		}
		if !strings.Contains(logs.String(), "on the loose") {
			t.Errorf("the panic is not logged:\n%s", logs.String())
		}
	})
}

func TestObserverThatBlocksHoldsUpNobodyAndHearsHowManyAreMissing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		release := make(chan struct{})
		q := observe.NewQueue(func(f fact.Fact) {
			<-release
			r.observe(f)
		}, discard())
		q.Report(nth(0))
		synctest.Wait() // it blocks
		const more = 500
		for n := range observe.QueueLength + more {
			q.Report(nth(n + 1))
		}
		close(release)
		q.Close(time.Second)
		told, dropped := 0, int64(0)
		for _, f := range r.told() {
			if d, ok := f.(fact.Dropped); ok {
				dropped += d.Count
				continue
			}
			if f != nth(told) {
				t.Fatalf("fact %d: got %+v", told, f)
			}
			told++
		}
		if told != observe.QueueLength+1 || dropped != more {
			t.Errorf("told %d and dropped %d, want %d and %d",
				told, dropped, observe.QueueLength+1, more)
		}
	})
}

func TestCloseWaitsForABlockedObserverOnlySoLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		q := observe.NewQueue(func(fact.Fact) { <-release }, discard())
		q.Report(nth(1))
		began := time.Now()
		q.Close(time.Second)
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %s, want 1s", took)
		}
		q.Report(nth(2)) // harms nobody
		close(release)
	})
}

// An observer that ends its goroutine harms nothing either.
func TestObserverThatEndsItsGoroutineIsToldTheNextFact(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		q := observe.NewQueue(func(f fact.Fact) {
			r.observe(f)
			if f == nth(1) {
				runtime.Goexit()
			}
		}, discard())
		q.Report(nth(1))
		q.Report(nth(2))
		synctest.Wait()
		q.Close(time.Second)
		if got := len(r.told()); got != 2 {
			t.Errorf("told %d facts, want 2", got)
		}
	})
}
