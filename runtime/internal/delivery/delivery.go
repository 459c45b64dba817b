package delivery

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/change"
	"github.com/fwgen/fwgen/runtime/internal/failure"
	"github.com/fwgen/fwgen/runtime/internal/position"
	"github.com/fwgen/fwgen/runtime/store"
)

// historyLength is how many failed attempts a dead letter tells of.
const historyLength = 10

// Delivery is one event on its way. Its exported fields belong to the step that is running.
type Delivery struct {
	Event        change.Event
	ID           string
	Slot         position.Slot
	Attempt      int // of the attempt that runs, or would run next; from 1
	Deferrals    int
	FirstAttempt time.Time
	Passed       bool // the filter let it through: it is not asked again

	// Stage is where the attempt is that runs. OnError asks the stream's OnError methods about
	// this attempt's event; nil if there are none.
	Stage   failure.Kind
	OnError func(error) failure.Action

	lastAttempt time.Time
	history     []store.FailedAttempt
	letter      *store.DeadLetter // decided, and not written yet
	reason      string            // of the letter
	retries     int               // of the letter's write
	stalls      int
	gone        bool    // the handler's goroutine ended inside it
	unanswered  *failed // OnError's goroutine ended inside it
	runner      *Runner

	mu      sync.Mutex // guards what a handler may call at any time
	meta    map[string]any
	settled bool // by the handler itself, or as the last step
}

// New returns the delivery of an event that was not attempted yet.
func New(e change.Event, slot position.Slot) *Delivery {
	return &Delivery{Event: e, ID: e.ID(), Slot: slot, Attempt: 1}
}

// Term is the term of the leadership that delivers the event.
func (d *Delivery) Term() int64 { return d.runner.Term }

// Set keeps a value with the event.
func (d *Delivery) Set(key string, v any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.meta == nil {
		d.meta = map[string]any{}
	}
	d.meta[key] = v
}

// Get returns what Set kept.
func (d *Delivery) Get(key string) (any, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, ok := d.meta[key]
	return v, ok
}

func (d *Delivery) metadata() map[string]any {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.meta)
}

// Checkpoint is what Event.Checkpoint does.
func (d *Delivery) Checkpoint(ctx context.Context) error { return d.runner.checkpoint(ctx, d) }

// SendToDLQ is what Event.SendToDLQ does.
func (d *Delivery) SendToDLQ(ctx context.Context, reason string) error {
	return d.runner.sendToDLQ(ctx, d, reason)
}

// claim makes the caller the one that settles the event. Only one ever is.
func (d *Delivery) claim() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	won := !d.settled
	d.settled = true
	return won
}

func (d *Delivery) isSettled() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.settled
}

func (d *Delivery) remember(kind failure.Kind, err error) {
	d.history = d.historyWith(kind, err.Error())
}

// historyWith returns the history with one more attempt, the one that runs.
func (d *Delivery) historyWith(kind failure.Kind, message string) []store.FailedAttempt {
	before := d.history[max(0, len(d.history)+1-historyLength):]
	return append(slices.Clip(before), store.FailedAttempt{
		At: d.lastAttempt, Kind: string(kind), Message: message,
	})
}
