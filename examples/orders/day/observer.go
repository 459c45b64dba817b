package day

import (
	"github.com/fwgen/fwgen/examples/orders/account"
	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/fact"
)

// Observe tells what the runtime does. It is called off the event path, after the fact.
func (d *day) Observe(f fw.Fact) {
	switch f := f.(type) {
	case fact.LeaseAcquired:
		d.At(f.At, "this process leads, under term %d", f.Term)
	case fact.LeaseReleased:
		d.At(f.At, "the position is saved, and the lease of term %d given back", f.Term)
	case fact.AttemptFailed:
		d.failed(f)
	case fact.EventSettled:
		d.settle(f)
	}
}

func (d *day) failed(f fact.AttemptFailed) {
	next := "for good"
	if f.Retry > 0 {
		next = "again in " + account.Short(f.Retry)
	}
	d.At(f.At, "%s fails at attempt %d (%s): %v; %s", d.customers.Of(f.EventID), f.Attempt, f.Kind,
		f.Err, next)
}

func (d *day) settle(f fact.EventSettled) {
	order := d.customers.Of(f.EventID)
	switch {
	case f.Outcome == fact.DeadLettered:
		d.At(f.At, "%s is a dead letter", order)
	case f.Attempts > 1:
		d.At(f.At, "%s is billed at attempt %d, after %s", order, f.Attempts, account.Short(f.Took))
	default:
		d.At(f.At, "%s is billed", order)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settled++
	if d.first.IsZero() && f.Outcome == fact.Handled {
		d.first = f.At
	}
}
