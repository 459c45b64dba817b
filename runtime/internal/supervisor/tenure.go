package supervisor

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

// tenure is a time during which the stream runs here, until its lease is given back.
type tenure struct {
	leadership *lease.Leadership // nil for a stream that runs on every instance
	over       chan struct{}
}

// elected runs the stream while this instance holds its lease.
func (s *Stream) elected(halt, life context.Context) (failed bool) {
	config := s.Lease
	config.Report = s.leaseReport
	stopped, give := context.WithCancel(halt)
	defer give()
	lease.NewElector(config).Run(stopped, life,
		func(ctx context.Context, l *lease.Leadership) store.ReleaseReason {
			s.begins(l)
			end := s.lead(halt, ctx, l)
			if end.failed {
				failed = true
				give()
			}
			return end.reason
		})
	s.ends()
	return failed
}

// lead runs the stream under one leadership.
func (s *Stream) lead(halt, ctx context.Context, l *lease.Leadership) ending {
	s.setLeads(true)
	defer s.setLeads(false)
	return s.sessions(halt, ctx, l, func(ctx context.Context) (store.Checkpoint, int64, error) {
		return s.raise(ctx, l)
	})
}

// alone runs the stream without a lease, under a term of its own, while it is not held.
func (s *Stream) alone(halt, life context.Context) (failed bool) {
	config := s.Lease
	config.Report = s.leaseReport
	stopped, give := context.WithCancel(halt)
	defer give()
	lease.NewGate(config).Run(stopped, life, func(held <-chan store.Hold) {
		s.begins(nil)
		defer s.ends()
		running, stop := context.WithCancelCause(stopped)
		defer stop(nil)
		go func() {
			select {
			case hold := <-held:
				stop(heldError{hold})
			case <-running.Done():
			}
		}()
		if s.sessions(running, life, nil, s.mint).failed {
			failed = true
			give()
		} else if held, ok := context.Cause(running).(heldError); ok {
			s.board.Reset(heldBy(held.hold))
		}
	})
	return failed
}

// heldError ends the sessions of a stream without a lease that is held.
type heldError struct{ hold store.Hold }

func (heldError) Error() string { return "the stream is held" }

// heldBy says that a stream is held. A person may have written the hold, and left out who and why.
func heldBy(h store.Hold) state.Condition {
	reason := "held by " + cmp.Or(h.By, "somebody who gave no name")
	if h.Reason != "" {
		reason += ": " + h.Reason
	}
	return state.Condition{State: state.Held, Code: "held", Reason: reason, NextRetry: h.Until}
}

func (s *Stream) begins(l *lease.Leadership) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tenure = &tenure{leadership: l, over: make(chan struct{})}
}

// ends notes that nothing runs any more, and that the lease was given back or will expire.
func (s *Stream) ends() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tenure != nil {
		close(s.tenure.over)
		s.tenure = nil
	}
}

func (s *Stream) runsHere() *tenure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tenure
}

// StepDown makes a leader drain, give its lease back and leave it to others for one ttl, and waits
// for that as Stop does. It returns an error where this instance does not lead.
func (s *Stream) StepDown(ctx context.Context) error {
	if s.Everywhere {
		return fmt.Errorf("step down from %s: the stream runs on every instance and has no leader",
			s.Stream)
	}
	t := s.runsHere()
	if t == nil {
		return fmt.Errorf("step down from %s: this instance does not lead it; %s",
			s.Stream, s.board.Current().Reason)
	}
	s.HandOver()
	return s.await(ctx, t.over, "step down from", "waiting for its lease")
}

// HandOver is StepDown without a wait. It does nothing where this instance does not lead.
func (s *Stream) HandOver() {
	if t := s.runsHere(); t != nil && t.leadership != nil {
		t.leadership.HandOver(store.SteppedDown)
	}
}

// Nudge makes the stream ask how its lease is now, and with it whether it is held.
func (s *Stream) Nudge() { s.Lease.Watcher.Nudge(s.Stream) }

// AwaitHeld waits until nothing runs here of a stream that was just held, as Stop does. It returns
// an error where the hold is over before that has begun to end.
func (s *Stream) AwaitHeld(ctx context.Context) error {
	beginning := []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second}
	for _, wait := range append(beginning, 0) {
		s.Nudge()
		t := s.runsHere()
		stored, err := s.Lease.Leases.Look(ctx, s.Stream)
		switch {
		case err != nil:
			return fmt.Errorf("hold stream %s: the hold is stored; %w", s.Stream, err)
		case stored.Hold == nil:
			return fmt.Errorf("hold stream %s: the hold is over already: somebody has released the "+
				"stream, or the end has passed by the server's clock", s.Stream)
		case t != nil:
			return s.await(ctx, t.over, "hold stream", "waiting for its lease")
		case !stored.Granted(s.Owner):
			return nil
		}
		backoff.Sleep(ctx, wait) // granted just before the hold, and about to run
	}
	return context.Cause(ctx)
}

// otherLiveTimeout bounds the question whether another instance could run a stream.
const otherLiveTimeout = 2 * time.Second

// failing hands the stream over whose reader has failed so often in a row, if another instance
// could run it.
func (c *session) failing(failures int) {
	s := c.stream
	if c.leadership == nil || s.Yield <= 0 || failures < s.Yield || s.OtherLive == nil {
		return
	}
	c.stream.reading.Go(func() {
		ctx, cancel := context.WithTimeout(c.stop, otherLiveTimeout)
		defer cancel()
		switch other, err := s.OtherLive(ctx); {
		case err != nil:
			s.Log.Warn("can't tell whether another instance could run the stream", "error", err)
		case other:
			c.leadership.HandOver(store.StreamFailing)
		}
	})
}
