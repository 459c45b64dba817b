package memstore

import (
	"context"
	"sync"
	"time"
)

// faults decides what happens to the calls of a store and counts them.
type faults struct {
	muFaults sync.Mutex // guards everything below
	choose   func(Call) Fault
	calls    map[Method]int
}

// SetFault makes choose decide what happens to every call from now on. It is called once per call,
// at its start, by several goroutines. Nil ends all faults.
func (f *faults) SetFault(choose func(Call) Fault) {
	f.muFaults.Lock()
	defer f.muFaults.Unlock()
	f.choose = choose
}

// Calls returns how many calls of a method were begun, whatever became of them.
func (f *faults) Calls(method Method) int {
	f.muFaults.Lock()
	defer f.muFaults.Unlock()
	return f.calls[method]
}

func (f *faults) begin(call Call) Fault {
	f.muFaults.Lock()
	if f.calls == nil {
		f.calls = make(map[Method]int)
	}
	f.calls[call.Method]++
	choose := f.choose
	f.muFaults.Unlock()
	if choose == nil {
		return Fault{}
	}
	return choose(call)
}

// through takes a call to the server and its outcome back.
func (f *faults) through(ctx context.Context, call Call, apply func() error) error {
	fault := f.begin(call)
	if fault.Hang != nil {
		<-fault.Hang
	}
	if fault.Deaf {
		ctx = context.WithoutCancel(ctx)
	}
	start := time.Now()
	if err := pause(ctx, fault.Before); err != nil {
		if fault.Straggles && fault.Fail == nil {
			time.AfterFunc(fault.Before-time.Since(start), func() { _ = apply() })
		}
		return err
	}
	if fault.Fail != nil {
		return fault.Fail
	}
	outcome := apply()
	if err := pause(ctx, fault.After); err != nil {
		return err
	}
	if fault.Lose != nil {
		return fault.Lose
	}
	return outcome
}

// answered is through for a call that has an answer beside its outcome.
func answered[T any](
	ctx context.Context, f *faults, call Call, apply func() (T, error),
) (T, error) {
	var zero T
	answers := make(chan T, 1) // a straggler may apply after the caller has gone
	err := f.through(ctx, call, func() error {
		answer, err := apply()
		answers <- answer
		return err
	})
	if err != nil {
		return zero, err
	}
	return <-answers, nil
}
