package memstore

import (
	"context"

	"github.com/fwgen/fwgen/runtime/store"
)

// watch is one open Watch. Its queue has no bound: a test that floods it is at fault.
type watch struct {
	queue  []store.Lease // guarded by Leases.mu
	broken error         // guarded by Leases.mu
	more   chan struct{} // wakes the watch, of capacity 1
}

// Watch implements [store.Leases].
func (s *Leases) Watch(ctx context.Context, ready func(), changed func(store.Lease)) error {
	w := &watch{more: make(chan struct{}, 1)}
	if err := s.open(w); err != nil {
		return err
	}
	defer s.close(w)
	ready()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.more:
		}
		queue, broken := s.drain(w)
		for _, l := range queue {
			changed(l)
		}
		if broken != nil {
			return broken
		}
	}
}

// BreakWatches ends every open watch with err.
func (s *Leases) BreakWatches(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watches {
		w.broken = err
		w.wake()
	}
}

// DisableWatch makes watches unsupported from now on, open ones included.
func (s *Leases) DisableWatch() {
	s.mu.Lock()
	s.noWatch = true
	s.mu.Unlock()
	s.BreakWatches(store.ErrWatchUnsupported)
}

func (s *Leases) open(w *watch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noWatch {
		return store.ErrWatchUnsupported
	}
	s.watches[w] = struct{}{}
	return nil
}

func (s *Leases) close(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watches, w)
}

func (s *Leases) drain(w *watch) ([]store.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := w.queue
	w.queue = nil
	return queue, w.broken
}

// tell queues a change for every watch. s.mu is held.
func (s *Leases) tell(l store.Lease) {
	for w := range s.watches {
		w.queue = append(w.queue, l)
		w.wake()
	}
}

func (w *watch) wake() {
	select {
	case w.more <- struct{}{}:
	default:
	}
}
