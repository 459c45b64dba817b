package lease

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/store"
)

// Watcher tells electors of changes to their leases. One serves all electors of an App. A nil
// Watcher tells nothing.
type Watcher struct {
	leases store.Leases
	logger *slog.Logger

	mu   sync.Mutex // guards everything below
	subs map[string]map[*subscription]struct{}
	open bool // a watch, which misses nothing
}

// subscription is one elector's view of what the watcher saw of its stream.
type subscription struct {
	stream string
	wake   chan struct{} // of capacity 1

	mu     sync.Mutex   // guards everything below
	news   *store.Lease // the latest that was not taken
	reread bool         // something may have been missed
}

// watchBackoff is the wait after a watch broke.
var watchBackoff = backoff.Policy{
	Initial: 500 * time.Millisecond, Max: 15 * time.Second, Multiplier: 2, Jitter: 0.2,
}

// NewWatcher returns a watcher of leases. A nil logger logs nothing.
func NewWatcher(leases store.Leases, logger *slog.Logger) *Watcher {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Watcher{
		leases: leases,
		logger: logger,
		subs:   make(map[string]map[*subscription]struct{}),
	}
}

// Run watches until ctx ends, or returns at once where the store has no watch. A watch that breaks
// is opened again, with backoff.
func (w *Watcher) Run(ctx context.Context) {
	for failures := 1; ; failures++ {
		opened := time.Now()
		err := w.leases.Watch(ctx, w.ready, w.changed)
		w.set(false)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, store.ErrWatchUnsupported):
			w.logger.Info("leases cannot be watched; standbys poll")
			return
		}
		if time.Since(opened) > watchBackoff.Max {
			failures = 1
		}
		w.logger.Warn("watch of the leases broke and is opened again", "error", err)
		if pause(ctx, ctx, watchBackoff.Wait(failures)) != nil {
			return
		}
	}
}

// ready makes everybody read what the watch may have missed.
func (w *Watcher) ready() {
	w.set(true)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, subs := range w.subs {
		for s := range subs {
			s.put(nil)
		}
	}
}

func (w *Watcher) set(open bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = open
}

// watching reports whether changes are told.
func (w *Watcher) watching() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open
}

// Nudge makes electors of a stream, and its gates, ask how its lease is now.
func (w *Watcher) Nudge(stream string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for s := range w.subs[stream] {
		s.put(nil)
	}
}

func (w *Watcher) changed(l store.Lease) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for s := range w.subs[l.Stream] {
		s.put(&l)
	}
}

func (w *Watcher) subscribe(stream string) *subscription {
	s := &subscription{stream: stream, wake: make(chan struct{}, 1)}
	if w == nil {
		return s
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.subs[stream] == nil {
		w.subs[stream] = make(map[*subscription]struct{})
	}
	w.subs[stream][s] = struct{}{}
	return s
}

func (w *Watcher) unsubscribe(s *subscription) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.subs[s.stream], s)
	if len(w.subs[s.stream]) == 0 {
		delete(w.subs, s.stream)
	}
}

// put leaves news, or nil: that something may have been missed.
func (s *subscription) put(news *store.Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if news == nil {
		s.reread = true
	} else {
		s.news = news
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take returns what was put since the last take.
func (s *subscription) take() (news *store.Lease, reread bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	news, reread = s.news, s.reread
	s.news, s.reread = nil, false
	return news, reread
}
