package lease_test

import (
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

func TestALeaderGivesAHeldStreamBack(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []option
		most    time.Duration
	}{
		{name: "watch", most: 0},
		{name: "no watch", options: []option{withoutWatch}, most: heartbeat},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a", append(test.options, withDrain(2*time.Second))...)
				b.start("c")
				run := a.now()
				b.pass(time.Second)
				b.hold(0)
				b.until("the leader is asked", test.most, func() bool {
					return run.l.Reason() == store.Held
				})
				b.pass(time.Second)
				if !run.l.Trusted() {
					b.Error("a hold ended trust: it asks for a drain")
				}
				b.pass(2 * time.Second)
				if r := all[lease.Released](a); len(r) != 1 || r[0].Reason != store.Held {
					b.Errorf("reports = %+v", r)
				}
				b.pass(10 * ttl)
				if i := b.leader(); i != nil {
					b.Errorf("%s leads a held stream", i.owner)
				}
				if h := all[lease.Held](a); len(h) == 0 || h[0].Hold.By != "eva" {
					b.Errorf("reports = %+v", h)
				}
			})
		})
	}
}

func TestALiftedHoldIsSeenAtOnce(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.hold(0)
		b.start("a")
		b.pass(10 * time.Second)
		b.lift()
		b.until("a leads", 100*time.Millisecond, func() bool { return b.leader() != nil })
	})
}

func TestALiftedHoldIsSeenWithinAPollWithoutAWatch(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.hold(0)
		b.start("a", withoutWatch)
		b.pass(10 * time.Second)
		b.lift()
		b.until("a leads", poll, func() bool { return b.leader() != nil })
	})
}

func TestAHoldThatEndsByItselfIsFollowedAtOnce(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []option
	}{{name: "watch"}, {name: "no watch", options: []option{withoutWatch}}} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a", append(test.options, withPoll(time.Hour))...)
				b.hold(33 * time.Minute)
				b.pass(20 * time.Minute)
				if b.leader() != nil {
					b.Fatal("a held stream is led")
				}
				b.pass(13*time.Minute - time.Nanosecond)
				if b.leader() != nil {
					b.Fatal("a held stream is led")
				}
				b.await(a, 200*time.Millisecond)
			})
		})
	}
}

func TestAHoldThatIsShortenedByTheWatchIsFollowed(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.hold(0)
		b.start("a", withPoll(time.Hour))
		b.pass(10 * time.Second)
		b.hold(time.Minute)
		took := b.until("a leads", 2*time.Minute, func() bool { return b.leader() != nil })
		if took < time.Minute || took > time.Minute+200*time.Millisecond {
			b.Errorf("led after %v", took)
		}
	})
}

// An acquisition whose answer was lost is adopted. If its stream was held meanwhile, that is seen
// in the same answer, not a heartbeat later.
func TestAHeldLeaseThatIsAdoptedIsGivenBackAtOnce(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.leases.SetFault(of("a", memstore.Fault{Lose: errDown}, memstore.Acquire))
		a := b.start("a", withoutWatch)
		b.until("the lease is a's", time.Second, func() bool { return b.leases.Get(stream).Live() })
		b.hold(0)
		b.leases.SetFault(nil)
		b.until("it is given back", heartbeat/2, func() bool {
			return b.leases.Get(stream).Released == store.Held
		})
		if n := count[lease.Acquired](a); n != 1 {
			b.Errorf("led %d times", n)
		}
	})
}
