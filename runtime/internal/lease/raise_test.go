package lease_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

// raising returns a lead that acquires above 40 and sends the error of that to got, the first
// time.
func raising(got chan<- error, bounds ...time.Duration) lease.Lead {
	return func(ctx context.Context, l *lease.Leadership) store.ReleaseReason {
		bounded := ctx
		for _, d := range bounds {
			var cancel context.CancelFunc
			bounded, cancel = context.WithTimeout(ctx, d)
			defer cancel()
		}
		err := l.AcquireAbove(bounded, 40)
		select {
		case got <- err:
		default:
		}
		<-ctx.Done()
		return store.Lost
	}
}

func TestAcquireAboveGetsATermAboveTheOneThatIsStored(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault memstore.Fault // of the first attempt to raise
	}{
		{name: "answered"},
		{name: "failed", fault: memstore.Fault{Fail: errDown}},
		{name: "reply lost", fault: memstore.Fault{Lose: errDown}},
		{name: "late", fault: memstore.Fault{Before: time.Minute}},
		{name: "reply late", fault: memstore.Fault{After: time.Minute}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				n := 0
				b.leases.SetFault(func(c memstore.Call) memstore.Fault {
					if c.Term == 1 && c.Method == memstore.Acquire {
						if n++; n == 1 {
							return test.fault
						}
					}
					return memstore.Fault{}
				})
				got := make(chan error, 1)
				a := b.start("a", withLead(raising(got)))
				b.until("it is raised", 10*time.Second, func() bool { return len(got) > 0 })
				run := a.now()
				if err := <-got; err != nil || run.l.Term() != 41 {
					b.Fatalf("AcquireAbove = %v, Term = %d", err, run.l.Term())
				}
				b.pass(10 * ttl)
				if !run.l.Trusted() || b.leases.Get(stream).Term != 41 {
					b.Errorf("the new term is not renewed: %+v", b.leases.Get(stream))
				}
				want := []lease.Acquired{{Term: 1}, {Term: 41, Replaces: 1}}
				if r := all[lease.Acquired](a); len(r) != 2 || r[0] != want[0] || r[1] != want[1] {
					b.Errorf("reports = %+v", r)
				}
			})
		})
	}
}

func TestATermThatWasRaisedByALostReplyIsTrustedFromItsAcquisition(t *testing.T) {
	bubble(t, func(b *bundle) {
		n := 0
		b.leases.SetFault(func(c memstore.Call) memstore.Fault {
			switch {
			case c.Term == 41 && c.Method == memstore.Renew:
				return memstore.Fault{Fail: errDown}
			case c.Term != 1:
				return memstore.Fault{}
			}
			if n++; n == 1 {
				return memstore.Fault{Lose: errDown}
			}
			if b.elapsed() < 30*time.Second {
				return memstore.Fault{Fail: errDown}
			}
			return memstore.Fault{}
		})
		got := make(chan error, 1)
		a := b.startLeader("a", withoutWatch, withLead(raising(got)))
		run := a.now()
		b.until("it is raised", 36*time.Second, func() bool { return len(got) > 0 })
		b.loses(run, ttl)
		if took := b.elapsed().Round(time.Second); took != trust {
			b.Errorf("the context ended after %v, the lease was set at the start", took)
		}
	})
}

func TestAcquireAboveGivesUpWithItsContextOrTheLease(t *testing.T) {
	for _, test := range []struct {
		name   string
		bounds []time.Duration
		want   error
		after  time.Duration
	}{
		{name: "context", bounds: []time.Duration{7 * time.Second},
			want: context.DeadlineExceeded, after: 7 * time.Second},
		{name: "trust", want: errLost, after: trust},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				got := make(chan error, 1)
				b.leases.SetFault(func(c memstore.Call) memstore.Fault {
					if c.Term == 1 {
						return memstore.Fault{Fail: errDown}
					}
					return memstore.Fault{}
				})
				b.start("a", withLead(raising(got, test.bounds...)))
				took := b.until("it gives up", ttl, func() bool { return len(got) > 0 })
				if err := <-got; !errors.Is(err, test.want) || took.Round(time.Second) != test.after {
					b.Errorf("AcquireAbove = %v after %v", err, took)
				}
			})
		})
	}
}

func TestAcquireAboveOfALeaseThatIsAnothersEndsTheLeadership(t *testing.T) {
	bubble(t, func(b *bundle) {
		got := make(chan error, 1)
		b.start("a", withoutWatch, withLead(func(
			ctx context.Context, l *lease.Leadership,
		) store.ReleaseReason {
			b.leases.Delete(stream)
			_, _ = b.leases.Acquire(ctx, store.AcquireRequest{Stream: stream, Owner: "x", TTL: ttl})
			got <- l.AcquireAbove(ctx, 40)
			return store.Lost
		}))
		b.pass(time.Second)
		if err := <-got; !errors.Is(err, errLost) {
			b.Errorf("AcquireAbove = %v", err)
		}
	})
}

func TestAcquireAboveATermBelowItsOwnAsksNobody(t *testing.T) {
	bubble(t, func(b *bundle) {
		got := make(chan error, 1)
		b.start("a", withLead(func(ctx context.Context, l *lease.Leadership) store.ReleaseReason {
			got <- l.AcquireAbove(ctx, 0)
			<-ctx.Done()
			return store.Lost
		}))
		b.pass(time.Second)
		if err := <-got; err != nil || b.leases.Calls(memstore.Acquire) != 1 {
			b.Errorf("AcquireAbove = %v with %d calls", err, b.leases.Calls(memstore.Acquire)-1)
		}
	})
}

func TestALeaseThatWasDeletedByHandDoesNotBringTermsBack(t *testing.T) {
	bubble(t, func(b *bundle) {
		_, _ = b.leases.Acquire(context.Background(), store.AcquireRequest{
			Stream: stream, Owner: "x", MinTerm: 1000, TTL: 1,
		})
		time.Sleep(time.Nanosecond)
		b.startLeader("a")
		b.start("c")
		for range 5 {
			b.pass(10 * time.Second)
			run := b.leader().now()
			b.leases.Delete(stream)
			b.loses(run, time.Second)
			b.until("somebody leads", 2*time.Second, func() bool { return b.leader() != nil })
		}
		if got := b.leader().now().l.Term(); got != 1006 {
			b.Errorf("Term = %d, want 1006", got) // and see the oracle
		}
		if n := b.leases.Calls(memstore.Acquire); n > 40 {
			b.Errorf("%d acquisitions", n)
		}
	})
}
