package commit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

// saveTimeout bounds one save.
const saveTimeout = 10 * time.Second

// Config is what a Writer needs. All of it but Lifetime is required.
type Config struct {
	Checkpoints store.Checkpoints
	DeadLetters store.DeadLetterWriter
	Tracker     *position.Tracker
	Stream      string
	Save        store.Save // ID, Owner, Term, Seq (the stored one), Scope and Lifetime of every save
	Interval    time.Duration
	Idle        time.Duration
	Board       *state.Board
	Log         *slog.Logger
	Report      func(fact.Fact)
	// Refused is called once, with store.ErrFenced or store.ErrMissing, when a write was refused.
	Refused func(error)
}

// Writer writes for one leadership. It is safe for concurrent use.
type Writer struct {
	Config
	turn    chan struct{} // 1: held by whoever writes
	refused sync.Once

	// Owned by whoever holds turn.
	pending *pending      // a save whose outcome is unknown
	failed  int           // saves that failed one after another
	again   time.Duration // until the next one

	mu    sync.Mutex // guards what follows
	saved position.Watermark
	last  store.Position
	at    time.Time // of the last confirmed save
}

type pending struct {
	save store.Save
	mark position.Watermark
}

// NewWriter returns a writer that begins after the position that is stored.
func NewWriter(c Config, stored store.Position) *Writer {
	return &Writer{Config: c, turn: make(chan struct{}, 1), last: stored, at: time.Now()}
}

// Run saves the position whenever it is due, until ctx ends or a write is refused.
func (w *Writer) Run(ctx context.Context) {
	tick := time.NewTicker(min(w.Interval, w.Idle))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.Tracker.Due():
		case <-tick.C:
			if !w.due() {
				continue
			}
		}
		err := w.Flush(ctx)
		if refused(err) {
			return
		}
		if err != nil && !backoff.Sleep(ctx, w.wait()) {
			return
		}
	}
}

// due reports whether time alone makes the position due.
func (w *Writer) due() bool {
	now := w.Tracker.Watermark()
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Settled > w.saved.Settled {
		return true
	}
	return now.Passed > w.saved.Passed && time.Since(w.at) >= w.Idle
}

// Flush saves the position as far as everything is settled now. It returns when that, or more, is
// confirmed.
func (w *Writer) Flush(ctx context.Context) error {
	if err := w.take(ctx); err != nil {
		return err
	}
	defer w.give()
	if w.pending != nil {
		if err := w.confirm(ctx); err != nil {
			return err
		}
	}
	mark := w.Tracker.Watermark()
	if mark.Passed == w.savedMark().Passed {
		return nil
	}
	w.prepare(mark.Position(), mark)
	return w.confirm(ctx)
}

// Start stores where a new stream begins, before any of its events.
func (w *Writer) Start(ctx context.Context, p store.Position) error {
	if err := w.take(ctx); err != nil {
		return err
	}
	defer w.give()
	if w.pending == nil {
		w.prepare(p, position.Watermark{})
	}
	return w.confirm(ctx)
}

// prepare makes the next save: every different position takes a new seq.
func (w *Writer) prepare(p store.Position, mark position.Watermark) {
	w.Save.Seq++
	save := w.Save
	save.Position = p
	w.pending = &pending{save, mark}
}

// confirm repeats the pending save once, as it was.
func (w *Writer) confirm(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	err := w.Checkpoints.Save(bounded, w.pending.save)
	switch {
	case err == nil:
		w.confirmed()
		return nil
	case refused(err):
		w.refuse(err)
	case ctx.Err() == nil:
		w.failed++
		w.troubled(err)
	}
	return fmt.Errorf("save position: %w", err)
}

func (w *Writer) confirmed() {
	done := w.pending
	w.pending, w.failed = nil, 0
	w.mu.Lock()
	events := done.mark.Settled - w.saved.Settled
	w.saved, w.last, w.at = done.mark, done.save.Position, time.Now()
	w.mu.Unlock()
	w.Tracker.Saved(done.mark)
	w.Board.Clear(state.Checkpoints)
	w.report(fact.PositionSaved{
		Stream: w.fact(), Kind: string(done.save.Position.Kind), Events: events,
	})
}

func (w *Writer) troubled(err error) {
	if w.failed == 1 {
		w.Log.Error("position not saved; trying again", "error", err)
	}
	w.again = backoff.Store.Wait(w.failed)
	w.report(fact.PositionSaveFailed{Stream: w.fact(), Err: err})
	w.Board.Trouble(state.Checkpoints, state.Condition{
		Code: "position_unsaved", NextRetry: time.Now().Add(w.again), Reason: fmt.Sprintf("the position can't be saved: %v", err),
	})
}

// DeadLetter writes a dead letter under the writer's term.
func (w *Writer) DeadLetter(ctx context.Context, letter store.DeadLetter) error {
	if err := w.take(ctx); err != nil {
		return err
	}
	defer w.give()
	err := w.DeadLetters.Write(ctx, store.Fence{Checkpoint: w.Save.ID, Term: w.Save.Term}, letter)
	if refused(err) {
		w.refuse(err)
	}
	return err
}

// refuse says, once, that this leadership is over.
func (w *Writer) refuse(err error) {
	w.refused.Do(func() {
		if errors.Is(err, store.ErrFenced) {
			w.report(fact.Fenced{Stream: w.fact()})
		} else {
			w.report(fact.CheckpointMissing{Stream: w.fact()})
		}
		w.Refused(err)
	})
}

func refused(err error) bool {
	return errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrMissing)
}

// Stored returns the position that is stored for certain, and since when.
func (w *Writer) Stored() (store.Position, time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last, w.at
}

func (w *Writer) savedMark() position.Watermark {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.saved
}

// wait is how long to wait after a save that failed.
func (w *Writer) wait() time.Duration {
	w.turn <- struct{}{}
	defer w.give()
	return w.again
}

// take waits for the writer's turn.
func (w *Writer) take(ctx context.Context) error {
	select {
	case w.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (w *Writer) give() { <-w.turn }

func (w *Writer) fact() fact.Stream {
	return fact.Stream{Stream: w.Stream, Term: w.Save.Term, At: time.Now()}
}

func (w *Writer) report(f fact.Fact) {
	if w.Report != nil {
		w.Report(f)
	}
}
