package lease_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
)

func TestAHungRenewalKeepsNobodyFromTheEndOfTrust(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		c := b.start("c")
		run := a.now()
		hang := make(chan struct{})
		b.leases.SetFault(of("a", memstore.Fault{Hang: hang}))
		if took := b.loses(run, ttl); took != trust {
			b.Errorf("the context ended after %v, want %v", took, trust)
		}
		b.await(c, heartbeat+time.Second)
		b.pass(time.Minute)
		if n := b.leases.Calls(memstore.Renew); n > 1+2*5 {
			b.Errorf("%d renewals", n) // a's one, and those of c; and see the oracle
		}
		close(hang)
		b.leases.SetFault(nil)
		b.pass(10 * time.Second)
		if count[lease.Standby](a) == 0 {
			b.Error("a does not contend after its call has returned")
		}
	})
}

func TestAHungRenewalThatReturnsInTimeIsFollowedByAnother(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		hang := make(chan struct{})
		b.leases.SetFault(of("a", memstore.Fault{Hang: hang}))
		b.pass(trust - time.Second)
		b.leases.SetFault(nil)
		close(hang)
		b.pass(ttl)
		if b.leader() != a || count[lease.Acquired](a) != 1 {
			b.Error("a did not go on")
		}
	})
}

func TestAnAnswerAfterTheEndOfTrustIsDiscarded(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		run := a.now()
		// The last renewal is applied, and answered when trust has ended a moment ago.
		b.leases.SetFault(func(c memstore.Call) memstore.Fault {
			if c.Method != memstore.Renew {
				return memstore.Fault{}
			}
			if left := trust - b.elapsed(); left < 3*time.Second {
				return memstore.Fault{Deaf: true, After: left + 50*time.Millisecond}
			}
			return memstore.Fault{Fail: errDown}
		})
		if took := b.loses(run, ttl); took != trust {
			b.Errorf("the context ended after %v, want %v", took, trust)
		}
		b.pass(time.Second)
		if next := a.now(); next == nil || next.l.Term() != 2 {
			b.Error("want a to lead a new term")
		}
	})
}

func TestALostReplyOfAnAcquisitionIsAdoptedByAConfirmedRenewal(t *testing.T) {
	bubble(t, func(b *bundle) {
		lost := false
		b.leases.SetFault(func(c memstore.Call) memstore.Fault {
			switch {
			case c.Method == memstore.Acquire && !lost:
				lost = true
				return memstore.Fault{Lose: errDown}
			case c.Method == memstore.Renew && b.elapsed() < 20*time.Second:
				return memstore.Fault{Fail: errDown}
			}
			return memstore.Fault{}
		})
		a := b.start("a")
		b.pass(19 * time.Second)
		if a.now() != nil {
			b.Fatal("an acquisition of unknown outcome promoted")
		}
		b.await(a, 6*time.Second)
		run := a.now()
		if got := run.l.Term(); got != 1 {
			b.Errorf("Term = %d, want the first", got)
		}
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}, memstore.Renew))
		if took := b.loses(run, ttl).Round(100 * time.Millisecond); took != trust {
			b.Errorf("trust lasted %v from the renewal, want %v", took, trust)
		}
	})
}

func TestAnAcquisitionThatTheServerAppliesLateIsAdopted(t *testing.T) {
	bubble(t, func(b *bundle) {
		n := 0
		b.leases.SetFault(func(c memstore.Call) memstore.Fault {
			if n++; n == 1 {
				return memstore.Fault{Before: 30 * time.Second, Straggles: true}
			}
			if b.elapsed() < 29*time.Second {
				return memstore.Fault{Fail: errDown}
			}
			return memstore.Fault{}
		})
		a := b.start("a")
		b.await(a, 40*time.Second) // whichever came first, and see the oracle
		b.pass(2 * ttl)
		if count[lease.Acquired](a) != 1 || b.leader() != a {
			b.Error("a did not go on")
		}
	})
}

func TestASlowAnswerIsTrustedFromItsStart(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.leases.SetFault(of("a", memstore.Fault{After: 4 * time.Second}, memstore.Acquire))
		a := b.start("a", withoutWatch)
		b.await(a, 4*time.Second)
		b.leases.SetFault(of("a", memstore.Fault{Fail: errDown}, memstore.Renew))
		if took := b.loses(a.now(), ttl).Round(100 * time.Millisecond); took != trust-4*time.Second {
			b.Errorf("trust lasted %v, want %v", took, trust-4*time.Second)
		}
	})
}

func TestEveryCallIsBounded(t *testing.T) {
	for _, method := range []memstore.Method{memstore.Acquire, memstore.Renew, memstore.Release} {
		t.Run(string(method), func(t *testing.T) {
			bubble(t, func(b *bundle) {
				never := memstore.Fault{Before: 100 * time.Hour}
				b.leases.SetFault(of("a", never, method))
				a := b.start("a")
				b.pass(heartbeat + 6*time.Second)
				switch method {
				case memstore.Acquire:
					first := all[lease.AttemptFailed](a)
					if len(first) == 0 || !errors.Is(first[0].Err, context.DeadlineExceeded) {
						b.Errorf("reports = %+v", first)
					}
				case memstore.Renew:
					first := all[lease.RenewalFailed](a)
					if len(first) == 0 || !errors.Is(first[0].Err, context.DeadlineExceeded) {
						b.Errorf("reports = %+v", first)
					}
				case memstore.Release:
					a.stop()
					b.until("Run returns", 6*time.Second, a.hasEnded)
					if n := count[lease.ReleaseFailed](a); n != 1 {
						b.Errorf("%d reports", n)
					}
				}
			})
		})
	}
}

// hasEnded reports whether Run has returned.
func (i *instance) hasEnded() bool {
	select {
	case <-i.ended:
		return true
	default:
		return false
	}
}
