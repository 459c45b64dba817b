package supervisor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/commit"
	"github.com/fwgen/fwgen/runtime/internal/delivery"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/lane"
	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/reader"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

// flushTimeout bounds the save at the end of a session.
const flushTimeout = 5 * time.Second

// ending says how a session ended.
type ending struct {
	reason store.ReleaseReason
	failed bool // for good
	again  bool // the checkpoint was gone: another session under the same leadership
}

// session is one stretch of reading and handling under one term.
type session struct {
	stream     *Stream
	leadership *lease.Leadership // nil for a stream that runs on every instance
	term       int64
	tracker    *position.Tracker
	writer     *commit.Writer
	runner     *delivery.Runner
	lane       *lane.Serial
	stop       context.Context // ends when nothing more is begun
	end        context.CancelCauseFunc
	caughtUp   caughtUp
	opened     bool // the change stream was open once; the reader's

	mu   sync.Mutex // guards what follows
	over bool       // the reader, which may return later, shows nothing any more
	lost bool       // the position can't be read from
}

// The causes with which a session's stop ends, beside those of contexts above it.
var (
	errAsked  = errors.New("asked to give the lease back")
	errGaveUp = errors.New("the reader gave up")
)

// serve runs one session: take over, read, handle, save, drain. halt is the graceful stop, ctx
// the leadership.
func (s *Stream) serve(
	halt, ctx context.Context, l *lease.Leadership, once takeOver,
) ending {
	stop, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(halt, func() { end(context.Cause(halt)) })()
	if l != nil {
		go func() {
			select {
			case <-l.Asked():
				end(errAsked)
			case <-stop.Done():
			}
		}()
	}
	checkpoint, term, ok := s.patiently(stop, once)
	if !ok {
		return s.ended(stop, l)
	}
	handling, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	current := s.begin(checkpoint, term, stop, func(err error) {
		end(err)
		if errors.Is(err, store.ErrFenced) {
			cancel(failure.ErrFenced)
		}
	})
	current.end, current.leadership = end, l
	s.setSession(current)
	defer s.setSession(nil)
	current.run(ctx, handling, cancel, checkpoint)
	current.close(halt.Err() != nil)
	return s.ended(stop, l)
}

// ended says how a session ended, from the cause of its stop.
func (s *Stream) ended(stop context.Context, l *lease.Leadership) ending {
	cause := context.Cause(stop)
	switch {
	case errors.Is(cause, store.ErrMissing):
		return ending{again: true, reason: store.StreamFailing}
	case errors.Is(cause, store.ErrFenced) && l == nil:
		s.board.Set(state.Condition{State: state.Failed, Code: "instance_name_taken",
			Reason: "another process runs under the same instance name and has taken over; " +
				"set Config.Instance or FW_INSTANCE to a name of its own"})
		return ending{failed: true, reason: store.Lost}
	case errors.Is(cause, store.ErrFenced), errors.Is(cause, failure.ErrLeaseLost):
		return ending{reason: store.Lost}
	case errors.Is(cause, errGaveUp):
		return ending{failed: true, reason: store.StreamFailing}
	case errors.Is(cause, errAsked):
		return ending{reason: l.Reason()}
	case errors.Is(cause, errManual):
		return ending{reason: store.StreamStopped}
	default:
		return ending{reason: store.Stopped}
	}
}

// close keeps the session's reader, whose last call may not have returned, from showing anything.
func (c *session) close(halted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if halted {
		return // what the stream shows then is said by whoever ends the run
	}
	c.stream.board.Reset(state.Condition{State: state.Starting, Code: "leadership_over",
		Reason: "the leadership is over; nothing is read or handled here"})
}

// show calls set, which shows something on the board, unless the session is over.
func (c *session) show(set func(b *state.Board)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		set(c.stream.board)
	}
}

// begin makes the engines of a session.
func (s *Stream) begin(
	checkpoint store.Checkpoint, term int64, stop context.Context, refused func(error),
) *session {
	c := &session{stream: s, term: term, stop: stop}
	s.mu.Lock()
	s.term = term
	s.mu.Unlock()
	log := s.Log.With("term", term)
	from, _ := change.ParseToken(checkpoint.Position.Token)
	c.tracker = position.NewTracker(s.Limits, from)
	c.writer = commit.NewWriter(commit.Config{
		Checkpoints: s.Checkpoints, DeadLetters: s.DeadLetters, Tracker: c.tracker, Stream: s.Stream,
		Save: store.Save{ID: s.CheckpointID, Term: term, Seq: checkpoint.Seq, Owner: s.Owner,
			Lifetime: s.Lifetime},
		Interval: s.Interval, Idle: s.Idle, Board: s.board, Log: log, Report: s.Report,
		Refused: refused,
	}, checkpoint.Position)
	c.runner = delivery.NewRunner(delivery.Config{
		Plan: s.Plan, Term: term,
		Tracker: c.tracker, Writer: c.writer, Board: s.board, Counters: &s.counters, Log: log,
		Report: s.Report,
	})
	c.lane = lane.NewSerial(c.step)
	return c
}

