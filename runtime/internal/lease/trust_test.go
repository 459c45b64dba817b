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

// loses waits until a lead may not act any more, and checks why.
func (b *bundle) loses(run *leading, most time.Duration) time.Duration {
	b.Helper()
	start := time.Now()
	select {
	case <-run.ctx.Done():
	case <-time.After(most):
		b.Fatalf("%v: not within %v: the context ends", b.elapsed(), most)
	}
	if cause := context.Cause(run.ctx); !errors.Is(cause, errLost) {
		b.Errorf("cause = %v", cause)
	}
	if run.l.Trusted() {
		b.Error("Trusted after the context has ended")
	}
	return time.Since(start)
}

func TestB081ALeaderWhoseRenewalsFailIsToldBeforeAnybodyElseLeads(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withDrain(5*time.Minute))
		c := b.start("c")
		run := a.now()
		b.leases.SetFault(of("a", memstore.Fault{Fail: errors.New("write conflict")}, memstore.Renew))
		if took := b.loses(run, ttl); took != trust {
			b.Errorf("the context ended after %v, want %v", took, trust)
		}
		b.await(c, heartbeat+time.Second)
		b.pass(10 * time.Minute)
		if n := count[lease.Acquired](a); n != 1 {
			b.Errorf("a led %d times", n)
		}
		if ends := all[lease.TrustEnded](a); len(ends) != 1 || ends[0].Reason != store.RenewalFailed {
			b.Errorf("reports = %+v", ends)
		}
	})
}

func TestB081ALeaderThatIsToldOfAnotherOwnerStopsAtOnce(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withoutWatch)
		run := a.now()
		b.pass(time.Second)
		b.leases.Delete(stream) // nothing but a person's hand takes a trusted lease
		_, _ = b.leases.Acquire(context.Background(), store.AcquireRequest{
			Stream: stream, Owner: "x", MinTerm: 9, TTL: ttl,
		})
		if took := b.loses(run, heartbeat); took != heartbeat-time.Second {
			b.Errorf("the context ended after %v", took)
		}
		b.pass(0)
		ends := all[lease.TrustEnded](a)
		if len(ends) != 1 || ends[0].Reason != store.Lost || ends[0].Owner != "x" {
			b.Errorf("reports = %+v", ends)
		}
		if n := b.leases.Calls(memstore.Release); n != 0 {
			b.Errorf("%d releases of a lease that is another's", n)
		}
	})
}

func TestALeaderChecksNewsThatItsLeaseIsGone(t *testing.T) {
	bubble(t, func(b *bundle) {
		run := b.startLeader("a").now()
		b.pass(time.Second)
		b.leases.Delete(stream)
		b.loses(run, time.Second)
		b.pass(2 * time.Second)
		if l := b.leases.Get(stream); l.Owner != "a" || l.Term != 2 {
			b.Errorf("stored lease = %+v, want a new term above the one that was deleted", l)
		}
	})
}

func TestB082AFailedRenewalIsNotALostLease(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		b.start("c")
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}))
		b.pass(ttl / 2)
		b.leases.SetFault(nil)
		b.pass(3 * ttl)
		if n := count[lease.RenewalFailed](a); n < 3 {
			b.Errorf("%d renewals failed, want several", n)
		}
		if b.leader() != a || count[lease.Acquired](a) != 1 {
			b.Error("a failing store for half a ttl changed the leader")
		}
	})
}

func TestB082TrustEndsATTLLessAHeartbeatAfterTheStartOfTheLastConfirmedAttempt(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		run := a.now()
		b.leases.SetFault(of("a", memstore.Fault{After: 3 * time.Second}, memstore.Renew))
		b.pass(heartbeat + 3*time.Second) // one renewal, begun 3 s ago
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}, memstore.Renew))
		if took := b.loses(run, 2*ttl); took != trust-3*time.Second {
			b.Errorf("the context ended after %v, want %v", took, trust-3*time.Second)
		}
	})
}

func TestALostReplyOfARenewalConfirmsNothing(t *testing.T) {
	bubble(t, func(b *bundle) {
		run := b.startLeader("a").now()
		b.leases.SetFault(of("a", memstore.Fault{Lose: errDown}, memstore.Renew))
		if took := b.loses(run, 2*ttl); took != trust {
			b.Errorf("the context ended after %v, want %v", took, trust)
		}
	})
}

func TestASuspendedMachineNoticesWithinASecond(t *testing.T) {
	bubble(t, func(b *bundle) {
		run := b.startLeader("a").now()
		b.pass(heartbeat + 300*time.Millisecond)
		b.instances[0].clock.Step(trust)
		if took := b.loses(run, 2*time.Second); took == 0 || took > time.Second {
			b.Errorf("noticed after %v", took)
		}
	})
}

