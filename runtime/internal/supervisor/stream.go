package supervisor

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/reader"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

// Config is what a Stream needs.
type Config struct {
	delivery.Plan

	// Source makes the source of a start; the user's pipeline is asked for then.
	Source          func() (reader.Source, store.Scope)
	Restart         backoff.Policy
	RestartAttempts int // 0: no end

	// Lease says which lease to seek or, where Everywhere is set, which to read: a stream that runs
	// on every instance has none, but can be held.
	Lease      lease.Config
	Everywhere bool
	// Yield is how many times in a row the reader of a leader fails without progress before it
	// hands the stream over, if another live instance could run it. 0: never.
	Yield int
	// OtherLive reports whether another live instance deploys the stream.
	OtherLive func(ctx context.Context) (bool, error)

	Checkpoints  store.Checkpoints
	DeadLetters  store.DeadLetterWriter
	CheckpointID string
	Owner        string        // of this App
	Lifetime     time.Duration // of a checkpoint that is not used; 0: for ever

	Limits       position.Limits
	Interval     time.Duration // of saves
	Idle         time.Duration
	DrainTimeout time.Duration

	ManualStart bool
	Log         *slog.Logger
	Report      func(fact.Fact) // nil: nobody listens
}

// Stream runs one stream of an App.
type Stream struct {
	Config
	board    *state.Board
	counters delivery.Counters
	reading  sync.WaitGroup // readers whose last call has not returned
	follows  atomic.Int64   // the term of another instance that was told of last

	mu      sync.Mutex // guards what follows
	started chan struct{}
	halt    context.CancelCauseFunc // stops the run that goes on; nil if none does
	halted  chan struct{}           // closed when that run is over
	stopped bool                    // by hand, and not started again since
	session *session
	tenure  *tenure // nil: nothing runs
	leads   bool
	known   store.Position // what is settled, for a session that finds no checkpoint
	term    int64
}

// New returns a stream. It does nothing until [Stream.Run].
func New(c Config) *Stream {
	s := &Stream{Config: c, started: make(chan struct{})}
	s.Log = c.Log.With("stream", c.Stream)
	s.board = state.NewBoard(s.stateChanged)
	if c.ManualStart {
		s.board.Set(state.Condition{State: state.Stopped, Code: "manual",
			Reason: "the stream is started by hand: call App.Start"})
	} else {
		close(s.started)
	}
	return s
}

// errManual ends a run that [Stream.Stop] stops.
var errManual = fmt.Errorf("the stream was stopped by hand")

// Run runs the stream until stop ends, or until it fails for good. life bounds everything: handlers
// that still run when it ends are left behind.
func (s *Stream) Run(stop, life context.Context) {
	defer s.reading.Wait()
	for {
		s.mu.Lock()
		started := s.started
		s.mu.Unlock()
		select {
		case <-started:
		case <-stop.Done():
			return
		case <-life.Done():
			return
		}
		if s.run(stop, life, started) || stop.Err() != nil || life.Err() != nil {
			return
		}
	}
}

// run runs the stream once, until it is stopped. It reports whether the stream failed for good.
func (s *Stream) run(stop, life context.Context, started chan struct{}) (failed bool) {
	halt, cancel := context.WithCancelCause(stop)
	defer cancel(nil)
	over := make(chan struct{})
	defer close(over)
	s.mu.Lock()
	if s.started != started { // stopped again before it ran
		s.mu.Unlock()
		return false
	}
	s.halt, s.halted = cancel, over
	s.mu.Unlock()
	s.board.Set(state.Condition{State: state.Starting})
	if s.Everywhere {
		failed = s.alone(halt, life)
	} else {
		failed = s.elected(halt, life)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.halt = nil
	switch {
	case failed:
		s.board.ClearAll()
	case context.Cause(halt) == errManual && s.stopped:
		s.started = make(chan struct{})
		s.board.Reset(state.Condition{State: state.Stopped, Code: "manual",
			Reason: "the stream was stopped by hand: call App.Start"})
	case context.Cause(halt) == errManual: // and started again meanwhile
		s.board.Reset(state.Condition{State: state.Starting})
	default:
		s.board.Reset(state.Condition{State: state.Stopped, Code: "shutdown",
			Reason: "the application stops"})
	}
	return failed
}

// Start starts a stream that waits to be started by hand. It does nothing to one that runs; one that
// is stopping runs again once it has stopped.
func (s *Stream) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = false
	select {
	case <-s.started:
	default:
		close(s.started)
	}
}

// Stop stops the stream and waits until it has drained and given back its lease. If ctx ends
// first, or the handler does not return within DrainTimeout, the error names the handler; the
// stream stops when it has returned.
func (s *Stream) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopped = true
	halt, halted := s.halt, s.halted
	if halt == nil {
		select {
		case <-s.started: // started, and not running yet
			s.started = make(chan struct{})
		default:
		}
		s.mu.Unlock()
		return nil
	}
	halt(errManual)
	s.mu.Unlock()
	return s.await(ctx, halted, "stop stream", "waiting for its lease or reader")
}

// await waits for what ends when the running handlers have returned, at most for DrainTimeout. The
// error names the handler, or what else is waited for.
func (s *Stream) await(ctx context.Context, over <-chan struct{}, verb, otherwise string) error {
	patience := time.NewTimer(s.DrainTimeout)
	defer patience.Stop()
	select {
	case <-over:
		return nil
	case <-patience.C:
	case <-ctx.Done():
	}
	return fmt.Errorf("%s %s: %s; it stops when that has returned", verb, s.Stream, s.Busy(otherwise))
}

// Busy names the handler that runs; otherwise is returned if none does.
func (s *Stream) Busy(otherwise string) string {
	s.mu.Lock()
	current := s.session
	s.mu.Unlock()
	if current == nil {
		return otherwise
	}
	d, since := current.lane.Running()
	if d == nil {
		return otherwise
	}
	return fmt.Sprintf("the handler of event %s has run for %s", d.ID,
		time.Since(since).Round(time.Millisecond))
}

// sessions runs sessions under one leadership, another one whenever the checkpoint was gone.
func (s *Stream) sessions(
	halt, ctx context.Context, l *lease.Leadership, takeOver takeOver,
) ending {
	for {
		end := s.serve(halt, ctx, l, takeOver)
		if !end.again {
			return end
		}
		s.Log.Error("the checkpoint is gone; restarting from what is settled here")
	}
}

func (s *Stream) setLeads(leads bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leads = leads
}

func (s *Stream) report(f fact.Fact) {
	if s.Report != nil {
		s.Report(f)
	}
}

func (s *Stream) fact() fact.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fact.Stream{Stream: s.Stream, Term: s.term, At: time.Now()}
}

func (s *Stream) stateChanged(from, to state.Condition) {
	if to.State == state.Failed || to.State == state.HistoryLost || to.State == state.Invalidated {
		s.Log.Error("stream state", "state", to.State, "code", to.Code, "reason", to.Reason)
	} else {
		s.Log.Info("stream state", "state", to.State, "code", to.Code, "reason", to.Reason)
	}
	s.report(fact.StateChanged{
		Stream: fact.Stream{Stream: s.Stream, At: to.Since}, From: string(from.State),
		To: string(to.State), Code: to.Code, Reason: to.Reason,
	})
}

// ShowSetup shows that collections and indexes could not be made, or no longer if err is nil.
func (s *Stream) ShowSetup(err error) {
	if err == nil {
		s.board.Clear(state.Setup)
		return
	}
	s.board.Trouble(state.Setup, state.Condition{
		State: state.Running, Code: "state_not_prepared", Reason: err.Error(),
	})
}
