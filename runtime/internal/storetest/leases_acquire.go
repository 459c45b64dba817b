package storetest

import (
	"context"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

var acquireTests = []leaseTest{
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
		other := request("b", long)
		other.MinTerm, other.Term = 50, 1
		l.mustStay(l.acquire(other), lease)
		l.mustStay(l.look(), lease)
	}},

	{"TheOwnersLiveLeaseIsLeftAlone", func(l *leases) {
		lease := l.acquire(request("a", long))
		again := request("a", 2*long)
		l.mustStay(l.acquire(again), lease)
		again.Term, again.MinTerm = lease.Term, lease.Term
		l.mustStay(l.acquire(again), lease)
	}},

	{"TheSameOwnerGetsANewTermAfterExpiry", func(l *leases) {
		l.mustGrant(l.acquire(request("a", short)), "a", 1)
		l.expired()
		l.mustGrant(l.acquire(request("a", long)), "a", 2)
	}},

	{"AnExpiredLeaseGoesToAnother", func(l *leases) {
		began := time.Now()
		l.mustGrant(l.acquire(request("a", short)), "a", 1)
		lease := l.acquire(request("b", long))
		if time.Since(began) >= short {
			l.Skip("the machine is too slow to ask before the expiry")
		}
		if lease.Owner != "a" {
			l.Fatalf("taken over before its expiry: %+v", lease)
		}
		l.expired()
		l.mustGrant(l.acquire(request("b", long)), "b", 2)
	}},

	{"ANewTermIsAtLeastMinTerm", func(l *leases) {
		req := request("a", long)
		req.MinTerm = 7
		l.mustGrant(l.acquire(req), "a", 7)
		require(l.T, l.release("a", 7))
		req.MinTerm = 3
		l.mustGrant(l.acquire(req), "a", 8)
	}},

	{"TheOwnerIsRaisedAboveATermThatIsTooSmall", func(l *leases) {
		l.mustGrant(l.acquire(request("a", long)), "a", 1)
		req := request("a", long)
		req.Term, req.MinTerm = 1, 1<<40
		l.mustGrant(l.acquire(req), "a", 1<<40)
		req.Term, req.MinTerm = 1, 1<<50 // 1 is not its term any more
		l.mustGrant(l.acquire(req), "a", 1<<40)
	}},

	{"ADeletedLeaseBeginsAboveTheTermAskedFor", func(l *leases) {
		if l.Delete == nil {
			l.Skip("no way to delete a lease")
		}
		req := request("a", long)
		req.MinTerm = 41
		l.mustGrant(l.acquire(req), "a", 41)
		require(l.T, l.Delete(l.ctx, stream))
		l.mustGrant(l.acquire(request("b", long)), "b", 1)
		req = request("b", long)
		req.Term, req.MinTerm = 1, 42
		l.mustGrant(l.acquire(req), "b", 42)
	}},

	{"TextIsNotAnExpression", func(l *leases) {
		req := request("$instanceId", long)
		lease := l.acquire(req)
		l.mustGrant(lease, "$instanceId", 1)
		if lease.Instance != req.Instance {
			l.Errorf("Instance = %+v, want %+v", lease.Instance, req.Instance)
		}
		require(l.T, l.release("$instanceId", 1))
	}},

	{"ARefusedAttemptWritesNothing", func(l *leases) {
		lease := l.acquire(request("a", long))
		defer l.mustNotWrite()()
		for range 5 {
			l.acquire(request("b", long))
			l.renew("b", lease.Term, long)
			_ = l.release("b", lease.Term)
		}
	}},

	{"ACallEndsWithItsContext", func(l *leases) {
		ctx, cancel := context.WithCancel(l.ctx)
		cancel()
		if lease, err := l.Acquire(ctx, request("a", long)); err == nil {
			l.Errorf("Acquire = %+v under a context that has ended", lease)
		}
	}},
}

var contentionTests = []leaseTest{
	{"TheFirstAcquireHasOneWinnerAndNoError", func(l *leases) {
		for range 20 {
			winners := l.race(50)
			if len(winners) != 1 {
				l.Fatalf("winners = %v, want one", winners)
			}
			for owner, term := range winners {
				require(l.T, l.release(owner, term))
			}
			if l.Delete != nil {
				require(l.T, l.Delete(l.ctx, stream))
			}
		}
	}},

	{"ATermHasOneOwner", func(l *leases) {
		owners := map[int64]string{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				owner := string(rune('a' + i))
				for range 60 {
					lease, err := l.Acquire(l.ctx, request(owner, 15*time.Millisecond))
					if err != nil {
						l.Error(err)
						return
					}
					mu.Lock()
					if first, ok := owners[lease.Term]; ok && first != lease.Owner {
						l.Errorf("term %d: %s and %s", lease.Term, first, lease.Owner)
					}
					owners[lease.Term] = lease.Owner
					mu.Unlock()
					time.Sleep(3 * time.Millisecond)
				}
			})
		}
		wg.Wait()
		if len(owners) < 3 {
			l.Errorf("only %d terms: the test contends for nothing", len(owners))
		}
	}},
}

// race lets n owners acquire the lease at once. It returns those that were granted it.
func (l *leases) race(n int) map[string]int64 {
	start, results := make(chan struct{}), make(chan store.Lease, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			owner := "owner" + string(rune('A'+i))
			<-start
			lease, err := l.Acquire(l.ctx, request(owner, long))
			if err != nil {
				l.Error(err)
			}
			if lease.Granted(owner) {
				results <- lease
			}
		})
	}
	close(start)
	wg.Wait()
	close(results)
	winners := map[string]int64{}
	for lease := range results {
		winners[lease.Owner] = lease.Term
	}
	return winners
}
