package leasetest

import (
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

func raceRules() []rule {
	return []rule{
		{"TheFirstAcquireHasOneWinnerAndNoError", func(l *leases) {
			rounds := 20
			if l.Delete == nil {
				rounds = 1 // there is one first time
			}
			for range rounds {
				winners := l.race(50)
				if len(winners) != 1 {
					l.Fatalf("winners = %v, want one", winners)
				}
				for owner, term := range winners {
					if term != 1 {
						l.Errorf("%s won term %d, want 1", owner, term)
					}
				}
				if l.Delete != nil {
					l.must(l.Delete(l.ctx, stream))
				}
			}
		}},

		{"ATermHasOneOwner", func(l *leases) {
			l.free()
			var granted grants
			var wg sync.WaitGroup
			for i := range 6 {
				wg.Go(func() { l.contend(string(rune('a'+i)), &granted) })
			}
			wg.Wait()
			for term, owners := range granted.owners {
				if len(owners) > 1 {
					l.Errorf("term %d: %v", term, owners)
				}
			}
			if len(granted.owners) < 3 {
				l.Errorf("only %d terms: the test contends for nothing", len(granted.owners))
			}
		}},
	}
}

// grants is who was told that somebody owns a term.
type grants struct {
	mu     sync.Mutex // guards owners
	owners map[int64]map[string]bool
}

func (g *grants) add(lease store.Lease) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.owners == nil {
		g.owners = map[int64]map[string]bool{}
	}
	if g.owners[lease.Term] == nil {
		g.owners[lease.Term] = map[string]bool{}
	}
	g.owners[lease.Term][lease.Owner] = true
}

// contend acquires a lease that expires soon, again and again.
func (l *leases) contend(owner string, granted *grants) {
	for range 60 {
		lease, err := l.Acquire(l.ctx, request(owner, 15*time.Millisecond))
		if err != nil {
			l.Error(err)
			return
		}
		granted.add(lease)
		if l.Advance != nil {
			_ = l.Advance(l.ctx, time.Millisecond)
		}
		time.Sleep(3 * time.Millisecond)
	}
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
