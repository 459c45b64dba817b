package delivery

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

// Handler attempts an event once: it decodes, filters and handles, and keeps Delivery.Stage and
// Delivery.OnError up to date meanwhile. It lets panics of user code pass: the runner recovers.
type Handler interface {
	Attempt(ctx context.Context, d *Delivery) Result
}

// Result is how an attempt ended.
type Result struct {
	Outcome fact.Outcome // how it is settled, where Err is nil
	Reason  string       // of a skip
	Err     error        // the attempt failed
}

// Writer is the one writer of a stream's stored state.
type Writer interface {
	DeadLetter(ctx context.Context, letter store.DeadLetter) error
	Flush(ctx context.Context) error
}

// Plan is what a stream declares about its deliveries.
type Plan struct {
	Stream     string
	InstanceID string
	LetterID   string // prefix of the ids of dead letters: the stream, or stream#instance
	Handler    Handler
	Policy     failure.Policy
	Timeout    time.Duration // 0: none
	Letters    Letters
}

// Config is what a Runner needs. All of it is required.
type Config struct {
	Plan
	Term     int64
	Tracker  *position.Tracker
	Writer   Writer
	Board    *state.Board
	Counters *Counters
	Log      *slog.Logger
	Report   func(fact.Fact) // nil: nobody listens
}

// Letters says how dead letters are stored.
type Letters struct {
	Collection              string
	Retention               time.Duration
	OmitDocument, OmitStack bool
}

// Counters count over the life of a process.
type Counters struct {
	Attempts, Handled, Filtered, Skipped, DeadLetters, LateErrors atomic.Int64
}

// stall is how soon an event without attempts left is attempted again.
var stall = backoff.Policy{Initial: 10 * time.Second, Max: 5 * time.Minute, Multiplier: 2}

// letterTimeout bounds one write of a dead letter.
const letterTimeout = 10 * time.Second

// Runner makes the steps of one leadership's deliveries. It is safe for concurrent use.
type Runner struct {
	Config

	mu      sync.Mutex // guards stalled
	stalled map[*Delivery]Stalled
}

// Stalled is an event that waits after all of its attempts failed.
type Stalled struct {
	Delivery *Delivery
	Since    time.Time
	NextRun  time.Time // zero: nobody but an operator or a restart asks for it
	Attempts int
	Reason   string
}

// NewRunner returns a runner.
func NewRunner(c Config) *Runner {
	return &Runner{Config: c, stalled: map[*Delivery]Stalled{}}
}

// Next says how it goes on with a delivery after a step.
type Next struct {
	Done bool // settled, or left to whoever reads it next
	// Wait is how long to wait before the next step, unless Done; negative: until somebody asks.
	Wait time.Duration
}

// Step makes one step with a delivery. ctx is the leadership's: when it ends during an attempt,
// the attempt was interrupted and the event is left unsettled.
func (r *Runner) Step(ctx context.Context, d *Delivery) Next {
	if d.runner == nil { // a handler may read it at any time
		d.runner = r
	}
	if d.letter != nil {
		return r.writeLetter(ctx, d)
	}
	if f := d.unanswered; f != nil {
		d.unanswered, d.OnError = nil, nil
		return r.failed(ctx, d, *f)
	}
	result, kind, stack := r.attempt(ctx, d)
	if d.isSettled() { // by Checkpoint or SendToDLQ
		r.late(d, result.Err)
		return Next{Done: true}
	}
	if result.Err == nil {
		r.settle(d, result.Outcome, result.Reason)
		return Next{Done: true}
	}
	return r.failed(ctx, d, failed{result.Err, kind, stack})
}

// failed decides about a failed attempt and does what was decided.
func (r *Runner) failed(ctx context.Context, d *Delivery, f failed) Next {
	decision := failure.Decide(r.Policy, failure.Failure{
		Interrupted: ctx.Err() != nil, Kind: f.kind, Err: f.err, Attempt: d.Attempt,
		OnError: r.guarded(d, f),
	})
	if _, asked := errors.AsType[*failure.SkipError](f.err); !asked && decision.Do != failure.DoLeave {
		d.remember(f.kind, f.err)
		r.reportFailure(d, f, decision)
	}
	switch decision.Do {
	case failure.DoLeave:
		r.forget(d)
		return Next{Done: true}
	case failure.DoSkip:
		r.settle(d, fact.Skipped, decision.Reason)
		return Next{Done: true}
	case failure.DoDeadLetter:
		letter := r.compose(d, f)
		d.letter, d.reason = &letter, decision.Reason
		return r.writeLetter(ctx, d)
	case failure.DoDefer:
		d.Deferrals++
		return Next{Wait: decision.Wait}
	case failure.DoRetry:
		d.Attempt++
		return Next{Wait: decision.Wait}
	default:
		return r.stall(d, f.err, decision)
	}
}

