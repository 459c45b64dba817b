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
	Acquire Method = "Acquire"
	Renew   Method = "Renew"
	Release Method = "Release"
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

// SetFault makes choose decide what happens to every call from now on. It is called once per call,
// at its start, by several goroutines. Nil ends all faults.
func (s *Leases) SetFault(choose func(Call) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = choose
}

// Calls returns how many calls of a method were begun, whatever became of them.
func (s *Leases) Calls(method Method) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// begin counts a call and returns its fault.
func (s *Leases) begin(call Call) Fault {
	s.mu.Lock()
	s.calls[call.Method]++
	choose := s.fault
	s.mu.Unlock()
	if choose == nil {
		return Fault{}
	}
	return choose(call)
}

// through takes a call to the server and its answer back.
func (s *Leases) through(
	ctx context.Context, call Call, apply func() (store.Lease, error),
) (store.Lease, error) {
	f := s.begin(call)
	if f.Hang != nil {
		<-f.Hang
	}
	if f.Deaf {
		ctx = context.WithoutCancel(ctx)
	}
	start := time.Now()
	if err := pause(ctx, f.Before); err != nil {
		if f.Straggles && f.Fail == nil {
			time.AfterFunc(f.Before-time.Since(start), func() { _, _ = apply() })
		}
		return store.Lease{}, err
	}
	if f.Fail != nil {
		return store.Lease{}, f.Fail
	}
	answer, err := apply()
	if lost := pause(ctx, f.After); lost != nil {
		return store.Lease{}, lost
	}
	if f.Lose != nil {
		return store.Lease{}, f.Lose
	}
	return answer, err
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
