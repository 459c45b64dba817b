package lease_test

import (
	"context"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestB097ACrashIsTakenOverWithinTTLPlusOneSecond(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []option
	}{
		{name: "watch"},
		{name: "no watch", options: []option{withoutWatch}},
		{name: "watch alone", options: []option{withPoll(time.Hour)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a")
				c := b.start("c", test.options...)
				b.pass(100 * time.Second) // 10 s after a renewal
				a.kill()
				took := b.await(c, ttl+time.Second)
				if want := ttl - 10*time.Second; took < want || took > want+time.Second/2 {
					b.Errorf("taken over %v after the crash, the lease lived for %v", took, want)
				}
			})
		})
	}
}

func TestB097AReleaseIsTakenOverAtOnce(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		c, d := b.start("c"), b.start("d")
		b.pass(100 * time.Second)
		a.stop()
		took := b.until("somebody leads", time.Second, func() bool { return c.leads() || d.leads() })
		if took > 100*time.Millisecond {
			b.Errorf("taken over %v after the release", took)
		}
	})
}

func TestB097WithoutAWatchAReleaseIsTakenOverWithinAPoll(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []option
	}{
		{name: "none", options: []option{withoutWatch}},
		{name: "unsupported"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				b.leases.DisableWatch()
				a := b.startLeader("a")
				c := b.start("c", test.options...)
				b.pass(105 * time.Second)
				a.stop()
				if took := b.await(c, poll); took < time.Second {
					b.Errorf("taken over after %v: by what?", took)
				}
			})
		})
	}
}

func TestALeaseIsAcquiredAtOnceWhereNobodyHasIt(t *testing.T) {
	bubble(t, func(b *bundle) {
		i := b.startLeader("a")
		if got := i.now().l.Term(); got != 1 {
			b.Errorf("Term = %d, want 1", got)
		}
		if l := b.leases.Get(stream); l.Owner != "a" || l.TTL != ttl {
			b.Errorf("stored lease = %+v", l)
		}
	})
}

func TestAStandbyIsToldWhoLeads(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a")
		c := b.start("c")
		b.pass(time.Second)
		said := all[lease.Standby](c)
		if len(said) == 0 {
			b.Fatal("no report")
		}
		s := said[len(said)-1]
		if s.Owner != "a" || s.Term != 1 || time.Until(s.Expires).Round(2*time.Second) != ttl {
			b.Errorf("report = %+v, expires in %v", s, time.Until(s.Expires))
		}
	})
}

func TestRenewalsSeenByTheWatchCostAStandbyNothing(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a")
		b.start("c", withPoll(time.Hour))
		b.pass(time.Second)
		before := b.leases.Calls(memstore.Acquire)
		b.pass(59 * time.Minute)
		if calls := b.leases.Calls(memstore.Acquire) - before; calls != 0 {
			b.Errorf("the standby asked %d times", calls)
		}
	})
}

func TestAStandbyWithoutNewsAsksEveryPollAndWritesNothing(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a")
		b.start("c", withoutWatch)
		b.pass(time.Second)
		before := b.leases.Calls(memstore.Acquire)
		b.pass(10 * poll)
		if calls := b.leases.Calls(memstore.Acquire) - before; calls < 9 || calls > 10 {
			b.Errorf("the standby asked %d times in 10 polls", calls)
		}
		if l := b.leases.Get(stream); l.Owner != "a" || l.Term != 1 {
			b.Errorf("stored lease = %+v", l)
		}
	})
}

func TestAWatchThatIsOpenedAgainIsFollowedByOneRead(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a")
		b.start("c", withPoll(time.Hour))
		b.pass(10 * time.Second)
		acquires, renewals := b.leases.Calls(memstore.Acquire), b.leases.Calls(memstore.Renew)
		b.leases.BreakWatches(errDown)
		b.pass(2 * time.Second)
		if n := b.leases.Calls(memstore.Acquire) - acquires; n != 1 {
			b.Errorf("the standby asked %d times", n)
		}
		if n := b.leases.Calls(memstore.Renew) - renewals; n != 1 {
			b.Errorf("the leader renewed %d times", n)
		}
	})
}

func TestAReleaseThatTheBrokenWatchMissedIsTakenOver(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		c := b.start("c", withPoll(time.Hour))
		b.pass(10 * time.Second)
		b.leases.BreakWatches(errDown)
		a.stop()
		b.await(c, 2*time.Second)
	})
}