// stall keeps an event that has no attempts left and no other place to go.
func (r *Runner) stall(d *Delivery, err error, decision failure.Decision) Next {
	d.stalls++
	wait := stall.Wait(d.stalls)
	if decision.Hopeless {
		wait = -1
	}
	now := time.Now()
	s := Stalled{Delivery: d, Since: now, Attempts: d.Attempt, Reason: err.Error()}
	if wait > 0 {
		s.NextRun = now.Add(wait)
	}
	d.Attempt++
	r.mu.Lock()
	if before, ok := r.stalled[d]; ok {
		s.Since = before.Since
	}
	r.stalled[d] = s
	r.mu.Unlock()
	r.showStall()
	if d.stalls == 1 {
		r.Log.Error("event stalled", "event", d.ID, "attempt", s.Attempts, "error", err)
		r.report(fact.EventStalled{Stream: r.fact(), EventID: d.ID, Reason: s.Reason})
	}
	return Next{Wait: wait}
}

// settle ends a delivery, once: it is counted, told of, and lets the position pass.
func (r *Runner) settle(d *Delivery, outcome fact.Outcome, reason string) {
	if !d.claim() {
		return
	}
	switch outcome {
	case fact.Handled:
		r.Counters.Handled.Add(1)
	case fact.Filtered:
		r.Counters.Filtered.Add(1)
	case fact.Skipped:
		r.Counters.Skipped.Add(1)
	case fact.DeadLettered:
		r.Counters.DeadLetters.Add(1)
	}
	r.forget(d)
	r.Tracker.Settle(d.Slot)
	if r.Report != nil {
		r.report(fact.EventSettled{
			Stream: r.fact(), EventID: d.ID, Operation: d.Event.Operation, Outcome: outcome,
			Reason: reason, Attempts: d.Attempt, Took: time.Since(d.FirstAttempt),
		})
	}
}

// Stalled lists the events that wait after all of their attempts failed.
func (r *Runner) Stalled() []Stalled {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Stalled, 0, len(r.stalled))
	for _, s := range r.stalled {
		list = append(list, s)
	}
	return list
}

// forget takes a delivery off the list of stalled ones.
func (r *Runner) forget(d *Delivery) {
	if d.stalls == 0 {
		return
	}
	r.mu.Lock()
	delete(r.stalled, d)
	r.mu.Unlock()
	r.showStall()
}

// showStall shows the stalled event that runs next.
func (r *Runner) showStall() {
	list := r.Stalled()
	if len(list) == 0 {
		r.Board.Clear(state.Stall)
		return
	}
	first := list[0]
	for _, s := range list[1:] {
		if first.NextRun.IsZero() || !s.NextRun.IsZero() && s.NextRun.Before(first.NextRun) {
			first = s
		}
	}
	r.Board.Trouble(state.Stall, state.Condition{
		State: state.Stalled, Code: "stalled", NextRetry: first.NextRun,
		Reason: "event " + first.Delivery.ID + " can't be handled: " + first.Reason,
	})
}

func (r *Runner) fact() fact.Stream {
	return fact.Stream{Stream: r.Stream, Term: r.Term, At: time.Now()}
}

func (r *Runner) report(f fact.Fact) {
	if r.Report != nil {
		r.Report(f)
	}
}

func (r *Runner) reportFailure(d *Delivery, f failed, next failure.Decision) {
	r.Log.Debug("attempt failed",
		"event", d.ID, "attempt", d.Attempt, "kind", f.kind, "error", f.err)
	if r.Report == nil {
		return
	}
	r.report(fact.AttemptFailed{
		Stream: r.fact(), EventID: d.ID, Attempt: d.Attempt, Kind: string(f.kind),
		Err: f.err, Retry: next.Wait,
	})
}
