package lease_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/store"
)

// failing is a lead that yields after some time, unless it is told to be well.
func failing(after time.Duration, well *atomic.Bool) option {
	return withLead(func(ctx context.Context, l *lease.Leadership) store.ReleaseReason {
		if !well.Load() {
			time.AfterFunc(after, func() { l.HandOver(store.StreamFailing) })
		}
		select {
		case <-l.Asked():
			return l.Reason()
		case <-ctx.Done():
			return store.Stopped
		}
	})
}

// B095: an instance that is preferred, and fails whenever it leads, does not make the lead go back
// and forth: it lets others lead for twice as long each time.
func TestB095APreferredInstanceThatKeepsFailingDoesNotFlap(t *testing.T) {
	for name, options := range map[string][]option{"watch": nil, "no watch": {withoutWatch}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(b *bundle) {
				var well atomic.Bool
				b.startLeader("c", options...)
				b.start("a", append(options, withPriority(5), failing(10*time.Second, &well))...)
				b.pass(time.Hour)
				// 1 + 2 + … + 32 ttl of a minute, two terms for each.
				if term := b.leases.Get(stream).Term; term < 8 || term > 14 {
					b.Errorf("term %d after an hour", term)
				}
				well.Store(true)
				b.pass(66 * time.Minute)
				term := b.leases.Get(stream).Term
				b.pass(time.Hour)
				l := b.leases.Get(stream)
				if l.Owner != "a" || l.Term != term {
					b.Errorf("lease = %+v after term %d, want that a leads for good once it is well", l, term)
				}
			})
		})
	}
}

// A leader of a lower priority is let be; a lease that is free is not.
func TestWhoYieldedTakesAFreeLeaseAfterOneTTL(t *testing.T) {
	bubble(t, func(b *bundle) {
		var well atomic.Bool
		c := b.startLeader("c")
		a := b.start("a", withPriority(5), failing(10*time.Second, &well))
		for range 3 { // then it would wait for four ttl
			b.await(a, 3*ttl)
			b.await(c, time.Minute)
		}
		b.pass(ttl + 5*time.Second)
		well.Store(true)
		c.stop()
		b.await(a, time.Second)
	})
}

// A leadership that ends in another way than by a yield ends the doubling.
func TestAStepDownIsNoYield(t *testing.T) {
	bubble(t, func(b *bundle) {
		c := b.startLeader("c")
		a := b.start("a", withPriority(5))
		for range 5 { // each time after one ttl and some
			b.await(a, ttl+moment)
			a.now().l.HandOver(store.SteppedDown)
			b.await(c, 2*time.Second)
		}
	})
}
