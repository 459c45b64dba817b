package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

var watchTests = []leaseTest{
	{"AWatchTellsOfEveryChangeOfOwner", func(l *leases) {
		told, stop := l.watch()
		l.acquire(request("a", long))
		l.await(told, "acquired by a", func(lease store.Lease) bool { return lease.Granted("a") })
		require(l.T, l.release("a", 1))
		l.await(told, "released", func(lease store.Lease) bool {
			return !lease.Live() && lease.Owner == "" && lease.Released == store.SteppedDown
		})
		l.acquire(request("b", long))
		lease := l.await(told, "acquired by b", func(lease store.Lease) bool {
			return lease.Granted("b")
		})
		if lease.Term != 2 || lease.ExpiresIn <= long-10*time.Second || lease.Stream != stream {
			l.Errorf("told of %+v, want term 2 and %v", lease, long)
		}
		stop()
	}},

	{"AWatchTellsOfAHold", func(l *leases) {
		l.acquire(request("a", long))
		told, stop := l.watch()
		l.hold(0)
		l.await(told, "held", func(lease store.Lease) bool { return lease.Hold != nil })
		require(l.T, l.Lift(l.ctx, stream))
		l.await(told, "lifted", func(lease store.Lease) bool { return lease.Hold == nil })
		stop()
	}},

	{"AWatchTellsOfAContender", func(l *leases) {
		l.acquire(request("a", long))
		told, stop := l.watch()
		l.acquire(preferred("b"))
		l.await(told, "contender", func(lease store.Lease) bool {
			return lease.Granted("a") && lease.Contender != nil
		})
		stop()
	}},
}

// watch begins a watch and returns what it tells of and a function that ends it, which checks that
// it returns.
func (l *leases) watch() (<-chan store.Lease, func()) {
	l.Helper()
	ctx, cancel := context.WithCancel(l.ctx)
	told, ready, ended := make(chan store.Lease, 100), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- l.Watch(ctx, func() { close(ready) }, func(lease store.Lease) { told <- lease })
	}()
	select {
	case <-ready:
	case err := <-ended:
		cancel()
		if errors.Is(err, store.ErrWatchUnsupported) {
			l.Skip("the store has no watch")
		}
		l.Fatalf("Watch: %v", err)
	}
	return told, func() {
		l.Helper()
		cancel()
		select {
		case <-ended:
		case <-time.After(patience):
			l.Error("Watch does not end with its context")
		}
	}
}

func (l *leases) await(
	told <-chan store.Lease, what string, is func(store.Lease) bool,
) store.Lease {
	l.Helper()
	timeout := time.After(patience)
	for {
		select {
		case lease := <-told:
			if is(lease) {
				return lease
			}
		case <-timeout:
			l.Fatalf("the watch did not tell: %s", what)
		}
	}
}
