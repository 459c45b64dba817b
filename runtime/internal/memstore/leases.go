package memstore

import (
	"context"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// Leases is a [store.Leases] in memory, with one server clock that a test can step and faults that
// a test injects. It works in a testing/synctest bubble. An expired lease keeps its owner's name,
// as a stored document does; a released one has none.
type Leases struct {
	faults

	mu      sync.Mutex // guards everything below
	leases  map[string]*lease
	offset  time.Duration // of the server's clock
	watches map[*watch]struct{}
	noWatch bool
}

// lease is the stored document.
type lease struct {
	state     store.Lease // but for ExpiresIn, Contender and Hold
	expires   time.Time
	contender *store.Contender // but for ExpiresIn
	contends  time.Time        // until when
	hold      *store.Hold      // but for ExpiresIn
}

var _ store.Leases = (*Leases)(nil)

// NewLeases returns an empty store.
func NewLeases() *Leases {
	return &Leases{leases: make(map[string]*lease), watches: make(map[*watch]struct{})}
}

// Acquire implements [store.Leases].
func (s *Leases) Acquire(ctx context.Context, req store.AcquireRequest) (store.Lease, error) {
	call := Call{Method: Acquire, Stream: req.Stream, Owner: req.Owner, Term: req.Term}
	return answered(ctx, &s.faults, call, func() (store.Lease, error) { return s.acquire(req), nil })
}

func (s *Leases) acquire(req store.AcquireRequest) store.Lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, now := s.at(req.Stream), s.now()
	state := l.answer(now)
	raise := state.Granted(req.Owner) && req.Term == state.Term && req.Term < req.MinTerm
	if raise || !state.Live() && state.Hold == nil {
		l.state = store.Lease{
			Stream:   req.Stream,
			Owner:    req.Owner,
			Term:     max(state.Term+1, req.MinTerm),
			TTL:      req.TTL,
			Priority: req.Priority,
			Instance: req.Instance,
		}
		l.expires, l.contender = now.Add(req.TTL), nil
		s.tell(l.answer(now))
	} else if announces(state, req) {
		l.contender = &store.Contender{
			Owner: req.Owner, Priority: req.Priority, Instance: req.Instance,
		}
		l.contends = now.Add(req.TTL / 2)
		s.tell(l.answer(now))
	}
	return l.answer(now)
}

// Renew implements [store.Leases].
func (s *Leases) Renew(ctx context.Context, req store.RenewRequest) (store.Lease, error) {
	call := Call{Method: Renew, Stream: req.Stream, Owner: req.Owner, Term: req.Term}
	return answered(ctx, &s.faults, call, func() (store.Lease, error) { return s.renew(req), nil })
}

func (s *Leases) renew(req store.RenewRequest) store.Lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, now := s.leases[req.Stream], s.now()
	if l == nil {
		return store.Lease{Stream: req.Stream}
	}
	if state := l.answer(now); state.Granted(req.Owner) && state.Term == req.Term {
		l.state.TTL, l.expires = req.TTL, now.Add(req.TTL)
		s.tell(l.answer(now))
	}
	return l.answer(now)
}

// Release implements [store.Leases].
func (s *Leases) Release(ctx context.Context, req store.ReleaseRequest) error {
	call := Call{
		Method: Release, Stream: req.Stream, Owner: req.Owner, Term: req.Term, Reason: req.Reason,
	}
	return s.through(ctx, call, func() error { return s.release(req) })
}

func (s *Leases) release(req store.ReleaseRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, now := s.leases[req.Stream], s.now()
	if l == nil || l.state.Owner != req.Owner || l.state.Term != req.Term {
		return store.ErrNotOwner
	}
	l.state.Owner, l.state.Released = "", req.Reason
	l.expires = now
	s.tell(l.answer(now))
	return nil
}

// Get returns a lease as it is now, without a fault.
func (s *Leases) Get(stream string) store.Lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.leases[stream]; l != nil {
		return l.answer(s.now())
	}
	return store.Lease{Stream: stream}
}

// Delete deletes the document of a stream, as only a person would: its term is lost.
func (s *Leases) Delete(stream string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.leases, stream)
	s.tell(store.Lease{Stream: stream})
}

// Step moves the server's clock by d, as a failover to another server does.
func (s *Leases) Step(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += d
}

// at returns the document of a stream, which it makes if there is none.
func (s *Leases) at(stream string) *lease {
	l := s.leases[stream]
	if l == nil {
		l = &lease{state: store.Lease{Stream: stream}}
		s.leases[stream] = l
	}
	return l
}

func (s *Leases) now() time.Time { return time.Now().Add(s.offset) }

// answer is the lease as the server tells it at now.
func (l *lease) answer(now time.Time) store.Lease {
	state := l.state
	if state.Owner != "" {
		state.ExpiresIn = l.expires.Sub(now)
	}
	if h := l.hold; h != nil && (h.Until.IsZero() || h.Until.After(now)) {
		hold := *h
		if !h.Until.IsZero() {
			hold.ExpiresIn = h.Until.Sub(now)
		}
		state.Hold = &hold
	}
	if c := l.contender; c != nil && l.contends.After(now) && c.Priority > state.Priority {
		contender := *c
		contender.ExpiresIn = l.contends.Sub(now)
		state.Contender = &contender
	}
	return state
}
