package lease_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

// forGood is an end as people set it who mean none: further away than a duration can tell.
var forGood = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// counting counts the calls of a store.
func (b *bundle) counting() *atomic.Int32 {
	n := new(atomic.Int32)
	b.leases.SetFault(func(memstore.Call) memstore.Fault {
		n.Add(1)
		return memstore.Fault{}
	})
	return n
}

func (b *bundle) holdUntil(end time.Time) {
	b.Helper()
	req := store.HoldRequest{Stream: stream, By: "eva", Until: end}
	if err := b.leases.Hold(context.Background(), req); err != nil {
		b.Fatal(err)
	}
}

func TestAHoldThatEndsInManyYearsIsAskedAboutEveryPoll(t *testing.T) {
	for name, start := range map[string]func(*bundle){
		"elector":            func(b *bundle) { b.start("a") },
		"elector, no watch":  func(b *bundle) { b.start("a", withoutWatch) },
		"gate":               func(b *bundle) { b.gate("a") },
		"gate without watch": func(b *bundle) { b.gate("a", withoutWatch) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				start(b)
				b.pass(time.Second)
				b.holdUntil(forGood)
				b.pass(poll + time.Second)
				n := b.counting()
				b.pass(10 * poll)
				if got := n.Load(); got < 9 || got > 11 {
					b.Errorf("%d calls in ten polls", got)
				}
			})
		})
	}
}

// Whoever damaged the lease, the leader comes back.
func TestALeaderWaitsATtlAtMostForAContender(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		ghost := store.AcquireRequest{
			Stream: stream, Owner: "c", Priority: 1, TTL: 1000 * ttl, // announced for half of that
		}
		if _, err := b.leases.Acquire(b.Context(), ghost); err != nil {
			b.Fatal(err)
		}
		b.until("a steps down", moment, func() bool { return count[lease.Released](a) == 1 })
		b.await(a, ttl+time.Second)
	})
}
