package memstore_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

const (
	ttl    = 10 * time.Second
	stream = "orders"
)

// leases is a store of leases with the calls of a test.
type leases struct {
	*memstore.Leases
	t *testing.T
}

func inBubble(t *testing.T, f func(t *testing.T, s leases)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { f(t, leases{Leases: memstore.NewLeases(), t: t}) })
}

func (s leases) acquire(owner string, terms ...int64) store.Lease {
	s.t.Helper()
	req := store.AcquireRequest{Stream: stream, Owner: owner, TTL: ttl}
	if len(terms) > 0 {
		req.Term, req.MinTerm = terms[0], terms[1]
	}
	l, err := s.Acquire(s.t.Context(), req)
	if err != nil {
		s.t.Fatalf("Acquire: %v", err)
	}
	return l
}

func (s leases) renew(owner string, term int64) store.Lease {
	s.t.Helper()
	l, err := s.Renew(s.t.Context(), store.RenewRequest{
		Stream: stream, Owner: owner, Term: term, TTL: ttl,
	})
	if err != nil {
		s.t.Fatalf("Renew: %v", err)
	}
	return l
}

func (s leases) release(owner string, term int64) error {
	return s.Release(s.t.Context(), store.ReleaseRequest{
		Stream: stream, Owner: owner, Term: term, Reason: store.Stopped,
	})
}

// want compares the parts of a lease that decide.
func (s leases) want(l store.Lease, owner string, term int64, expires time.Duration) {
	s.t.Helper()
	if l.Stream != stream || l.Owner != owner || l.Term != term || l.ExpiresIn != expires {
		s.t.Errorf("lease = %+v, want %q's term %d for %v", l, owner, term, expires)
	}
}

func TestAcquire(t *testing.T) {
	inBubble(t, func(_ *testing.T, s leases) {
		s.want(s.acquire("a"), "a", 1, ttl)
		time.Sleep(time.Second)
		s.want(s.acquire("b"), "a", 1, ttl-time.Second)
		s.want(s.acquire("a"), "a", 1, ttl-time.Second)       // live, of an unknown term
		s.want(s.acquire("a", 1, 0), "a", 1, ttl-time.Second) // live, high enough
		s.want(s.acquire("a", 1, 5), "a", 5, ttl)
		s.want(s.acquire("a", 1, 9), "a", 5, ttl) // not the term it has
		s.want(s.acquire("b", 5, 9), "a", 5, ttl)
		time.Sleep(ttl)
		s.want(s.acquire("a"), "a", 6, ttl) // expired: a new term for the same owner, too
		time.Sleep(ttl)
		s.want(s.acquire("b", 0, 20), "b", 20, ttl)
	})
}

func TestRenew(t *testing.T) {
	inBubble(t, func(_ *testing.T, s leases) {
		s.want(s.renew("a", 1), "", 0, 0) // creates nothing
		s.acquire("a")
		time.Sleep(time.Second)
		s.want(s.renew("b", 1), "a", 1, ttl-time.Second)
		s.want(s.renew("a", 2), "a", 1, ttl-time.Second)
		s.want(s.renew("a", 1), "a", 1, ttl)
		time.Sleep(ttl)
		s.want(s.renew("a", 1), "a", 1, 0) // expired
	})
}

func TestRelease(t *testing.T) {
	inBubble(t, func(t *testing.T, s leases) {
		s.acquire("a")
		for _, err := range []error{s.release("b", 1), s.release("a", 2)} {
			if !errors.Is(err, store.ErrNotOwner) {
				t.Errorf("Release = %v", err)
			}
		}
		if err := s.release("a", 1); err != nil {
			t.Errorf("Release = %v", err)
		}
		l := s.Get(stream)
		s.want(l, "", 1, 0)
		if l.Live() || l.Released != store.Stopped {
			t.Errorf("lease = %+v", l)
		}
		if err := s.release("a", 1); !errors.Is(err, store.ErrNotOwner) {
			t.Errorf("second Release = %v", err)
		}
		s.want(s.renew("a", 1), "", 1, 0)
		s.want(s.acquire("b"), "b", 2, ttl)
	})
}

func TestB085AnExpiredOwnerCannotReleaseTheNext(t *testing.T) {
	inBubble(t, func(t *testing.T, s leases) {
		s.acquire("a")
		time.Sleep(ttl)
		s.acquire("b")
		if err := s.release("a", 1); !errors.Is(err, store.ErrNotOwner) {
			t.Errorf("Release = %v", err)
		}
		s.want(s.Get(stream), "b", 2, ttl)
	})
}

func TestAHeldLeaseIsGrantedToNobody(t *testing.T) {
	inBubble(t, func(t *testing.T, s leases) {
		s.Hold(context.Background(), store.HoldRequest{
			Stream: stream, By: "eva", Until: time.Now().Add(time.Minute),
		})
		time.Sleep(time.Second)
		l := s.acquire("a")
		s.want(l, "", 0, 0)
		if l.Hold == nil || l.Hold.By != "eva" || l.Hold.ExpiresIn != 59*time.Second {
			t.Errorf("Hold = %+v", l.Hold)
		}
		time.Sleep(59 * time.Second)
		s.want(s.acquire("a"), "a", 1, ttl)
		s.Hold(context.Background(), store.HoldRequest{Stream: stream, By: "eva"})
		l = s.renew("a", 1)
		s.want(l, "a", 1, ttl)
		if l.Hold == nil || l.Hold.ExpiresIn != 0 {
			t.Errorf("Hold = %+v", l.Hold)
		}
		s.Lift(context.Background(), stream)
		if l = s.renew("a", 1); l.Hold != nil {
			t.Errorf("Hold = %+v", l.Hold)
		}
	})
}

