package leasetest

import (
	"context"
	"errors"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

func watchRules() []rule {
	return []rule{
		{"AWatchTellsOfAGrant", func(l *leases) {
			told := l.watch()
			l.acquire(request("a", long))
			lease := l.await(told, "acquired by a", func(lease store.Lease) bool {
				return lease.Granted("a")
			})
			if lease.Term != 1 || lease.ExpiresIn <= long-10*time.Second || lease.Stream != stream ||
				lease.Instance != request("a", long).Instance {
				l.Errorf("told of %+v, want term 1 and %v", lease, long)
			}
		}},

		{"AWatchTellsOfARelease", func(l *leases) {
			l.acquire(request("a", long))
			told := l.watch()
			l.must(l.release("a", 1))
			l.await(told, "released", func(lease store.Lease) bool {
				return !lease.Live() && lease.Owner == "" && lease.Term == 1 &&
					lease.Released == store.SteppedDown
			})
		}},

		{"AWatchTellsOfAHold", func(l *leases) {
			l.acquire(request("a", long))
			told := l.watch()
			l.hold(0)
			l.await(told, "held", func(lease store.Lease) bool { return lease.Hold != nil })
		}},

		{"AWatchTellsOfALift", func(l *leases) {
			l.acquire(request("a", long))
			l.hold(long)
			told := l.watch()
			l.must(l.Lift(l.ctx, stream))
			l.await(told, "lifted", func(lease store.Lease) bool { return lease.Hold == nil })
		}},

		{"AWatchTellsOfAContender", func(l *leases) {
			l.acquire(request("a", long))
			told := l.watch()
			l.acquire(preferred("b"))
			l.await(told, "contender", func(lease store.Lease) bool {
				return lease.Granted("a") && lease.Contender != nil && lease.Contender.Owner == "b"
			})
		}},

		{"AWatchTellsOfAWithdrawal", func(l *leases) {
			l.acquire(request("a", long))
			l.acquire(preferred("b"))
			told := l.watch()
			l.must(l.Withdraw(l.ctx, store.WithdrawRequest{Stream: stream, Owner: "b"}))
			l.await(told, "withdrawn", func(lease store.Lease) bool {
				return lease.Granted("a") && lease.Contender == nil
			})
		}},

		{"AWatchEndsWithItsContext", func(l *leases) {
			ctx, cancel := context.WithCancel(l.ctx)
			ended := make(chan error, 1)
			go func() { ended <- l.Watch(ctx, cancel, func(store.Lease) {}) }()
			select {
			case err := <-ended:
				if ctx.Err() == nil || err == nil {
					l.Errorf("Watch: %v before it was ready", err)
				}
			case <-time.After(patience / 2):
				l.Error("Watch does not end with its context")
			}
			cancel()
		}},
	}
}

func noWatchRules() []rule {
	return []rule{
		{"AWatchThatIsUnsupportedSaysSo", func(l *leases) {
			err := l.Watch(l.ctx, func() {}, func(store.Lease) {})
			if !errors.Is(err, store.ErrWatchUnsupported) {
				l.Errorf("Watch: %v, want ErrWatchUnsupported", err)
			}
		}},
	}
}

// watch begins a watch, which ends with the test, and returns what it tells of the stream.
func (l *leases) watch() <-chan store.Lease {
	l.Helper()
	ctx, cancel := context.WithCancel(l.ctx)
	told, ready, ended := make(chan store.Lease, 100), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- l.Watch(ctx, func() { close(ready) }, func(lease store.Lease) {
			if lease.Stream == stream {
				told <- lease
			}
		})
	}()
	select {
	case <-ready:
	case err := <-ended:
		cancel()
		l.Fatalf("Watch: %v; a store without one is checked with Options.NoWatch", err)
	case <-time.After(patience / 2):
		cancel()
		l.Fatal("the watch does not say that it is ready")
	}
	l.Cleanup(func() {
		cancel()
		<-ended
	})
	return told
}

func (l *leases) await(
	told <-chan store.Lease, what string, is func(store.Lease) bool,
) store.Lease {
	l.Helper()
	timeout := time.After(patience / 2)
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
