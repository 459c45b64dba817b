package storetest

import "github.com/fwgen/fwgen/runtime/store"

// preferred is a request of a higher priority than request makes.
func preferred(owner string) store.AcquireRequest {
	req := request(owner, long)
	req.Priority = 4
	return req
}

var contenderTests = []leaseTest{
	{"AHigherPriorityIsAnnouncedToTheOwner", func(l *leases) {
		lease := l.acquire(request("a", long))
		told := l.acquire(preferred("b"))
		l.mustContend(told, "b")
		l.mustContend(l.renew("a", 1, long), "b")
		if c := told.Contender; c.Priority != 4 || c.Instance != preferred("b").Instance ||
			c.ExpiresIn <= long/4 || c.ExpiresIn > long/2 {
			l.Errorf("Contender = %+v, want priority 4 for half of %v", c, long)
		}
		told.Contender = nil
		l.mustStay(told, lease)
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
		l.mustContend(l.acquire(preferred("c")), "b")
		higher := preferred("d")
		higher.Priority = 5
		l.mustContend(l.acquire(higher), "d")
		l.mustContend(l.acquire(preferred("b")), "d")
	}},

	{"AnAnnouncementLapsesUnlessItIsRepeated", func(l *leases) {
		l.acquire(request("a", long))
		brief := preferred("b")
		brief.TTL = short
		l.acquire(brief)
		eventually(l.T, "the announcement lapses", func() bool { return l.look().Contender == nil })
		l.mustContend(l.acquire(preferred("c")), "c")
	}},

	{"AnAnnouncementIsWithdrawnByItsOwnerAlone", func(l *leases) {
		l.acquire(request("a", long))
		l.acquire(preferred("b"))
		require(l.T, l.Withdraw(l.ctx, store.WithdrawRequest{Stream: stream, Owner: "c"}))
		l.mustContend(l.look(), "b")
		require(l.T, l.Withdraw(l.ctx, store.WithdrawRequest{Stream: stream, Owner: "b"}))
		if c := l.look().Contender; c != nil {
			l.Errorf("Contender = %+v after it withdrew", c)
		}
		require(l.T, l.Withdraw(l.ctx, store.WithdrawRequest{Stream: "none", Owner: "b"}))
	}},

	{"AGrantEndsEveryAnnouncement", func(l *leases) {
		l.acquire(request("a", long))
		higher := preferred("c")
		higher.Priority = 5
		l.acquire(higher)
		require(l.T, l.release("a", 1))
		l.mustGrant(l.acquire(preferred("b")), "b", 2)
		if c := l.look().Contender; c != nil {
			l.Errorf("Contender = %+v of the lease before", c)
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

	{"ALookChangesNothing", func(l *leases) {
		if lease := l.look(); lease != (store.Lease{Stream: stream}) {
			l.Errorf("got %+v of a stream that nobody asked for", lease)
		}
		defer l.mustNotWrite()()
		l.look()
	}},
}

func (l *leases) mustContend(lease store.Lease, owner string) {
	l.Helper()
	if lease.Contender == nil || lease.Contender.Owner != owner {
		l.Fatalf("got %+v with contender %+v, want %s", lease, lease.Contender, owner)
	}
}
