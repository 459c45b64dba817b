package leasetest

import (
	"errors"

	"github.com/fwgen/fwgen/runtime/store"
)

func renewRules() []rule {
	return []rule{
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
			l.acquire(request("b", long))
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
}

func releaseRules() []rule {
	return []rule{
		{"AReleasedLeaseIsFreeAtOnce", func(l *leases) {
			l.acquire(request("a", long))
			l.must(l.release("a", 1))
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
			l.must(l.release("a", 1))
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

		{"ASecondReleaseIsRefused", func(l *leases) {
			l.acquire(request("a", long))
			l.must(l.release("a", 1))
			if err := l.release("a", 1); !errors.Is(err, store.ErrNotOwner) {
				l.Errorf("release of a lease that is free: %v, want ErrNotOwner", err)
			}
		}},

		{"AMissingLeaseIsNotReleased", func(l *leases) {
			if err := l.release("a", 1); !errors.Is(err, store.ErrNotOwner) {
				l.Errorf("got %v, want ErrNotOwner", err)
			}
		}},
	}
}

func lookRules() []rule {
	return []rule{
		{"ALookChangesNothing", func(l *leases) {
			lease := l.acquire(request("a", long))
			defer l.mustNotWrite()()
			for range 3 {
				l.mustStay(l.look(), lease)
			}
		}},

		{"ALookAtAnUnknownStreamTellsItsName", func(l *leases) {
			defer l.mustNotWrite()()
			if lease := l.look(); lease != (store.Lease{Stream: stream}) {
				l.Errorf("got %+v of a stream that nobody asked for", lease)
			}
		}},
	}
}
