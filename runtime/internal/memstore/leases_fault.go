package memstore

import (
	"context"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// Method names a call of [store.Leases].
type Method string

// The methods.
const (
	Acquire  Method = "Acquire"
	Renew    Method = "Renew"
	Release  Method = "Release"
	Withdraw Method = "Withdraw"
	Look     Method = "Look"
)

// Call is what a fault is chosen by.
type Call struct {
	Method        Method
	Stream, Owner string
	Term          int64
	Reason        store.ReleaseReason // of a Release
}

// Fault is what happens to one call. The zero value lets it pass. The parts apply in their order.
type Fault struct {
	// Hang keeps the call until it is closed, whatever its context says.
	Hang <-chan struct{}

	// Before is the time until the call reaches the server. If the context ends first, the call
	// fails and changes nothing; unless it Straggles, when it fails and is applied later.
	Before    time.Duration
	Straggles bool

	// Fail is the error of a call that does not reach the server.
	Fail error

	// After is the time from the server to the caller. If the context ends first, the call fails
	// though it was applied.
	After time.Duration

	// Lose is the error of a call that was applied.
	Lose error

	// Deaf makes Before and After take their time whatever the context says.
	Deaf bool
}

// pause waits for d, or until ctx ends, whose error it returns.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
