package storetest

import (
	"errors"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

var renewTests = []leaseTest{
	{"ARenewalExtendsTheLease", func(l *leases) {
		l.acquire(request("a", long))
		lease := l.renew("a", 1, 3*long)
		l.mustGrant(lease, "a", 1)
		if lease.TTL != 3*long || lease.ExpiresIn <= 2*long {
			l.Errorf("got %+v, want it to live for %v", lease, 3*long)
		}
	}},

	{"ARenewalByAnotherOwnerOrTermChangesNothing", func(l *leases) {
		lease := l.acquire(request("a", long))
		l.mustStay(l.renew("b", 1, 5*long), lease)
		l.mustStay(l.renew("a", 2, 5*long), lease)
		l.mustStay(l.renew("a", 0, 5*long), lease)
		l.mustStay(l.look(), lease)
	}},

	{"AnExpiredLeaseIsNotRenewed", func(l *leases) {
		l.acquire(request("a", short))
		l.expired()
		if lease := l.renew("a", 1, long); lease.Live() {
			l.Errorf("renewed after its expiry: %+v", lease)
		}
		l.mustGrant(l.acquire(request("b", long)), "b", 2)
		if lease := l.renew("a", 1, long); lease.Owner != "b" {
			l.Errorf("got %+v, want to be told of b", lease)
		}
	}},

	{"ARenewalCreatesNothing", func(l *leases) {
		defer l.mustNotWrite()()
		if lease := l.renew("a", 1, long); lease.Live() || lease.Term != 0 {
			l.Errorf("got %+v, want that nobody owns it", lease)
		}
	}},
}

var releaseTests = []leaseTest{
	{"AReleasedLeaseIsFreeAtOnce", func(l *leases) {
		l.acquire(request("a", long))
		require(l.T, l.release("a", 1))
		lease := l.look()
		if lease.Live() || lease.Owner != "" || lease.ExpiresIn > 0 {
			l.Errorf("got %+v, want that nobody owns it", lease)
		}
		if lease.Term != 1 || lease.Released != store.SteppedDown || lease.Instance.Name != "a" {
			l.Errorf("got %+v, want the last term, its reason and its instance", lease)
		}
		l.mustGrant(l.acquire(request("b", long)), "b", 2)
		if lease := l.look(); lease.Released != "" {
			l.Errorf("Released = %s of a lease that is owned", lease.Released)
		}
	}},

	{"TheSameOwnerGetsANewTermAfterRelease", func(l *leases) {
		l.acquire(request("a", long))
		require(l.T, l.release("a", 1))
		l.mustGrant(l.acquire(request("a", long)), "a", 2)
	}},

	{"AStaleOwnerReleasesNothing", func(l *leases) { // B085
		l.acquire(request("a", short))
		l.expired()
		lease := l.acquire(request("b", long))
		for _, stale := range []struct {
			owner string
			term  int64
		}{{"a", 1}, {"a", 2}, {"b", 1}, {"", 2}} {
			if err := l.release(stale.owner, stale.term); !errors.Is(err, store.ErrNotOwner) {
				l.Errorf("release by %q of term %d: %v, want ErrNotOwner",
					stale.owner, stale.term, err)
			}
		}
		l.mustStay(l.look(), lease)
	}},

	{"AMissingLeaseIsNotReleased", func(l *leases) {
		if err := l.release("a", 1); !errors.Is(err, store.ErrNotOwner) {
			l.Errorf("got %v, want ErrNotOwner", err)
		}
	}},
}

var holdTests = []leaseTest{
	{"AHeldStreamIsNotGranted", func(l *leases) {
		l.hold(0)
		if lease := l.acquire(request("a", long)); lease.Live() || lease.Hold == nil {
			l.Fatalf("got %+v, want it held", lease)
		}
		require(l.T, l.Lift(l.ctx, stream))
		lease := l.acquire(request("a", long))
		l.mustGrant(lease, "a", 1)
		if lease.Hold != nil {
			l.Errorf("Hold = %+v after it was lifted", lease.Hold)
		}
	}},

	{"AnOwnerIsToldOfAHold", func(l *leases) {
		l.acquire(request("a", long))
		l.hold(long)
		lease := l.renew("a", 1, long)
		l.mustGrant(lease, "a", 1)
		if lease.Hold == nil || lease.Hold.ExpiresIn <= 0 || lease.Hold.ExpiresIn > long {
			l.Fatalf("Hold = %+v, want one of %v", lease.Hold, long)
		}
		require(l.T, l.release("a", 1))
		if lease := l.acquire(request("a", long)); lease.Live() || lease.Hold == nil {
			l.Errorf("got %+v, want it held", lease)
		}
	}},

	{"AHoldIsReplacedAndToldAsItWasAsked", func(l *leases) {
		l.hold(long)
		l.hold(0)
		h := l.look().Hold
		if h == nil || h.By != "$by" || h.Reason != "test" || h.At.IsZero() || !h.Until.IsZero() {
			l.Errorf("Hold = %+v, want by $by for test, without an end", h)
		}
	}},

	{"LiftingIsNoErrorWhereNothingIsHeld", func(l *leases) {
		require(l.T, l.Lift(l.ctx, stream))
		lease := l.acquire(request("a", long))
		require(l.T, l.Lift(l.ctx, stream))
		l.mustStay(l.look(), lease)
	}},

	{"AHoldThatIsOverHoldsNothing", func(l *leases) {
		require(l.T, l.Hold(l.ctx, store.HoldRequest{
			Stream: stream, Until: time.Now().Add(-time.Minute),
		}))
		l.mustGrant(l.acquire(request("a", long)), "a", 1)
	}},

	{"AHoldEndsByTheClockOfTheStore", func(l *leases) {
		began := time.Now()
		l.hold(short)
		lease := l.acquire(request("a", long))
		if time.Since(began) >= short {
			l.Skip("the machine is too slow to ask before the end of the hold")
		}
		if lease.Live() {
			l.Fatalf("granted in spite of a hold: %+v", lease)
		}
		eventually(l.T, "the hold ends", func() bool {
			return l.acquire(request("a", long)).Granted("a")
		})
		if lease := l.look(); lease.Hold != nil {
			l.Errorf("Hold = %+v after its end", lease.Hold)
		}
	}},
}

func (l *leases) hold(d time.Duration) {
	l.Helper()
	req := store.HoldRequest{Stream: stream, By: "$by", Reason: "test"}
	if d > 0 {
		req.Until = time.Now().Add(d)
	}
	require(l.T, l.Hold(l.ctx, req))
}
