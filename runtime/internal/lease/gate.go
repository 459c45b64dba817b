package lease

import (
	"context"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// Gate keeps a stream that runs on every instance, without a lease, from running while it is held.
// It reads and never writes.
type Gate struct {
	e *Elector
}

// NewGate returns a gate. Of the config it takes Leases, Stream, Owner, Heartbeat, Poll, Watcher,
// Logger and Report, which is told of Held and of AttemptFailed before run begins.
func NewGate(cfg Config) *Gate {
	e := NewElector(cfg)
	e.gate = true
	return &Gate{e: e}
}

// Run calls run whenever the stream is not held, with a channel that tells of the hold when it
// becomes so, until stop or life ends or run returns by itself, which is before that. It waits for
// run. Where the store can't tell whether the stream is held, run is not begun, and one that
// goes on is left alone.
func (g *Gate) Run(stop, life context.Context, run func(held <-chan store.Hold)) {
	e := g.e
	e.news = e.cfg.Watcher.subscribe(e.cfg.Stream)
	defer e.cfg.Watcher.unsubscribe(e.news)
	defer func() { _, _ = e.line.wait(life, hungAfter) }()
	for g.await(stop, life) {
		held := make(chan store.Hold, 1)
		over := make(chan struct{})
		go func() {
			defer close(over)
			run(held)
		}()
		hold := g.watch(life, over)
		if hold == nil {
			return
		}
		held <- *hold
		<-over
	}
}

// await waits until the stream is known not to be held. It returns false when stop or life ended.
func (g *Gate) await(stop, life context.Context) bool {
	for next := time.Now(); g.e.sleep(stop, life, next); {
		hold, err := g.look(life)
		switch {
		case err != nil:
			next = g.e.failed(life, err)
		case hold == nil:
			return stop.Err() == nil
		default:
			g.e.tell(Held{Hold: *hold})
			next = g.e.asksAgain(store.Lease{Hold: hold}, time.Now())
		}
	}
	return false
}

// watch looks whether the stream has become held, and returns the hold, or nil when over is closed.
func (g *Gate) watch(life context.Context, over <-chan struct{}) *store.Hold {
	poll := time.NewTimer(g.e.cfg.Poll)
	defer poll.Stop()
	for {
		select {
		case <-over:
			return nil
		case <-poll.C:
		case <-g.e.news.wake:
			if news, reread := g.e.news.take(); news != nil && news.Hold == nil && !reread {
				continue
			}
		}
		hold, err := g.look(life)
		switch {
		case err != nil:
			g.e.failures++
			poll.Reset(g.e.retry(g.e.failures))
		case hold != nil:
			return hold
		default:
			poll.Reset(g.e.cfg.Poll)
		}
	}
}

// look asks the store for the hold of the stream, nil if there is none.
func (g *Gate) look(life context.Context) (*store.Hold, error) {
	a := g.e.look(life)
	if a.err == nil {
		g.e.failures = 0
	}
	return a.lease.Hold, a.err
}
