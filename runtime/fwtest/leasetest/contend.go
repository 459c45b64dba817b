package leasetest

import (
	"github.com/fwgen/fwgen/runtime/store"
)

// preferred is a request of a higher priority than request makes.
func preferred(owner string) store.AcquireRequest {
	req := request(owner, long)
	req.Priority = 4
	return req
}

// most is a request of a higher priority than preferred makes.
func most(owner string) store.AcquireRequest {
	req := request(owner, long)
	req.Priority = 5
	return req
}

func contenderRules() []rule {
	return []rule{
		{"AHigherPriorityIsAnnouncedToTheOwner", func(l *leases) {
			lease := l.acquire(request("a", long))
			told := l.acquire(preferred("b"))
			l.mustContend(told, "b")
			l.mustStay(told, lease)
			l.mustContend(l.look(), "b")
			l.mustContend(l.renew("a", 1, long), "b")
			if c := told.Contender; c.Priority != 4 || c.Instance != preferred("b").Instance ||
				c.ExpiresIn <= long/4 || c.ExpiresIn > long/2 {
				l.Errorf("Contender = %+v, want priority 4 for half of %v", c, long)
			}
		}},

		{"AnEqualOrLowerPriorityIsNotAnnounced", func(l *leases) {
			l.acquire(request("a", long))
			defer l.mustNotWrite()()
			lower := request("c", long)
			lower.Priority = -1
			for _, req := range []store.AcquireRequest{request("b", long), lower} {
				if lease := l.acquire(req); lease.Contender != nil {
					l.Errorf("priority %d: Contender = %+v", req.Priority, lease.Contender)
				}
			}
		}},

		{"TheHighestPriorityIsAnnounced", func(l *leases) {
			l.acquire(request("a", long))
			l.acquire(preferred("b"))
			l.mustContend(l.acquire(most("d")), "d")
			l.mustContend(l.acquire(preferred("b")), "d")
		}},

		{"TheFirstOfEqualPriorityStaysAnnounced", func(l *leases) {
			l.acquire(request("a", long))
			l.acquire(preferred("b"))
			l.mustContend(l.acquire(preferred("c")), "b")
		}},

		{"AnAnnouncementLapsesUnlessItIsRepeated", func(l *leases) {
			l.acquire(request("a", long))
			l.acquire(briefly("b"))
			l.pass("the announcement lapses", func() bool { return l.look().Contender == nil })
			l.mustContend(l.acquire(preferred("c")), "c")
		}},

		{"AnAnnouncementIsRepeatedByItsOwner", func(l *leases) {
			l.acquire(request("a", long))
			l.acquire(briefly("b"))
			told := l.acquire(preferred("b"))
			l.mustContend(told, "b")
			if left := told.Contender.ExpiresIn; left <= long/4 {
				l.Errorf("announced for %v more, want half of %v", left, long)
			}
		}},

		{"AnAnnouncementIsWithdrawnByItsOwnerAlone", func(l *leases) {
			lease := l.acquire(request("a", long))
			l.acquire(preferred("b"))
			l.must(l.Withdraw(l.ctx, store.WithdrawRequest{Stream: stream, Owner: "c"}))
			l.mustContend(l.look(), "b")
			l.must(l.Withdraw(l.ctx, store.WithdrawRequest{Stream: stream, Owner: "b"}))
			after := l.look()
			if c := after.Contender; c != nil {
				l.Errorf("Contender = %+v after it withdrew", c)
			}
			l.mustStay(after, lease)
		}},

		{"WithdrawingIsNoErrorWhereNothingIsAnnounced", func(l *leases) {
			defer l.mustNotWrite()()
			l.must(l.Withdraw(l.ctx, store.WithdrawRequest{Stream: stream, Owner: "b"}))
		}},

		{"AGrantEndsEveryAnnouncement", func(l *leases) {
			l.acquire(request("a", long))
			l.acquire(most("c"))
			l.must(l.release("a", 1))
			l.mustGrant(l.acquire(preferred("b")), "b", 2)
			if c := l.look().Contender; c != nil {
				l.Errorf("Contender = %+v of the lease before", c)
			}
		}},

		{"ARaiseOfTheTermEndsEveryAnnouncement", func(l *leases) {
			l.acquire(request("a", long))
			l.acquire(preferred("b"))
			raise := request("a", long)
			raise.Term, raise.MinTerm = 1, 9
			lease := l.acquire(raise)
			l.mustGrant(lease, "a", 9)
			if lease.Contender != nil {
				l.Errorf("Contender = %+v of the term before", lease.Contender)
			}
		}},

		{"AHandOverGoesToThePreferredOwner", func(l *leases) {
			l.acquire(request("a", long))
			l.acquire(preferred("b"))
			l.mustContend(l.renew("a", 1, long), "b")
			l.must(l.release("a", 1))
			lease := l.acquire(preferred("b"))
			l.mustGrant(lease, "b", 2)
			told := l.acquire(request("a", long)) // it stands by now, and asks for nothing
			l.mustStay(told, lease)
			if told.Contender != nil {
				l.Errorf("Contender = %+v after the hand-over", told.Contender)
			}
		}},

		{"NobodyContendsForAHeldStream", func(l *leases) {
			l.acquire(request("a", long))
			l.hold(0)
			if lease := l.acquire(preferred("b")); lease.Contender != nil {
				l.Errorf("Contender = %+v", lease.Contender)
			}
		}},

		{"AnOwnerDoesNotContendWithItself", func(l *leases) {
			l.acquire(request("a", long))
			if lease := l.acquire(preferred("a")); lease.Contender != nil || lease.Priority != 3 {
				l.Errorf("got %+v", lease)
			}
		}},
	}
}

// briefly is a request whose announcement lapses soon.
func briefly(owner string) store.AcquireRequest {
	req := preferred(owner)
	req.TTL = 2 * short
	return req
}

func (l *leases) mustContend(lease store.Lease, owner string) {
	l.Helper()
	if lease.Contender == nil || lease.Contender.Owner != owner {
		l.Fatalf("got %+v with contender %+v, want %s", lease, lease.Contender, owner)
	}
}