func TestOldNewsAreNotBelieved(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		b.pass(time.Second)
		a.stop()
		b.pass(time.Second)
		run := b.startLeader("c").now()
		b.start("d", withPoll(time.Hour))
		b.pass(5 * time.Second)
		acquires, renewals := b.leases.Calls(memstore.Acquire), b.leases.Calls(memstore.Renew)
		b.oracle.tell(store.Lease{Stream: stream, Term: 1, Released: store.Stopped})
		b.pass(5 * time.Second)
		if n := b.leases.Calls(memstore.Acquire) - acquires; n != 0 {
			b.Errorf("the standby asked %d times", n)
		}
		if n := b.leases.Calls(memstore.Renew) - renewals; n != 0 || !run.l.Trusted() {
			b.Errorf("the leader renewed %d times", n)
		}
	})
}

func TestADeletedLeaseIsLeftToItsOwnerFirst(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withoutWatch)
		c := b.start("c", withPoll(time.Hour))
		b.pass(time.Second)
		b.leases.Delete(stream)
		b.pass(heartbeat)
		if b.leader() != a || c.leads() { // and see the oracle
			b.Error("the lease was taken from a leader that trusted it")
		}
	})
}

func TestTheTermsOfALeaseThatWasDeletedMayStartAgain(t *testing.T) {
	bubble(t, func(b *bundle) {
		ctx := context.Background()
		_, _ = b.leases.Acquire(ctx, store.AcquireRequest{
			Stream: stream, Owner: "x", MinTerm: 1000, TTL: time.Hour,
		})
		c := b.start("c", withPoll(time.Hour))
		b.pass(time.Second)
		b.leases.Delete(stream)
		b.pass(time.Second)
		_, _ = b.leases.Acquire(ctx, store.AcquireRequest{
			Stream: stream, Owner: "y", TTL: time.Hour,
		})
		b.pass(time.Second)
		_ = b.leases.Release(ctx, store.ReleaseRequest{Stream: stream, Owner: "y", Term: 1})
		b.await(c, 100*time.Millisecond)
		if got := c.now().l.Term(); got != 1001 {
			b.Errorf("Term = %d, want one above the highest that was seen", got)
		}
	})
}

func TestOtherStreamsAreNoNews(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a")
		b.start("c", withPoll(time.Hour))
		b.pass(10 * time.Second)
		before := b.leases.Calls(memstore.Acquire)
		_, _ = b.leases.Acquire(context.Background(), store.AcquireRequest{
			Stream: "invoices", Owner: "x", TTL: time.Second,
		})
		_ = b.leases.Release(context.Background(), store.ReleaseRequest{
			Stream: "invoices", Owner: "x", Term: 1,
		})
		b.pass(time.Second)
		if n := b.leases.Calls(memstore.Acquire) - before; n != 1 {
			b.Errorf("%d calls, want the test's own", n)
		}
	})
}

func TestAFailingStoreIsAskedWithBackoff(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}))
		a := b.start("a")
		b.pass(10 * time.Minute)
		n := count[lease.AttemptFailed](a)
		if least, most := 100, 160; n < least || n > most {
			b.Errorf("%d attempts in 10 m, want %d to %d", n, least, most)
		}
		b.leases.SetFault(nil)
		b.await(a, 6*time.Second)
		if last := all[lease.AttemptFailed](a)[n-1]; last.Err != errDown {
			b.Errorf("Err = %v", last.Err)
		}
	})
}

func TestNewsPostponeNoAttemptThatIsDueAfterAFailure(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.startLeader("a")
		b.leases.SetFault(of("c", memstore.Fault{Fail: errDown}))
		c := b.start("c")
		b.pass(2 * time.Minute)
		if n := count[lease.AttemptFailed](c); n < 20 {
			b.Errorf("%d attempts in two minutes", n)
		}
	})
}

func TestALeaseThatWasGivenBackIsLeftToOthersFirst(t *testing.T) {
	bubble(t, func(b *bundle) {
		ask := make(chan struct{})
		a := b.startLeader("a", withLead(func(
			ctx context.Context, _ *lease.Leadership,
		) store.ReleaseReason {
			select {
			case <-ask:
			case <-ctx.Done():
			}
			return store.StreamFailing
		}))
		c := b.start("c")
		b.pass(10 * time.Second)
		close(ask)
		b.await(c, 100*time.Millisecond)
		if r := all[lease.Released](a); len(r) != 1 || r[0].Reason != store.StreamFailing {
			b.Errorf("reports = %+v", r)
		}
	})
}

func TestALeadThatReturnsAtOnceIsNotCalledInALoop(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.start("a", withLead(func(context.Context, *lease.Leadership) store.ReleaseReason {
			return store.StreamFailing
		}))
		b.pass(time.Minute)
		if n := b.leases.Calls(memstore.Acquire); n < 50 || n > 61 {
			b.Errorf("%d leaderships in a minute", n)
		}
	})
}
