package mongostore_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fwgen/fwgen/internal/memongo"
	"github.com/fwgen/fwgen/runtime/internal/mongostore"
	"github.com/fwgen/fwgen/runtime/store"
)

const ttl = 6 * time.Second

// granted is a lease of orders, acquired by a at a server that does what faults say.
func granted(t *testing.T, o memongo.Options) *mongostore.Leases {
	t.Helper()
	server := memongo.Start(o)
	t.Cleanup(server.Close)
	leases := mongostore.New(connect(t, server), "shop", "_fw").Leases()
	lease, err := leases.Acquire(t.Context(), store.AcquireRequest{
		Stream: "orders", Owner: "a", TTL: ttl,
	})
	if err != nil || lease.Term != 1 {
		t.Fatalf("Acquire = %+v, %v", lease, err)
	}
	return leases
}

func renew(ctx context.Context, leases *mongostore.Leases) (store.Lease, error) {
	return leases.Renew(ctx, store.RenewRequest{Stream: "orders", Owner: "a", Term: 1, TTL: ttl})
}

// The first renewal is given up and runs after the second, by the time at which it came.
func TestARenewalThatIsOvertakenShortensNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var late atomic.Bool
		leases := granted(t, memongo.Options{Faults: func(c memongo.Command) memongo.Fault {
			if c.Name == "findAndModify" && late.CompareAndSwap(true, false) {
				return memongo.Fault{Delay: 2100 * time.Millisecond}
			}
			return memongo.Fault{}
		}})
		late.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if lease, err := renew(ctx, leases); err == nil {
			t.Fatalf("Renew = %+v, want no answer in time", lease)
		}
		confirmed := time.Now()
		if lease, err := renew(t.Context(), leases); err != nil || !lease.Granted("a") {
			t.Fatalf("Renew = %+v, %v", lease, err)
		}
		time.Sleep(time.Second)
		lease, err := leases.Look(t.Context(), "orders")
		if left := time.Until(confirmed.Add(ttl)); err != nil || lease.ExpiresIn < left-time.Millisecond {
			t.Errorf("Look = %+v, %v; want it to live for %s", lease, err, left)
		}
	})
}

// A clock that is set back does not leave a lease that never expires.
func TestARenewalAfterTheClockWasSetBackEndsATTLLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ahead atomic.Int64
		ahead.Store(int64(time.Hour))
		leases := granted(t, memongo.Options{Now: func() time.Time {
			return time.Now().Add(time.Duration(ahead.Load()))
		}})
		ahead.Store(0)
		if lease, err := renew(t.Context(), leases); err != nil || lease.ExpiresIn > ttl {
			t.Errorf("Renew = %+v, %v; want it to live for %s", lease, err, ttl)
		}
	})
}
