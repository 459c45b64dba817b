package leasetest

import (
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

func holdRules() []rule {
	return []rule{
		{"AHeldStreamIsNotGranted", func(l *leases) {
			l.free()
			l.hold(0)
			if lease := l.acquire(request("b", long)); lease.Live() || lease.Hold == nil {
				l.Fatalf("got %+v, want it held", lease)
			}
		}},

		{"AStreamWithoutALeaseIsHeld", func(l *leases) {
			l.hold(0)
			if lease := l.acquire(request("a", long)); lease.Live() || lease.Hold == nil {
				l.Fatalf("got %+v, want it held", lease)
			}
		}},

		{"ALiftedStreamIsGrantedAgain", func(l *leases) {
			l.free()
			l.hold(0)
			l.must(l.Lift(l.ctx, stream))
			lease := l.acquire(request("b", long))
			l.mustGrant(lease, "b", 2)
			if lease.Hold != nil {
				l.Errorf("Hold = %+v after it was lifted", lease.Hold)
			}
		}},

		{"AnOwnerIsToldOfAHold", func(l *leases) {
			l.acquire(request("a", long))
			l.hold(long)
			lease := l.renew("a", 1, long)
			l.mustGrant(lease, "a", 1)
			if lease.Hold == nil || lease.Hold.ExpiresIn <= long-10*time.Second ||
				lease.Hold.ExpiresIn > long {
				l.Fatalf("Hold = %+v, want one of %v", lease.Hold, long)
			}
		}},

		{"AHoldLeavesTheLeaseAsItIs", func(l *leases) {
			lease := l.acquire(request("a", long))
			l.hold(long)
			l.mustStay(l.look(), lease)
			l.must(l.Lift(l.ctx, stream))
			l.mustStay(l.look(), lease)
		}},

		{"AHoldOutlastsTheRelease", func(l *leases) {
			l.acquire(request("a", long))
			l.hold(0)
			l.must(l.release("a", 1))
			if l.look().Hold == nil {
				l.Error("the release ended the hold")
			}
		}},

		{"AHoldIsReplacedAndToldAsItWasAsked", func(l *leases) {
			l.free()
			l.hold(long)
			l.hold(0)
			h := l.look().Hold
			if h == nil || h.By != "$by" || h.Reason != "test" || h.At.IsZero() ||
				!h.Until.IsZero() || h.ExpiresIn != 0 {
				l.Errorf("Hold = %+v, want by $by for test, without an end", h)
			}
		}},

		{"LiftingIsNoErrorWhereNothingIsHeld", func(l *leases) {
			l.must(l.Lift(l.ctx, stream))
			lease := l.acquire(request("a", long))
			l.must(l.Lift(l.ctx, stream))
			l.mustStay(l.look(), lease)
		}},

		{"AHoldThatIsOverHoldsNothing", func(l *leases) {
			l.free()
			l.hold(-long)
			lease := l.acquire(request("b", long))
			l.mustGrant(lease, "b", 2)
			if lease.Hold != nil {
				l.Errorf("Hold = %+v, which is over", lease.Hold)
			}
		}},

		{"AHoldEndsByTheClockOfTheStore", func(l *leases) {
			l.free()
			l.hold(short)
			l.pass("the hold ends", func() bool { return l.look().Hold == nil })
			lease := l.acquire(request("b", long))
			l.mustGrant(lease, "b", 2)
			if lease.Hold != nil {
				l.Errorf("Hold = %+v after its end", lease.Hold)
			}
		}},
	}
}

// free makes a lease that was released.
func (l *leases) free() {
	l.Helper()
	l.acquire(request("a", long))
	l.must(l.release("a", 1))
}

// hold holds the stream for a time, for ever where it is zero.
func (l *leases) hold(d time.Duration) {
	l.Helper()
	req := store.HoldRequest{Stream: stream, By: "$by", Reason: "test"}
	if d != 0 {
		req.Until = l.now().Add(d)
	}
	l.must(l.Hold(l.ctx, req))
}

// now is the time by the clock of the store, which the hold of another stream shows.
func (l *leases) now() time.Time {
	l.Helper()
	const other = "clock"
	l.must(l.Hold(l.ctx, store.HoldRequest{Stream: other}))
	lease, err := l.Look(l.ctx, other)
	l.must(err)
	if lease.Hold == nil {
		l.Fatal("a look does not tell of a hold")
	}
	return lease.Hold.At
}