func TestAWallThatWasSetBackHidesNoSuspend(t *testing.T) {
	bubble(t, func(b *bundle) {
		run := b.startLeader("a").now()
		b.pass(time.Second)
		b.instances[0].clock.Step(-10 * time.Minute)
		b.pass(2 * time.Second)
		b.instances[0].clock.Step(trust)
		b.loses(run, 2*time.Second)
	})
}

func TestTrustedLooksAtTheClock(t *testing.T) {
	bubble(t, func(b *bundle) {
		run := b.startLeader("a").now()
		b.pass(heartbeat + 300*time.Millisecond)
		if !run.l.Trusted() {
			b.Error("not Trusted while it is renewed")
		}
		b.instances[0].clock.Step(trust)
		if run.l.Trusted() {
			b.Error("Trusted after a suspend of ttl - heartbeat")
		}
		if !errors.Is(context.Cause(run.ctx), errLost) {
			b.Error("Trusted said false and left the context")
		}
	})
}

func TestAnAnswerAfterTheEndOfTrustIsDiscardedBeforeTheClockIsLookedAt(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		run := a.now()
		b.leases.SetFault(func(c memstore.Call) memstore.Fault {
			if c.Method == memstore.Renew && b.elapsed() < 35*time.Second {
				return memstore.Fault{Fail: errDown}
			}
			if c.Method == memstore.Renew && c.Term == 1 {
				a.clock.Step(12 * time.Second) // after the start of the call
			}
			return memstore.Fault{}
		})
		if took := b.loses(run, ttl); took > 42*time.Second {
			b.Errorf("the context ended after %v", took)
		}
	})
}

func TestAWallThatIsSetBackExtendsNoTrust(t *testing.T) {
	bubble(t, func(b *bundle) {
		run := b.startLeader("a").now()
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}))
		b.pass(time.Second)
		b.instances[0].clock.Step(-10 * time.Minute)
		if took := b.loses(run, ttl); took != trust-time.Second {
			b.Errorf("the context ended after %v", took)
		}
	})
}

func TestB088ClocksTenMinutesApartChangeNothing(t *testing.T) {
	bubble(t, func(b *bundle) {
		fast := func(i *instance, _ *lease.Config) { i.clock.Step(10 * time.Minute) }
		slow := func(i *instance, _ *lease.Config) { i.clock.Step(-10 * time.Minute) }
		a := b.startLeader("a", slow)
		c := b.start("c", fast)
		b.pass(10 * ttl)
		if b.leader() != a || count[lease.Acquired](a) != 1 {
			b.Fatal("the fast clock took a live lease")
		}
		a.kill()
		b.await(c, ttl+time.Second)
		d := b.start("d", slow)
		b.pass(ttl)
		c.kill()
		b.await(d, ttl+time.Second)
	})
}

func TestAServerWhoseClockIsAHeartbeatAheadTakesOverNoTrustedLease(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		c := b.start("c", withPoll(time.Second))
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}))
		b.pass(time.Second)
		b.leases.Step(heartbeat - time.Millisecond)
		b.await(c, ttl) // and see the oracle
		if a.now() != nil {
			b.Error("a still leads")
		}
	})
}

func TestB095LeadershipDoesNotFlapUnderASlowStore(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		b.start("c")
		n := 0
		b.leases.SetFault(func(c memstore.Call) memstore.Fault {
			if c.Owner != "a" {
				return memstore.Fault{}
			}
			if n++; n%5 == 0 {
				return memstore.Fault{Before: time.Minute}
			}
			return memstore.Fault{Before: 2 * time.Second, After: 2 * time.Second}
		})
		b.pass(10 * ttl)
		if count[lease.Acquired](a) != 1 || b.leader() != a {
			b.Error("leadership moved")
		}
		if got := b.leases.Calls(memstore.Renew); got < 40 || got > 50 {
			b.Errorf("%d renewals in 10 ttl", got)
		}
	})
}

func TestARenewalIsBoundedByTheTrustThatIsLeft(t *testing.T) {
	bubble(t, func(b *bundle) {
		end := time.Now().Add(trust)
		run := b.startLeader("a").now()
		b.leases.SetFault(of("a", memstore.Fault{Before: time.Minute}))
		b.pass(trust - time.Second)
		if got := b.oracle.deadline("a"); !got.Equal(end) {
			b.Errorf("the last call is bounded by %v after the end of trust", got.Sub(end))
		}
		b.loses(run, ttl)
	})
}

func TestRenewalsAreSpacedFromTheirStart(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.leases.SetFault(of("a", memstore.Fault{After: 4 * time.Second}))
		b.start("a", withoutWatch)
		b.pass(10*heartbeat + 2*time.Second)
		if got := b.leases.Calls(memstore.Renew); got != 10 {
			b.Errorf("%d renewals in 10 heartbeats", got)
		}
	})
}
