package leasetest

import (
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

func acquireRules() []rule {
	return []rule{
		{"AFreeLeaseIsGrantedWithItsFirstTerm", func(l *leases) {
			lease := l.acquire(request("a", long))
			l.mustGrant(lease, "a", 1)
			if lease.ExpiresIn <= long-10*time.Second || lease.ExpiresIn > long {
				l.Errorf("ExpiresIn = %v, want about %v", lease.ExpiresIn, long)
			}
			want := request("a", long)
			if lease.TTL != long || lease.Priority != 3 || lease.Instance != want.Instance ||
				lease.Stream != stream || lease.Hold != nil || lease.Released != "" {
				l.Errorf("got %+v, want what was asked for", lease)
			}
		}},

		{"ALiveLeaseIsLeftAlone", func(l *leases) {
			lease := l.acquire(request("a", long))
			l.mustStay(l.acquire(request("b", long)), lease)
			other := request("b", 3*long)
			other.MinTerm, other.Term = 50, 1
			l.mustStay(l.acquire(other), lease)
			l.mustStay(l.look(), lease)
			l.mustGrant(l.renew("a", 1, long), "a", 1)
		}},

		{"TheOwnersLiveLeaseIsLeftAlone", func(l *leases) {
			lease := l.acquire(request("a", long))
			again := request("a", 3*long)
			l.mustStay(l.acquire(again), lease)
			again.Term, again.MinTerm = lease.Term, lease.Term
			l.mustStay(l.acquire(again), lease)
		}},

		{"AnExpiredLeaseGoesToAnother", func(l *leases) {
			l.mustGrant(l.acquire(request("a", short)), "a", 1)
			l.expired()
			l.mustGrant(l.acquire(request("b", long)), "b", 2)
		}},

		{"LeasesOfDifferentStreamsAreIndependent", func(l *leases) {
			lease := l.acquire(request("a", long))
			other := request("b", long)
			other.Stream = "orders2"
			l.mustGrant(l.acquire(other), "b", 1)
			l.must(l.Release(l.ctx, store.ReleaseRequest{
				Stream: other.Stream, Owner: "b", Term: 1, Reason: store.Stopped,
			}))
			other.Owner = "c"
			l.mustGrant(l.acquire(other), "c", 2)
			l.must(l.Hold(l.ctx, store.HoldRequest{Stream: other.Stream}))
			after := l.look()
			l.mustStay(after, lease)
			if after.Hold != nil {
				l.Errorf("held with another stream: %+v", after.Hold)
			}
		}},

		{"TextIsNotAnExpression", func(l *leases) {
			req := request("$instanceId", long)
			lease := l.acquire(req)
			l.mustGrant(lease, "$instanceId", 1)
			if lease.Instance != req.Instance {
				l.Errorf("Instance = %+v, want %+v", lease.Instance, req.Instance)
			}
			l.must(l.release("$instanceId", 1))
		}},

		{"ARefusedAttemptWritesNothing", func(l *leases) {
			if l.Writes == nil {
				l.Skip("no way to count writes")
			}
			lease := l.acquire(request("a", long))
			defer l.mustNotWrite()()
			for range 5 {
				l.acquire(request("b", long))
				l.renew("b", lease.Term, long)
				_ = l.release("b", lease.Term)
			}
		}},
	}
}

func termRules() []rule {
	return []rule{
		{"TheSameOwnerGetsANewTermAfterExpiry", func(l *leases) {
			l.mustGrant(l.acquire(request("a", short)), "a", 1)
			l.expired()
			l.mustGrant(l.acquire(request("a", long)), "a", 2)
		}},

		{"TermsGrowFromOwnerToOwnerAndBack", func(l *leases) {
			for n, owner := range []string{"a", "b", "a", "c", "b"} {
				term := int64(n + 1)
				l.mustGrant(l.acquire(request(owner, long)), owner, term)
				l.must(l.release(owner, term))
			}
		}},

		{"ANewTermIsAtLeastMinTerm", func(l *leases) {
			req := request("a", long)
			req.MinTerm = 7
			l.mustGrant(l.acquire(req), "a", 7)
			l.must(l.release("a", 7))
			req.MinTerm, req.Owner = 3, "b"
			l.mustGrant(l.acquire(req), "b", 8)
		}},

		{"TheOwnerIsRaisedAboveATermThatIsTooSmall", func(l *leases) {
			l.mustGrant(l.acquire(request("a", long)), "a", 1)
			req := request("a", long)
			req.Term, req.MinTerm = 1, 1<<40
			l.mustGrant(l.acquire(req), "a", 1<<40)
			req.Term, req.MinTerm = 1, 1<<50 // 1 is not its term any more
			l.mustGrant(l.acquire(req), "a", 1<<40)
		}},

		{"ATermIsExactWhereFloatingPointIsNot", func(l *leases) {
			req := request("a", long)
			req.MinTerm = 1<<53 + 1
			l.mustGrant(l.acquire(req), "a", 1<<53+1)
			l.mustGrant(l.renew("a", 1<<53+1, long), "a", 1<<53+1)
			l.must(l.release("a", 1<<53+1))
			l.mustGrant(l.acquire(request("b", long)), "b", 1<<53+2)
		}},

		{"ADeletedLeaseBeginsAboveTheTermAskedFor", func(l *leases) {
			if l.Delete == nil {
				l.Skip("no way to delete a lease")
			}
			l.acquire(request("a", long))
			l.must(l.Delete(l.ctx, stream))
			l.mustGrant(l.acquire(request("b", long)), "b", 1)
			req := request("b", long)
			req.Term, req.MinTerm = 1, 42
			l.mustGrant(l.acquire(req), "b", 42)
		}},
	}
}
