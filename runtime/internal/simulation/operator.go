package simulation

import (
	"context"
	"slices"
	"time"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/store"
)

// operate does what an operator does.
func (w *world) operate(s Step, m *machine) {
	switch s.Do {
	case HandOver:
		if p := w.current(m); p != nil {
			ctx, cancel := context.WithTimeout(context.Background(), drain)
			defer cancel()
			w.tell("%s hands over: %v", p.life, p.app.StepDown(ctx, Led))
		}
	case Hold:
		hold := store.HoldRequest{Stream: s.Stream, By: "operator", Reason: s.String()}
		w.patiently(func(ctx context.Context) error { return w.leases.Hold(ctx, hold) })
		w.sleep(s.For)
		w.lift(s.Stream)
	}
}

// lift ends the hold of a stream.
func (w *world) lift(stream string) {
	w.patiently(func(ctx context.Context) error { return w.leases.Lift(ctx, stream) })
}

// patiently does something until it succeeds, while there may be no primary.
func (w *world) patiently(do func(context.Context) error) {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := do(ctx)
		cancel()
		if err == nil {
			return
		}
		w.tell("operator: %v", err)
		time.Sleep(100 * time.Millisecond)
	}
}

// priority returns that of an instance.
func (w *world) priority(instance string) int {
	n := slices.IndexFunc(w.machines, func(m *machine) bool { return m.name == instance })
	return w.schedule.Priority[n]
}

// preferred reports whether the leader is one of the highest priority of those that could lead, or
// nobody could.
func (w *world) preferred() bool {
	highest, leader := -1, -1
	for _, p := range w.alive() {
		priority := w.priority(p.life.Instance)
		switch s := p.led(); {
		case s.Leader:
			leader = priority
			fallthrough
		case s.State != fw.StateFailed && s.State != fw.StateStopped:
			highest = max(highest, priority)
		}
	}
	return leader == highest
}
