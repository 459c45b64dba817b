package leasetest

import (
	"context"

	"github.com/fwgen/fwgen/runtime/store"
)

func outcomeRules() []rule {
	return []rule{
		{"ACallWhoseContextIsOverPromotesNobody", func(l *leases) {
			ctx, cancel := context.WithCancel(l.ctx)
			cancel()
			lease, err := l.Acquire(ctx, request("a", long))
			if err == nil || lease != (store.Lease{}) {
				l.Errorf("Acquire = %+v, %v under a context that has ended", lease, err)
			}
		}},

		{"ACallWhoseContextIsOverFails", func(l *leases) {
			l.acquire(request("a", long))
			l.hold(long)
			ctx, cancel := context.WithCancel(l.ctx)
			cancel()
			l.mustFail(ctx)
		}},

		{"AStoreThatIsGoneFailsEveryCall", func(l *leases) {
			if l.Break == nil {
				l.Skip("no way to make the store unreachable")
			}
			l.acquire(request("a", long))
			l.hold(long)
			l.Break()
			l.mustFail(l.ctx)
			if lease, err := l.Acquire(l.ctx, request("b", long)); err == nil || lease.Live() {
				l.Errorf("Acquire = %+v, %v of a store that is gone", lease, err)
			}
		}},
	}
}

// mustFail checks that no call says that it did what nobody can know. All would succeed otherwise.
func (l *leases) mustFail(ctx context.Context) {
	l.Helper()
	calls := map[string]func() error{
		"Renew": func() error {
			_, err := l.Renew(ctx, store.RenewRequest{
				Stream: stream, Owner: "a", Term: 1, TTL: long,
			})
			return err
		},
		"Look": func() error {
			_, err := l.Look(ctx, stream)
			return err
		},
		"Withdraw": func() error {
			return l.Withdraw(ctx, store.WithdrawRequest{Stream: stream, Owner: "b"})
		},
		"Hold": func() error { return l.Hold(ctx, store.HoldRequest{Stream: stream}) },
		"Lift": func() error { return l.Lift(ctx, stream) },
		"Release": func() error {
			return l.Release(ctx, store.ReleaseRequest{
				Stream: stream, Owner: "a", Term: 1, Reason: store.Stopped,
			})
		},
	}
	for name, call := range calls {
		if err := call(); err == nil {
			l.Errorf("%s returned nil", name)
		}
	}
}