func TestTheServersClockDecides(t *testing.T) {
	inBubble(t, func(_ *testing.T, s leases) {
		s.acquire("a")
		s.Step(ttl - time.Second)
		s.want(s.acquire("b"), "a", 1, time.Second)
		s.Step(-time.Second)
		s.want(s.acquire("b"), "a", 1, 2*time.Second)
		s.Step(2 * time.Second)
		s.want(s.acquire("b"), "b", 2, ttl)
	})
}

func TestOneOfManyAcquires(t *testing.T) {
	inBubble(t, func(t *testing.T, s leases) {
		var group sync.WaitGroup
		granted := make(chan string, 50)
		for n := range 50 {
			group.Go(func() {
				owner := string(rune('A' + n))
				if s.acquire(owner).Granted(owner) {
					granted <- owner
				}
			})
		}
		group.Wait()
		if len(granted) != 1 || s.Get(stream).Term != 1 {
			t.Errorf("%d owners of %+v", len(granted), s.Get(stream))
		}
	})
}

func TestFaults(t *testing.T) {
	errFault := errors.New("fault")
	for _, test := range []struct {
		name    string
		fault   memstore.Fault
		want    error
		took    time.Duration
		applied bool // at the end of the call
		later   bool // a minute on
	}{
		{name: "none", applied: true, later: true},
		{name: "fail", fault: memstore.Fault{Fail: errFault}, want: errFault},
		{name: "lose", fault: memstore.Fault{Lose: errFault}, want: errFault,
			applied: true, later: true},
		{name: "slow", fault: memstore.Fault{Before: time.Second, After: time.Second},
			took: 2 * time.Second, applied: true, later: true},
		{name: "too late", fault: memstore.Fault{Before: 30 * time.Second},
			want: context.DeadlineExceeded, took: 5 * time.Second},
		{name: "applied later", fault: memstore.Fault{Before: 30 * time.Second, Straggles: true},
			want: context.DeadlineExceeded, took: 5 * time.Second, later: true},
		{name: "answered too late", fault: memstore.Fault{After: 30 * time.Second},
			want: context.DeadlineExceeded, took: 5 * time.Second, applied: true, later: true},
		{name: "deaf", fault: memstore.Fault{Before: 30 * time.Second, Deaf: true},
			took: 30 * time.Second, applied: true, later: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, s leases) {
				s.SetFault(func(c memstore.Call) memstore.Fault {
					if c.Method != memstore.Acquire || c.Owner != "a" || c.Stream != stream {
						t.Errorf("call = %+v", c)
					}
					return test.fault
				})
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				start := time.Now()
				_, err := s.Acquire(ctx, store.AcquireRequest{
					Stream: stream, Owner: "a", TTL: time.Hour,
				})
				if !errors.Is(err, test.want) || time.Since(start) != test.took {
					t.Errorf("Acquire = %v after %v", err, time.Since(start))
				}
				if got := s.Get(stream).Live(); got != test.applied {
					t.Errorf("applied = %v, want %v", got, test.applied)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := s.Get(stream).Live(); got != test.later {
					t.Errorf("applied later = %v, want %v", got, test.later)
				}
			})
		})
	}
}

func TestAHungCallWaitsForItsRelease(t *testing.T) {
	inBubble(t, func(t *testing.T, s leases) {
		hang := make(chan struct{})
		s.SetFault(func(memstore.Call) memstore.Fault { return memstore.Fault{Hang: hang} })
		time.AfterFunc(time.Hour, func() { close(hang) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := s.Acquire(ctx, store.AcquireRequest{Stream: stream, Owner: "a", TTL: ttl})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Hour {
			t.Errorf("Acquire = %v after %v", err, time.Since(start))
		}
	})
}

func TestWatchTellsOfEveryChangeAndNothingElse(t *testing.T) {
	inBubble(t, func(t *testing.T, s leases) {
		ctx, cancel := context.WithCancel(t.Context())
		var got []store.Lease
		ready, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- s.Watch(ctx, func() { close(ready) }, func(l store.Lease) { got = append(got, l) })
		}()
		<-ready
		s.acquire("a")
		s.acquire("b") // changes nothing
		s.renew("a", 1)
		s.renew("b", 1) // changes nothing
		s.Hold(context.Background(), store.HoldRequest{Stream: stream, By: "eva"})
		s.Lift(context.Background(), stream)
		_ = s.release("a", 1)
		time.Sleep(2 * ttl)
		s.acquire("b")
		time.Sleep(2 * ttl) // an expiry is no change
		s.Delete(stream)
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch = %v", err)
		}
		owners := []string{"a", "a", "a", "a", "", "b", ""}
		if len(got) != len(owners) {
			t.Fatalf("changes = %+v", got)
		}
		for n, owner := range owners {
			if got[n].Owner != owner || (got[n].Hold != nil) != (n == 2) {
				t.Errorf("change %d = %+v", n, got[n])
			}
		}
	})
}

func TestABrokenWatchReturnsItsError(t *testing.T) {
	inBubble(t, func(t *testing.T, s leases) {
		errBroken := errors.New("broken")
		ended := make(chan error, 1)
		go func() { ended <- s.Watch(t.Context(), func() {}, func(store.Lease) {}) }()
		synctest.Wait()
		s.BreakWatches(errBroken)
		if err := <-ended; !errors.Is(err, errBroken) {
			t.Errorf("Watch = %v", err)
		}
		s.DisableWatch()
		if err := s.Watch(t.Context(), nil, nil); !errors.Is(err, store.ErrWatchUnsupported) {
			t.Errorf("Watch = %v", err)
		}
	})
}
