package lease_test

import (
	"context"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestB093TheLeaseIsRenewedUntilTheDrainIsOverAndThenReleased(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withDrain(3*ttl))
		c := b.start("c")
		run := a.now()
		b.pass(time.Second)
		a.stop()
		b.pass(3*ttl - time.Millisecond)
		if a.now() != run || !run.l.Trusted() {
			b.Fatal("trust did not last through the drain")
		}
		if n := b.leases.Calls(memstore.Renew); n < 11 {
			b.Errorf("%d renewals in 3 ttl", n)
		}
		if b.leases.Get(stream).Owner != "a" || b.leader() != a {
			b.Error("the lease was released during the drain")
		}
		b.await(c, 100*time.Millisecond)
		if !a.hasEnded() {
			b.Error("Run has not returned after the release")
		}
		want := lease.Released{Term: 1, Reason: store.Stopped}
		if r := all[lease.Released](a); len(r) != 1 || r[0] != want {
			b.Errorf("reports = %+v", r)
		}
	})
}

func TestAStoppedElectorAcquiresNothing(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		c := b.start("c")
		b.pass(time.Second)
		c.stop()
		b.pass(0)
		if !c.hasEnded() {
			b.Error("Run of a standby has not returned")
		}
		a.stop()
		b.pass(2 * ttl)
		if n := b.leases.Get(stream).Term; n != 1 {
			b.Errorf("%d terms", n)
		}
	})
}

func TestALeaseThatIsGrantedWhileStoppingIsReleased(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.leases.SetFault(of("a", memstore.Fault{After: 2 * time.Second}, memstore.Acquire))
		a := b.start("a")
		b.pass(time.Second)
		a.stop()
		b.pass(1500 * time.Millisecond)
		if count[lease.Acquired](a) != 0 || !a.hasEnded() {
			b.Error("a led after its stop")
		}
		if l := b.leases.Get(stream); l.Live() || l.Released != store.Stopped {
			b.Errorf("stored lease = %+v", l)
		}
	})
}

func TestAFailingReleaseIsRepeated(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}, memstore.Release))
		a.stop()
		b.pass(2 * time.Second)
		b.leases.SetFault(nil)
		b.until("Run returns", 3*time.Second, a.hasEnded)
		if l := b.leases.Get(stream); l.Live() {
			b.Errorf("stored lease = %+v", l)
		}
	})
}

func TestALostReplyOfAReleaseIsNoFailure(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		b.leases.SetFault(of("a", memstore.Fault{Lose: errDown}, memstore.Release))
		a.stop()
		b.pass(50 * time.Millisecond)
		b.leases.SetFault(nil)
		b.until("Run returns", time.Second, a.hasEnded)
		if count[lease.Released](a) != 1 || count[lease.ReleaseFailed](a) != 0 {
			b.Error("want one report of a release")
		}
	})
}

func TestTheEndOfLifeLeavesTheLeaseToExpire(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withDrain(time.Minute))
		run := a.now()
		b.pass(time.Second)
		a.kill()
		b.pass(0)
		if run.ctx.Err() == nil || run.l.Trusted() {
			b.Error("the leadership outlived its life")
		}
		b.pass(59 * time.Second)
		if a.hasEnded() {
			b.Error("Run did not wait for lead")
		}
		b.pass(time.Second)
		if !a.hasEnded() {
			b.Error("Run has not returned")
		}
		if n := b.leases.Calls(memstore.Release) + b.leases.Calls(memstore.Renew); n > 1 {
			b.Errorf("%d calls", n)
		}
		if count[lease.TrustEnded](a) != 0 {
			b.Error("the end of life was reported as a loss")
		}
	})
}

func TestRunReturnsWhileACallHangs(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(*instance)
		most time.Duration
	}{
		{name: "life", end: func(i *instance) { i.kill() }, most: 300 * time.Millisecond},
		{name: "stop", end: func(i *instance) { i.stop() }, most: 6 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a")
				hang := make(chan struct{})
				defer close(hang)
				b.leases.SetFault(of("a", memstore.Fault{Hang: hang}))
				b.pass(heartbeat + time.Second)
				test.end(a)
				b.until("Run returns", test.most, a.hasEnded)
			})
		})
	}
}

func TestALeadThatReturnsDuringARenewalIsReleasedAtOnce(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withoutWatch)
		c := b.start("c")
		b.leases.SetFault(of("a", memstore.Fault{Before: 4 * time.Second}, memstore.Renew))
		b.pass(heartbeat + time.Second)
		a.stop()
		b.await(c, 100*time.Millisecond)
		if !a.hasEnded() {
			b.Error("Run has not returned")
		}
	})
}

func TestTheReasonDefaultsToStopped(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withLead(func(
			ctx context.Context, _ *lease.Leadership,
		) store.ReleaseReason {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			return ""
		}))
		b.pass(1500 * time.Millisecond)
		if r := all[lease.Released](a); len(r) != 1 || r[0].Reason != store.Stopped {
			b.Errorf("reports = %+v", r)
		}
	})
}
