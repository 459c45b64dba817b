package lease_test

import (
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestB084WorkOfAnEarlierTermKeepsTheElectorFromTheLease(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withDrain(3*ttl))
		c := b.start("c")
		run := a.now()
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}, memstore.Renew))
		b.loses(run, ttl)
		b.leases.SetFault(nil)
		b.await(c, heartbeat+time.Second)
		acquires := b.leases.Calls(memstore.Acquire)
		b.pass(2 * ttl)
		if a.now() != run {
			b.Fatal("a has drained")
		}
		if n := b.leases.Calls(memstore.Acquire) - acquires; n != 0 {
			b.Errorf("%d attempts at the lease during the drain", n) // and see the oracle
		}
		b.pass(2 * ttl)
		if b.leader() != c || count[lease.Standby](a) == 0 {
			b.Error("a does not stand by after its drain")
		}
	})
}

func TestB085AnExpiredOwnerReleasesNothingOfTheNext(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withDrain(2*ttl))
		c := b.start("c")
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}, memstore.Renew))
		b.await(c, ttl+time.Second)
		b.leases.SetFault(nil)
		b.until("a has drained", 3*ttl, func() bool { return a.now() == nil })
		if n := b.leases.Calls(memstore.Release); n != 1 {
			b.Errorf("%d releases, want the conditional one of a", n)
		}
		b.pass(10 * time.Second)
		if b.leader() != c || b.leases.Get(stream).Owner != "c" {
			b.Errorf("stored lease = %+v", b.leases.Get(stream))
		}
		if n := count[lease.Released](a); n != 0 {
			b.Errorf("a said %d times that it released", n)
		}
	})
}

// The news of the next leadership put off the attempt that would have told it.
func TestAnOwnerThatWasReplacedIsToldWhoLeadsBeforeItAsks(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withDrain(2*ttl), withPoll(time.Hour))
		c := b.start("c")
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}, memstore.Renew))
		b.await(c, ttl+time.Second)
		b.until("a has drained", 3*ttl, func() bool { return a.now() == nil })
		b.pass(time.Second)
		said := all[lease.Standby](a)
		if len(said) != 1 || said[0].Owner != "c" || said[0].Term != 2 {
			b.Errorf("reports = %+v, want one of the term that c leads", said)
		}
	})
}

func TestAfterTrustEndedANewTermIsAcquired(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		run := a.now()
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}, memstore.Renew))
		b.loses(run, ttl)
		b.await(a, 50*time.Millisecond)
		if got := a.now().l.Term(); got != 2 {
			b.Errorf("Term = %d, want 2", got)
		}
		if r := all[lease.Released](a); len(r) != 1 || r[0].Reason != store.RenewalFailed {
			b.Errorf("reports = %+v", r)
		}
	})
}

func TestAServerWhoseClockIsSetBackDelaysATakeOverAndNothingElse(t *testing.T) {
	const back = 5 * time.Minute
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		c := b.start("c")
		b.pass(ttl)
		b.leases.Step(-back)
		b.pass(10 * ttl)
		if b.leader() != a || count[lease.Acquired](a) != 1 {
			b.Error("leadership moved")
		}
		b.leases.Step(-back) // right after a renewal, and before the crash
		a.kill()
		if took := b.await(c, back+ttl+time.Second); took < back {
			b.Errorf("taken over %v after the crash, before the lease ran out", took)
		}
	})
}

func TestATermThatEndedHereIsNeverLedAgain(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		run := a.now()
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}, memstore.Release))
		a.clock.Step(10 * time.Minute) // ends trust; the server's lease lives on
		b.loses(run, 2*time.Second)
		b.pass(10 * time.Second)
		if a.now() != nil || b.leases.Get(stream).Owner != "a" {
			b.Fatal("want the lease stored as a's, and nobody leading")
		}
		b.leases.SetFault(nil)
		b.await(a, 6*time.Second)
		if got := a.now().l.Term(); got != 2 {
			b.Errorf("Term = %d, want 2", got)
		}
	})
}

// As after a person set the term of a live lease to text: it is the elector's own, of a term that
// has ended, and can't be given back. It expires.
func TestALeaseThatCannotBeGivenBackIsAskedForWithBackoff(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		b.leases.SetFault(of("a", memstore.Fault{Fail: store.ErrNotOwner}, memstore.Release))
		a.now().l.HandOver(store.SteppedDown)
		b.pass(ttl/2 - time.Second) // of the ttl that it sits out
		b.leases.Step(-ttl / 2)
		b.pass(ttl/2 + 2*time.Second)
		before := b.oracle.count("a", "acquires")
		b.pass(20 * time.Second)
		if n := b.oracle.count("a", "acquires") - before; n < 2 || n > 20 {
			b.Errorf("asked %d times in 20 s", n)
		}
		b.await(a, ttl)
	})
}
