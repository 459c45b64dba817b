package lease_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

// moment is what a change takes that the watch tells of.
const moment = 100 * time.Millisecond

// sights are who of a leader and a contender can watch the lease.
var sights = []struct {
	name              string
	leader, contender []option
	asked, taken      time.Duration // at the most, since the announcement and since the release
}{
	{name: "both watch", asked: moment, taken: moment},
	{name: "the leader polls", leader: []option{withoutWatch}, asked: heartbeat, taken: moment},
	{name: "the contender polls", contender: []option{withoutWatch}, asked: moment,
		taken: time.Second},
	{name: "both poll", leader: []option{withoutWatch}, contender: []option{withoutWatch},
		asked: heartbeat, taken: time.Second},
}

func TestALeaderStepsDownForAHigherPriority(t *testing.T) {
	const drain = 3 * time.Second
	for _, test := range sights {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a", append(test.leader, withDrain(drain))...)
				run := a.now()
				b.pass(heartbeat + time.Second)
				c := b.start("c", append(test.contender, withPriority(1))...)
				b.until("a is asked", test.asked, func() bool { return run.l.Reason() != "" })
				if got := run.l.Reason(); got != store.SteppedDown {
					b.Errorf("Reason = %s", got)
				}
				b.pass(drain - time.Second)
				if a.now() != run || !run.l.Trusted() || b.leases.Get(stream).Owner != "a" {
					b.Error("want a to drain under its lease")
				}
				b.pass(time.Second)
				if r := all[lease.Released](a); len(r) != 1 || r[0].Reason != store.SteppedDown {
					b.Errorf("reports = %+v", r)
				}
				b.await(c, test.taken)
				b.pass(10 * ttl)
				b.wantLed(c, 1)
				b.wantLed(a, 1)
			})
		})
	}
}

// wantLed checks how many leaderships an instance had.
func (b *bundle) wantLed(i *instance, n int) {
	b.Helper()
	if got := count[lease.Acquired](i); got != n {
		b.Errorf("%v: %s led %d times, want %d", b.elapsed(), i.owner, got, n)
	}
}

func TestAnEqualOrLowerPriorityUnseatsNobody(t *testing.T) {
	for _, test := range sights {
		for _, priority := range []int{3, 2, 0, -1} {
			t.Run(fmt.Sprintf("%s, %d", test.name, priority), func(t *testing.T) {
				bubble(t, func(b *bundle) {
					a := b.startLeader("a", append(test.leader, withPriority(3))...)
					b.start("c", append(test.contender, withPriority(priority))...)
					b.pass(10 * ttl)
					if b.leader() != a || a.now().l.Reason() != "" {
						b.Error("a was asked to give the lease back")
					}
					if n := b.oracle.count("c", "acquires"); n > int(10*ttl/poll)+2 {
						b.Errorf("the standby asked %d times in 10 ttl", n)
					}
				})
			})
		}
	}
}

// Whoever holds the lease hands it on, whatever its drain takes, whoever watches, and in whichever
// phase of its heartbeat the contender comes; and nobody hands it back.
func TestAHandOverForAPriorityMakesProgress(t *testing.T) {
	short := func(_ *instance, c *lease.Config) { c.TTL, c.Heartbeat = 3*heartbeat, heartbeat }
	for _, test := range sights {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for n := range 8 * 8 {
				drain := time.Duration(n/8) * heartbeat / 8
				phase := time.Duration(n%8)*heartbeat/8 + time.Second
				for _, violation := range simulate(t, func(b *bundle) {
					a := b.startLeader("a", append(test.leader, short, withDrain(drain))...)
					b.pass(phase)
					c := b.start("c", append(test.contender, short, withPriority(1))...)
					b.pass(4*heartbeat + drain)
					if b.leader() != c || count[lease.Acquired](a) != 1 {
						b.Errorf("drain %v, phase %v: a led %d times, c %d times", drain, phase,
							count[lease.Acquired](a), count[lease.Acquired](c))
					}
				}) {
					t.Errorf("drain %v, phase %v: %s", drain, phase, violation)
				}
			}
		})
	}
}

func TestOfThreePrioritiesTheHighestLeadsInTheEnd(t *testing.T) {
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for n := range 8 * len(orders) {
		blind, order := n%8, orders[n/8]
		t.Run(fmt.Sprintf("order %v, blind %03b", order, blind), func(t *testing.T) {
			bubble(t, func(b *bundle) {
				var highest *instance
				for _, priority := range order {
					options := []option{
						withPriority(priority), withDrain(time.Duration(priority) * time.Second),
					}
					if blind>>priority&1 == 1 {
						options = append(options, withoutWatch)
					}
					i := b.start(fmt.Sprintf("i%d", priority), options...)
					if priority == 2 {
						highest = i
					}
					b.pass(3 * time.Second)
				}
				b.await(highest, 2*ttl)
				b.pass(10 * ttl)
				b.wantLed(highest, 1)
				if term := b.leases.Get(stream).Term; term > 4 {
					b.Errorf("it took %d terms", term)
				}
			})
		})
	}
}

func TestAReleasedLeaseIsLeftToItsContender(t *testing.T) {
	for _, test := range []struct {
		name  string
		first string // to contend
	}{{name: "the higher first", first: "c"}, {name: "the lower first", first: "d"}} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				a := b.startLeader("a", withDrain(2*time.Second))
				slow := memstore.Fault{Before: 300 * time.Millisecond}
				b.leases.SetFault(of("c", slow, memstore.Acquire))
				priorities := map[string]int{"c": 2, "d": 1}
				other := map[string]string{"c": "d", "d": "c"}[test.first]
				b.start(test.first, withPriority(priorities[test.first]))
				b.pass(500 * time.Millisecond)
				b.start(other, withPriority(priorities[other]))
				b.until("somebody else leads", ttl, func() bool {
					return b.leader() != nil && b.leader() != a
				})
				if got := b.leader().owner; got != "c" {
					b.Errorf("%s leads", got)
				}
			})
		})
	}
}

func TestALeaderIgnoresAHigherPriorityWhileTheStreamIsHeld(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a", withoutWatch)
		b.pass(heartbeat + time.Second)
		c := b.start("c", withPriority(1))
		b.pass(time.Second)
		b.hold(0)
		b.until("a is asked", heartbeat, func() bool { return a.now() == nil })
		if r := all[lease.Released](a); len(r) != 1 || r[0].Reason != store.Held {
			b.Errorf("reports = %+v", r)
		}
		writes := b.writes()
		b.pass(5 * ttl)
		if n := writes(); n != 0 || b.leader() != nil {
			b.Errorf("%d writes to a held lease, %v leads", n, b.leader())
		}
		b.lift()
		b.await(c, moment)
	})
}

// hold holds the stream for d; for 0 until it is lifted.
func (b *bundle) hold(d time.Duration) {
	b.Helper()
	req := store.HoldRequest{Stream: stream, By: "eva"}
	if d > 0 {
		req.Until = time.Now().Add(d)
	}
	if err := b.leases.Hold(context.Background(), req); err != nil {
		b.Fatal(err)
	}
}

// writes returns a function that tells how many changes the store was told since.
func (b *bundle) writes() func() int {
	n := 0
	go func() { _ = b.leases.Watch(b.Context(), func() {}, func(store.Lease) { n++ }) }()
	b.pass(0)
	return func() int {
		b.pass(0)
		return n
	}
}