// step makes a step with a delivery, unless the leadership is over: a process that was paused may
// find out here, before any timer has told it.
func (c *session) step(ctx context.Context, d *delivery.Delivery) delivery.Next {
	if c.leadership != nil && !c.leadership.Trusted() {
		return delivery.Next{Done: true}
	}
	return c.runner.Step(ctx, d)
}

// run reads, handles and saves until the session stops, then drains and flushes.
func (c *session) run(
	ctx, handling context.Context, cancel context.CancelCauseFunc, checkpoint store.Checkpoint,
) {
	source, scope, err := c.source()
	if err != nil {
		c.show(func(b *state.Board) {
			b.Set(state.Condition{State: state.Failed, Code: "pipeline_panicked", Reason: err.Error()})
		})
		c.end(errGaveUp)
		return
	}
	c.writer.Save.Scope = scope
	if foreign(checkpoint.Scope, scope) {
		c.refuseForeign(checkpoint.Scope, scope)
		<-c.stop.Done()
		return
	}
	saving, stopSaving := context.WithCancel(ctx)
	saved := make(chan struct{})
	go func() {
		defer close(saved)
		c.writer.Run(saving)
	}()
	c.lane.Start(c.stop, handling)
	if !checkpoint.Position.IsZero() {
		c.showOpening()
	}
	c.stream.reading.Go(func() { c.read(source, c.stream.from(checkpoint, scope)) })
	<-c.stop.Done()
	c.drain(cancel)
	stopSaving()
	<-saved
	c.flush(ctx)
}

// source asks for the source of this start, and with it for the user's pipeline.
func (c *session) source() (source reader.Source, scope store.Scope, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("ask for the pipeline: %w", &failure.PanicError{Value: p})
		}
	}()
	source, scope = c.stream.Source()
	return source, scope, nil
}

// drain waits for the handler that runs. Its context stays alive for DrainTimeout.
func (c *session) drain(cancel context.CancelCauseFunc) {
	if d, _ := c.lane.Running(); d != nil {
		c.show(func(b *state.Board) {
			b.ClearAll()
			b.Set(state.Condition{State: state.Running, Code: "draining",
				Reason: "nothing more is begun; waiting for the handler of event " + d.ID})
		})
	}
	timer := time.AfterFunc(c.stream.DrainTimeout, func() { cancel(failure.ErrStopping) })
	defer timer.Stop()
	<-c.lane.Done()
}

// flush saves the position a last time, if the leadership still stands.
func (c *session) flush(ctx context.Context) {
	c.remember()
	cause := context.Cause(c.stop)
	if ctx.Err() != nil || errors.Is(cause, store.ErrFenced) || errors.Is(cause, store.ErrMissing) {
		return
	}
	bounded, done := context.WithTimeout(ctx, flushTimeout)
	defer done()
	if err := c.writer.Flush(bounded); err != nil {
		c.stream.Log.Warn("last position not saved; some events will be handled again",
			"term", c.term, "error", err)
	}
}

// from says where to begin to read: at the stored position, at what this process knows to be
// settled if the checkpoint is gone, or now.
func (s *Stream) from(checkpoint store.Checkpoint, scope store.Scope) reader.Config {
	stored := checkpoint.Position
	if stored.IsZero() {
		s.mu.Lock()
		stored = s.known
		s.mu.Unlock()
	}
	token, err := change.ParseToken(stored.Token)
	if err != nil {
		return reader.Config{}
	}
	changed := checkpoint.Scope.Hash != "" && checkpoint.Scope.Hash != scope.Hash
	if changed && stored.Kind == store.PositionEvent && stored.ClusterTime != (bson.Timestamp{}) {
		s.Log.Info("pipeline or scope changed: resuming by time", "event", stored.EventID)
		return reader.Config{
			From: reader.From{AtTime: stored.ClusterTime}, Skip: token, Stored: true,
		}
	}
	return reader.Config{From: reader.From{After: token}, Stored: !checkpoint.Position.IsZero()}
}

// remember keeps what is settled, for a session that finds no checkpoint. A position that is lost
// is forgotten: whoever deletes the checkpoint then wants to begin anew.
func (c *session) remember() {
	settled := c.tracker.Watermark().Position()
	if settled.IsZero() {
		settled, _ = c.writer.Stored()
	}
	c.mu.Lock()
	lost := c.lost
	c.mu.Unlock()
	c.stream.mu.Lock()
	defer c.stream.mu.Unlock()
	switch {
	case lost:
		c.stream.known = store.Position{}
	case !settled.IsZero():
		c.stream.known = settled
	}
}

func (s *Stream) setSession(c *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = c
}
