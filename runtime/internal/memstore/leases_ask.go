package memstore

import (
	"context"

	"github.com/fwgen/fwgen/runtime/store"
)

// announces reports whether a request that is granted nothing is announced.
func announces(l store.Lease, req store.AcquireRequest) bool {
	switch c := l.Contender; {
	case !l.Live(), l.Hold != nil, l.Owner == req.Owner, req.Priority <= l.Priority:
		return false
	default:
		return c == nil || c.Owner == req.Owner || c.Priority < req.Priority
	}
}

// Withdraw implements [store.Leases].
func (s *Leases) Withdraw(ctx context.Context, req store.WithdrawRequest) error {
	call := Call{Method: Withdraw, Stream: req.Stream, Owner: req.Owner}
	return s.through(ctx, call, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		l := s.leases[req.Stream]
		if l != nil && l.contender != nil && l.contender.Owner == req.Owner {
			l.contender = nil
			s.tell(l.answer(s.now()))
		}
		return nil
	})
}

// Look implements [store.Leases].
func (s *Leases) Look(ctx context.Context, stream string) (store.Lease, error) {
	call := Call{Method: Look, Stream: stream}
	return answered(ctx, &s.faults, call, func() (store.Lease, error) { return s.Get(stream), nil })
}

// Hold implements [store.Leases]. No fault is chosen for it: an operator calls it.
func (s *Leases) Hold(ctx context.Context, req store.HoldRequest) error {
	return s.operate(ctx, req.Stream, &store.Hold{
		By: req.By, Reason: req.Reason, Until: req.Until,
	})
}

// Lift implements [store.Leases]. No fault is chosen for it: an operator calls it.
func (s *Leases) Lift(ctx context.Context, stream string) error {
	return s.operate(ctx, stream, nil)
}

func (s *Leases) operate(ctx context.Context, stream string, hold *store.Hold) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, now := s.leases[stream], s.now()
	if hold == nil && (l == nil || l.hold == nil) {
		return nil
	}
	if hold != nil {
		hold.At = now
		l = s.at(stream)
	}
	l.hold = hold
	s.tell(l.answer(now))
	return nil
}
